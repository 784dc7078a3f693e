package walky

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"collie/crypto/statement"
	"collie/node/trust"
)

// A Door is where a message came in that no session sent: the zero Door is none.
// It decides the level of the message, and nothing that comes through it can
// change that.
type Door struct {
	Kind DoorKind
	Name string // of the channel or the schedule, the label of the phone; empty for a wake
}

// A DoorKind is one sort of door.
type DoorKind string

// The doors.
const (
	Webhook  DoorKind = "webhook"  // a system that knows the channel's secret
	Schedule DoorKind = "schedule" // the operator, at an earlier time
	Wake     DoorKind = "wake"     // the session itself, at an earlier time
	Phone    DoorKind = "phone"    // the operator, on a paired phone
)

// Checks that stand for what a door knows of a message.
const (
	// CheckWebhook stands for the signature of a webhook. It proves a system,
	// never a person.
	CheckWebhook = "webhook signature"
	// CheckSchedule stands for the seal that a schedule is stored under.
	CheckSchedule = "schedule seal"
	// CheckPhone stands for the token of a phone that is paired with this machine.
	CheckPhone = "paired phone"
)

// A doorway is all that a kind of door means for its messages.
type doorway struct {
	level trust.Level
	check string
	mark  func(name string) trust.Mark
	named func(name string) bool // says which names it takes
	line  func(name string) string
	// posted says that Post takes them, on the machine whose session they are for;
	// a phone's come in by Send and cross the crew link.
	posted bool
	// whole says that the message itself is typed, and not how to read it.
	whole bool
}

var doors = map[DoorKind]doorway{
	Webhook: {
		level: trust.Public, check: CheckWebhook, mark: trust.WebhookMark, named: ValidDoorName, posted: true,
		line: func(name string) string { return "webhook " + name },
	},
	Schedule: {
		level: trust.Operator, check: CheckSchedule, mark: trust.ScheduleMark, named: ValidDoorName, posted: true, whole: true,
		line: func(name string) string { return "schedule " + name },
	},
	Wake: {
		level: trust.Participant, check: CheckCaller, mark: func(string) trust.Mark { return trust.WakeMark() }, posted: true,
		named: func(name string) bool { return name == "" },
		line:  func(string) string { return "your own wake" },
	},
	Phone: {
		level: trust.Operator, check: CheckPhone, mark: trust.PhoneMark, named: validDevice,
		line: func(string) string { return "a paired phone" }, // never its label, which is anybody's words
	},
}

// validDevice says whether text is the label of a device as a lead stores it.
func validDevice(text string) bool {
	label, err := trust.Label(text)
	return err == nil && label == text && len(text) <= statement.MaxLabel
}

// MaxDoorName bounds the name of a channel or a schedule, in bytes.
const MaxDoorName = 32

// ValidDoorName says whether a name is 1 to MaxDoorName of a–z, 0–9 and "-",
// and begins with none of the last.
func ValidDoorName(name string) bool {
	return name != "" && len(name) <= MaxDoorName && name[0] != '-' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (d Door) isZero() bool { return d == Door{} }

// valid holds for the zero Door too.
func (d Door) valid() bool {
	if d.isZero() {
		return true
	}
	way, known := doors[d.Kind]
	return known && way.named(d.Name)
}

// String returns the words for the door in a typed line.
func (d Door) String() string {
	if way, known := doors[d.Kind]; known {
		return way.line(d.Name)
	}
	return ""
}

// level is what a message may be worth: that of its door, and without one a
// participant's, whoever sent it.
func (d Door) level() trust.Level {
	if kind, known := doors[d.Kind]; known {
		return kind.level
	}
	return trust.Participant
}

// posted and whole are false for no door.
func (d Door) posted() bool { return doors[d.Kind].posted }
func (d Door) whole() bool  { return doors[d.Kind].whole }

// device is the label of the phone that a message was written on, or empty.
func (d Door) device() string {
	if d.Kind == Phone {
		return d.Name
	}
	return ""
}

// fits says whether a message that came through its door may have gone the way
// that it went: what is posted is for a session here and from nobody, and what
// is from a phone is from the lead, which sends its own messages on itself.
func (c content) fits() bool {
	switch {
	case c.door.isZero():
		return true
	case c.door.posted():
		return c.direction == In && c.from == Address{}
	}
	return c.from.Pane == "" && (c.direction == In || c.direction == Out && c.from.Machine == "")
}

// A Post is a message that came through a door of this machine.
type Post struct {
	Door Door
	// ID is a ULID, drawn by DoorID from what makes the delivery one: what is
	// posted under it again answers the receipt of the first, unless that was
	// refused.
	ID    string
	Label string // who or what it is from, in anybody's words
	// To is a session of this machine; with an empty Token whichever is in the
	// pane now.
	To   Address
	Body string
}

// DoorID draws the id of a message from what makes it one delivery.
func DoorID(at time.Time, parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part))))
		hash.Write([]byte(part))
	}
	var id ulid.ULID
	_ = id.SetTime(ulid.Timestamp(at) & ulid.MaxTime()) // within its bounds by the mask
	copy(id[6:], hash.Sum(nil))
	return id.String()
}

