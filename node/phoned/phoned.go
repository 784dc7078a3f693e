// Package phoned remembers which texts this machine typed into a pane, or handed on
// to another machine, for a phone. The log of an agent's program has them as a
// person's words like any others, and whoever reads them there is to see which
// phone they came from.
//
// No text is kept: of each there is a keyed hash, with the phone's label and the
// time. The key is in the same file, so the hashes hide a text from whoever gets
// hold of a few of them, not from the account that can read the folder. What counts
// of a text is its words as a phone would be shown them, cleaned and masked: the
// lead sees a member's log in no other way, and programs change blanks.
//
// A note stands for one turn of a log: the first that is read with its words, in its
// place, about its time. From then on it is the note of that turn, also where the
// session is gone on with in another pane, and of no other.
//
// A note is on the disk before the text is typed; which turn it stands for follows
// with the next one, or is found again. A file that cannot be believed is left as it
// is, and what is noted then lasts until the stop.
package phoned

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"collie/crypto/atomicfile"
	"collie/crypto/secret"
	"collie/node/trust"
)

const version = 1

// hashChars is how long a hash is in the file: 16 bytes, which nobody has by chance.
const hashChars = 22

// A Turn is what a log has as a person's words.
type Turn struct {
	Session, ID string // of the log, and in it
	Text        string
	At          time.Time // none when the log does not say
}

// A note is one text that was typed. All but its time and device are hashes.
type note struct {
	At      time.Time `json:"at"`
	Device  string    `json:"device"`
	Place   string    `json:"place"`
	Text    string    `json:"text"`
	Session string    `json:"session,omitempty"` // once its turn was read
	Turn    string    `json:"turn,omitempty"`
}

type file struct {
	Key   []byte `json:"key"`
	Notes []note `json:"notes"`
}

// Options of a book. All but Disk are needed.
type Options struct {
	// Hide masks a text as a phone would be shown it.
	Hide func(string) string
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
	Disk atomicfile.Disk // the real one when nil
}

// A Book holds the notes of one machine. It is safe for concurrent use.
type Book struct {
	path    string
	options Options

	mu      sync.Mutex // guards what follows, and the file
	key     []byte     // none before the first note
	notes   []note     // oldest first
	refused bool       // the file is not believed, and not written
	unsaved bool
}

// Open reads the book at path.
func Open(path string, options Options) *Book {
	if options.Disk == nil {
		options.Disk = atomicfile.OS{}
	}
	b := &Book{path: path, options: options}
	var f file
	err := atomicfile.ReadJSON(path, version, &f)
	if err == nil {
		err = f.check()
	}
	switch {
	case err == nil:
		b.key, b.notes = f.Key, f.Notes
	case !errors.Is(err, fs.ErrNotExist):
		b.refused = true
		options.Log.Error("the notes of what phones sent are not believed, and left as they are", "file", path, "error", err)
	}
	return b
}

func (f *file) check() error {
	if len(f.Key) != secret.KeySize || len(f.Notes) > maxNotes {
		return fmt.Errorf("it has no key, or more than %d notes", maxNotes)
	}
	for i, n := range f.Notes {
		if n.At.IsZero() || !validDevice(n.Device) || len(n.Place) != hashChars || len(n.Text) != hashChars ||
			len(n.Turn) != len(n.Session) || len(n.Turn) != 0 && len(n.Turn) != hashChars {
			return fmt.Errorf("note %d is none", i+1)
		}
	}
	return nil
}

func validDevice(label string) bool {
	return label != "" && len(label) <= maxDevice && trust.Clean(label, maxDevice) == label
}

// Note remembers that a text goes into a place for a phone. A place is whatever
// names a pane for this machine, and never names another. withdraw is for a text that
// was refused, and never went there.
func (b *Book) Note(place, device, text string) (withdraw func()) {
	n, ok := b.add(place, device, text, false)
	if !ok {
		return func() {}
	}
	return func() { b.withdraw(n) }
}

// Renew is Note for a text that was noted when it was typed, and is submitted now.
func (b *Book) Renew(place, device, text string) { b.add(place, device, text, true) }

