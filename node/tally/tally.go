// Package tally counts what replies met in seven days: how often the input was free,
// how often it could not be read, and how often a person sent by hand after that.
// The three numbers say whether Collie reads the screens of this machine's programs
// well enough, to whoever watches its health. They name no pane, no text and nobody.
//
// They are kept by days in UTC, of which the last seven count. The file is small and
// written rarely: at most once in [storeEvery] after something was counted, and at
// the stop. A crash costs what came since. A file that cannot be believed is left as
// it is, and what is counted then lasts until the stop.
package tally

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"collie/crypto/atomicfile"
)

const version = 1

const (
	// days is how many of them count.
	days = 7
	// storeEvery is how much of the counting a crash may cost.
	storeEvery = 15 * time.Minute
	// maxCount bounds what a file may claim of one day: more than anybody taps.
	maxCount = 1 << 30
)

// A Week is what was counted in the last seven days.
type Week struct {
	Free       int `json:"free"`       // the input took the text, and nothing else was in it
	Unreadable int `json:"unreadable"` // the input was not seen, or the text not in it
	SentByHand int `json:"sentByHand"` // a person pressed Enter, or Submit, after such a screen
}

func (w Week) plus(v Week) Week {
	return Week{w.Free + v.Free, w.Unreadable + v.Unreadable, w.SentByHand + v.SentByHand}
}

type day struct {
	Day string `json:"day"` // 2006-01-02, UTC
	Week
}

type file struct {
	Days []day `json:"days"`
}

// A Tally is the counters of one machine.
type Tally struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex // guards what follows, and the file
	days    []day      // oldest first, at most seven
	refused bool       // the file is not believed, and not written
	unsaved bool
	store   *time.Timer // runs while something is to be stored
	closed  bool
}

// Open goes on with the counters at path.
func Open(path string, now func() time.Time, log *slog.Logger) *Tally {
	t := &Tally{path: path, now: now, log: log}
	var f file
	err := atomicfile.ReadJSON(path, version, &f)
	if err == nil {
		err = check(f.Days)
	}
	switch {
	case err == nil:
		t.days = f.Days
	case !errors.Is(err, fs.ErrNotExist):
		t.refused = true
		log.Error("the counters of replies are not believed, and left as they are", "file", path, "error", err)
	}
	return t
}

func check(all []day) error {
	if len(all) > days {
		return fmt.Errorf("it has more than %d days", days)
	}
	for i, d := range all {
		if _, err := time.Parse(time.DateOnly, d.Day); err != nil || (i > 0 && d.Day <= all[i-1].Day) {
			return errors.New("its days are none, or not in their order")
		}
		for _, n := range []int{d.Free, d.Unreadable, d.SentByHand} {
			if n < 0 || n > maxCount {
				return errors.New("it has a count that nobody reaches")
			}
		}
	}
	return nil
}

// Add counts.
func (t *Tally) Add(more Week) {
	t.mu.Lock()
	defer t.mu.Unlock()
	today := t.trim()
	if len(t.days) == 0 || t.days[len(t.days)-1].Day != today {
		t.days = append(t.days, day{Day: today})
		t.days = t.days[max(0, len(t.days)-days):]
	}
	last := &t.days[len(t.days)-1]
	last.Week, t.unsaved = last.plus(more), true
	if t.store == nil && !t.closed && !t.refused {
		t.store = time.AfterFunc(storeEvery, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.store = nil
			t.write()
		})
	}
}

// Week returns what was counted today and on the six days before.
func (t *Tally) Week() (sum Week) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	for _, d := range t.days {
		sum = sum.plus(d.Week)
	}
	return sum
}

// Close stores what was counted since.
func (t *Tally) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.store != nil {
		t.store.Stop()
	}
	t.write()
}

// trim drops the days that count no more, and those of a clock that was ahead. It
// returns today. t.mu is held.
func (t *Tally) trim() string {
	now := t.now().UTC()
	today, first := now.Format(time.DateOnly), now.AddDate(0, 0, 1-days).Format(time.DateOnly)
	t.days = slices.DeleteFunc(t.days, func(d day) bool { return d.Day < first || d.Day > today })
	return today
}

// write stores what is not stored yet. t.mu is held.
func (t *Tally) write() {
	if !t.unsaved || t.refused {
		return
	}
	if err := atomicfile.WriteJSON(t.path, version, file{t.days}); err != nil {
		t.log.Warn("the counters of replies are not stored", "file", t.path, "error", err)
		return
	}
	t.unsaved = false
}