// Post takes a message that came through a door, as Send takes that of a
// session. What a schedule brings is typed whole, as an instruction; of all else
// the pane gets the line that says how to read it.
func (s *Station) Post(ctx context.Context, p Post) (Receipt, error) {
	switch {
	case !p.Door.posted() || !p.Door.valid():
		return Receipt{}, fmt.Errorf("%w: the door is not valid", ErrBody)
	case !isID(p.ID):
		return Receipt{}, fmt.Errorf("%w: %q", ErrID, clip(p.ID))
	case !utf8.ValidString(p.Body):
		return Receipt{}, fmt.Errorf("%w: it is not UTF-8", ErrBody)
	case len(p.Body) > s.limits.BodyBytes:
		return Receipt{}, fmt.Errorf("%w: %d bytes, the most is %d", ErrBody, len(p.Body), s.limits.BodyBytes)
	case p.Door.whole() && trust.CleanText(p.Body, s.limits.BodyBytes) != p.Body:
		return Receipt{}, fmt.Errorf("%w: what is typed holds no control and no invisible character", ErrBody)
	}
	m := newMessage(p.ID, content{
		direction: In, door: p.Door, label: trust.Clean(p.Label, maxDoorLabel), to: Address{Pane: p.To.Pane, Token: p.To.Token},
		digest: sha256.Sum256([]byte(p.Body)), length: len(p.Body),
	}, s.now(), Accepted, "")
	if earlier, err := s.earlier(ctx, m); earlier != nil || err != nil {
		return s.repeatPost(ctx, earlier, m, err)
	}
	sessions, err := s.look(ctx)
	if err != nil {
		return Receipt{}, err
	}
	if session, there := find(sessions, m.to.Pane); there && m.to.Token == "" {
		m.to.Token = session.Token
	}
	if !m.to.isSession() && !m.to.isPane() {
		return Receipt{}, fmt.Errorf("%w: %s", ErrAddress, addressFormat)
	}
	return s.take(ctx, m, Verified{body: p.Body}, sessions)
}

// turnBack records that a delivery was refused, and refuses it. The record has an
// id of its own, so that the delivery is taken when it comes again; one that is
// refused again for the same reason leaves no second one.
func (s *Station) turnBack(ctx context.Context, m *message, v Verified, reason string) (Receipt, error) {
	id, err := ulid.ParseStrict(m.id)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrID, err)
	}
	m = newMessage(DoorID(id.Timestamp(), "refused", m.id, reason), m.content, m.at, Refused, reason)
	if wait := s.overfull(m); wait > 0 {
		return refusal(m, ReasonBusy, wait), nil
	}
	if _, err := s.record(ctx, m, v); err != nil {
		return Receipt{}, err
	}
	return s.refuse(m, reason)
}

// Admits returns why nothing that a door brings to an address now could be taken,
// or "". Without a Token the address is whichever session is in the pane.
func (s *Station) Admits(ctx context.Context, to Address) (reason string, err error) {
	if s.off {
		return ReasonOff, nil
	}
	sessions, err := s.look(ctx)
	if err != nil {
		return "", err
	}
	if session, there := find(sessions, to.Pane); there && to.Token == "" {
		to.Token = session.Token
	}
	return receives(sessions, to), nil
}

// repeatPost answers a delivery that came before. Its session may be another
// one by now; it went to the first.
func (s *Station) repeatPost(ctx context.Context, earlier, m *message, err error) (Receipt, error) {
	if earlier != nil && earlier.door == m.door && earlier.digest == m.digest {
		m.content = earlier.content
	}
	return s.repeat(ctx, earlier, m, err)
}

// maxDoorLabel bounds what a door may say of a message, in bytes.
const maxDoorLabel = 128