func (b *Book) add(place, device, text string, renew bool) (added note, ok bool) {
	form := b.form(text)
	if form == "" || !validDevice(device) {
		return note{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.key == nil {
		b.key = secret.NewKey(b.options.Rand)
	}
	now := b.options.Now().UTC()
	fresh := note{At: now, Device: device, Place: b.hash("place", place), Text: b.hash("text", form)}
	kept := slices.DeleteFunc(slices.Clone(b.notes), func(n note) bool { return now.Sub(n.At) > keptFor })
	if renew {
		for i, n := range slices.Backward(kept) {
			if n.Turn == "" && n.Place == fresh.Place && n.Text == fresh.Text {
				kept = slices.Delete(kept, i, i+1)
				break
			}
		}
	}
	kept = append(kept, fresh)
	b.notes, b.unsaved = kept[max(0, len(kept)-maxNotes):], true
	b.write()
	return fresh, true
}

// withdraw drops a note, the newest of equal ones.
func (b *Book) withdraw(gone note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, n := range slices.Backward(b.notes) {
		if n.At.Equal(gone.At) && n.Device == gone.Device && n.Place == gone.Place && n.Text == gone.Text {
			b.notes, b.unsaved = slices.Delete(slices.Clone(b.notes), i, i+1), true
			b.write()
			return
		}
	}
}

// Devices returns the label of the phone that each of some turns came from, or
// empty. They were read in one place, and are in their order, the oldest first.
func (b *Book) Devices(place string, turns []Turn) []string {
	devices := make([]string, len(turns))
	if b.empty() {
		return devices
	}
	forms := make([]string, len(turns))
	for i, turn := range turns {
		forms[i] = b.form(turn.Text)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	here, all := b.hash("place", place), make([]note, len(turns))
	for i, turn := range turns {
		all[i] = note{At: turn.At, Place: here, Text: b.hash("text", forms[i]), Session: b.hash("session", turn.Session), Turn: b.hash("turn", turn.ID)}
	}
	for _, n := range b.notes {
		if i := slices.IndexFunc(all, n.standsFor); n.Turn != "" && i >= 0 {
			devices[i] = n.Device
		}
	}
	for at := range b.notes {
		if n := &b.notes[at]; n.Turn == "" && n.Place == here {
			if i := n.first(all, devices); i >= 0 {
				devices[i], b.unsaved = n.Device, true
				n.Session, n.Turn = all[i].Session, all[i].Turn
			}
		}
	}
	return devices
}

func (n note) standsFor(turn note) bool {
	return n.Turn == turn.Turn && n.Text == turn.Text && (n.Session == turn.Session || n.Place == turn.Place)
}

// first finds the turn that a note stands for: the first one after it that no other
// does, or else the last one that a slow clock has put before it.
func (n note) first(turns []note, taken []string) int {
	found := -1
	for i, turn := range turns {
		if turn.Text != n.Text || taken[i] != "" {
			continue
		}
		switch after := turn.At.Sub(n.At); {
		case turn.At.IsZero(), after >= 0 && after <= takenWithin:
			return i
		case after < 0 && after >= -around:
			found = i
		}
	}
	return found
}

func (b *Book) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.notes) == 0
}

// Close stores which turns the notes stand for.
func (b *Book) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.write()
}

// form is what counts of a text: masking, cleaning and cutting it change nothing.
func (b *Book) form(text string) string {
	words := strings.Fields(b.options.Hide(trust.NeutralizeMarks(trust.CleanText(text, 4*len(text)+4))))
	form := strings.Join(words, " ")
	if len(form) <= maxFormBytes {
		return form
	}
	end := maxFormBytes
	for end > 0 && !utf8.RuneStart(form[end]) {
		end--
	}
	return form[:end]
}

// hash is a keyed hash of one kind. b.mu is held.
func (b *Book) hash(kind, text string) string {
	mac := hmac.New(sha256.New, b.key)
	_, _ = io.WriteString(mac, kind+"\x00"+text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// write stores what is not stored yet. That it cannot is no reason to type nothing:
// the audit log has who did, or refuses. b.mu is held.
func (b *Book) write() {
	if !b.unsaved || b.refused {
		return
	}
	if err := atomicfile.WriteJSONOn(b.options.Disk, b.path, version, file{b.key, b.notes}); err != nil {
		b.options.Log.Warn("the notes of what phones sent are not stored", "file", b.path, "error", err)
		return
	}
	b.unsaved = false
}
