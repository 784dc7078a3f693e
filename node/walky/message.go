package walky

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"collie/crypto/identity"
	"collie/node/trust"
	"collie/node/walky/journal"
)

// A Direction says how a message touched this machine.
type Direction string

// The directions. A message from one pane of this machine to another is In.
const (
	In      Direction = "in"
	Out     Direction = "out"
	Through Direction = "through" // a lead's, from one member to another
)

// content is what one id stands for: two messages are the same when their
// contents are equal.
type content struct {
	direction Direction
	door      Door
	from      Address
	label     string
	to        Address
	sentAt    int64 // epoch milliseconds
	replyTo   string
	digest    [sha256.Size]byte
	length    int
}

// A message is one that the journal holds. The station's lock guards decided,
// shown, changed, recalled and marked.
type message struct {
	id string
	content
	at time.Time // taken by this machine
	// turnedBack says that a door refused it, so that it was never one that waited.
	turnedBack bool

	// decided is what the journal holds or is about to; shown is what was
	// synced and may be told.
	decided State
	shown   Receipt
	// changed is closed and replaced whenever shown changes.
	changed chan struct{}
	// recorded is closed once the opening line is synced, or failed with err.
	recorded chan struct{}
	err      error
	recalled bool       // its sender wants it back
	marked   trust.Mark // made when it is first asked for: every look at the inbox does
}

func newMessage(id string, c content, at time.Time, state State, reason string) *message {
	return &message{
		id: id, content: c, at: at, decided: state, turnedBack: c.door.posted() && state == Refused,
		shown:   Receipt{ID: id, State: state, Reason: reason, At: at},
		changed: make(chan struct{}), recorded: make(chan struct{}),
	}
}

// origin is whose flood it would be if there were too many of these: the machine
// that a message came from or, of this one, the door that others may push. What a
// door refused takes no place of what it let in.
func (m *message) origin() string {
	switch {
	case m.turnedBack:
		return "refused-" + string(m.door.Kind)
	case m.door.posted():
		return string(m.door.Kind) // no member id: those are of hexadecimal digits
	}
	return m.from.Machine
}

// hasReceiver says that the message is for somebody; one that was turned back may be
// for a pane that is no more.
func (m *message) hasReceiver() bool {
	return m.to.isReceiver(m.replyTo) || m.turnedBack && m.to.isPane()
}

// local says that the message is for a session of this machine.
func (m *message) local() bool { return m.direction == In }

// opening is the data of a journal line that opens an id.
type opening struct {
	Direction Direction `json:"direction"`
	Door      *door     `json:"door,omitempty"`
	From      party     `json:"from"`
	To        party     `json:"to"`
	SentAt    int64     `json:"sentAt"`
	ReplyTo   string    `json:"replyTo,omitempty"`
	Digest    string    `json:"digest"`
	Length    int       `json:"length"`
	Body      string    `json:"body"`
	Proof     *Proof    `json:"proof,omitempty"`
	change
}

// door is where a message came in that no session sent.
type door struct {
	Kind DoorKind `json:"kind"`
	Name string   `json:"name,omitempty"`
}

// change is the data of every other line.
type change struct {
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
}

type party struct {
	Machine string `json:"machine,omitempty"`
	Pane    string `json:"pane,omitempty"`
	Token   string `json:"token,omitempty"`
	Label   string `json:"label,omitempty"`
}

// A Proof is what was verified of a message that came over the crew link.
type Proof struct {
	// Checks are the checks that it passed.
	Checks []string `json:"checks"`
	// AttestedBy is the member id of the lead that attested it, empty on the
	// lead itself, which verified the sender with its own pin.
	AttestedBy string `json:"attestedBy,omitempty"`
	Generation uint64 `json:"generation"`
	// Sender is the fingerprint of the certificate that the message was
	// verified with.
	Sender identity.Fingerprint `json:"sender"`
}

// orNil leaves out the proof of a message that no key was involved in.
func (p Proof) orNil() *Proof {
	if len(p.Checks) == 0 {
		return nil
	}
	return &p
}

func (m *message) line(body string, proof *Proof) (journal.Line, error) {
	var through *door
	if !m.door.isZero() {
		through = &door{m.door.Kind, m.door.Name}
	}
	return m.encode(m.at, true, opening{
		Direction: m.direction,
		Door:      through,
		From:      party{m.from.Machine, m.from.Pane, m.from.Token, m.label},
		To:        party{Machine: m.to.Machine, Pane: m.to.Pane, Token: m.to.Token},
		SentAt:    m.sentAt,
		ReplyTo:   m.replyTo,
		Digest:    hex.EncodeToString(m.digest[:]),
		Length:    m.length,
		Body:      body,
		Proof:     proof,
		change:    change{m.shown.State, m.shown.Reason},
	})
}

func (m *message) changeLine(at time.Time, c change) (journal.Line, error) {
	return m.encode(at, false, c)
}

func (m *message) encode(at time.Time, opens bool, data any) (journal.Line, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(data)
	return journal.Line{Origin: m.origin(), ID: m.id, At: at, Opens: opens, Data: out.Bytes()}, err
}

// readOpening reads a line that opens an id, strictly: what it names comes back
// in a typed line.
func readOpening(line journal.Line) (*message, opening, error) {
	var o opening
	if err := strict(line.Data, &o); err != nil {
		return nil, o, err
	}
	c := content{
		direction: o.Direction,
		from:      Address{o.From.Machine, o.From.Pane, o.From.Token},
		label:     o.From.Label,
		to:        Address{o.To.Machine, o.To.Pane, o.To.Token},
		sentAt:    o.SentAt,
		replyTo:   o.ReplyTo,
		length:    o.Length,
	}
	if o.Door != nil {
		c.door = Door{o.Door.Kind, o.Door.Name}
	}
	n, err := hex.Decode(c.digest[:], []byte(o.Digest[:min(len(o.Digest), hex.EncodedLen(sha256.Size))]))
	m := newMessage(line.ID, c, line.At, o.State, o.Reason)
	switch {
	case err != nil || n != sha256.Size || len(o.Digest) != hex.EncodedLen(n):
		return nil, o, fmt.Errorf("%w: digest", journal.ErrDamaged)
	case !isID(line.ID) || o.ReplyTo != "" && !isID(o.ReplyTo):
		return nil, o, fmt.Errorf("%w: id", journal.ErrDamaged)
	case o.Direction != In && o.Direction != Out && o.Direction != Through:
		return nil, o, fmt.Errorf("%w: direction %q", journal.ErrDamaged, clip(string(o.Direction)))
	case !c.from.isSender() || !m.hasReceiver() || m.origin() != line.Origin ||
		(c.to.Machine == "") != (c.direction == In):
		return nil, o, fmt.Errorf("%w: address", journal.ErrDamaged)
	case o.Door != nil && (c.door.isZero() || !c.door.valid() || !c.fits()):
		return nil, o, fmt.Errorf("%w: door", journal.ErrDamaged)
	case !o.State.known():
		return nil, o, fmt.Errorf("%w: state %q", journal.ErrDamaged, clip(string(o.State)))
	case c.length != len(o.Body):
		return nil, o, fmt.Errorf("%w: length of the body", journal.ErrDamaged)
	}
	close(m.recorded)
	return m, o, nil
}

func readChange(line journal.Line) (change, error) {
	var c change
	err := strict(line.Data, &c)
	if err == nil && !c.State.known() {
		err = fmt.Errorf("%w: state %q", journal.ErrDamaged, clip(string(c.State)))
	}
	return c, err
}

func strict(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", journal.ErrDamaged, err)
	}
	return nil
}
