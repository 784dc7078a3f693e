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

	"collie/node/trust"
)

// A Door is where a message came in that no session and no person sent: the
// zero Door is none. It decides the level of the message, and nothing that comes
// through it can change that.
type Door struct {
	Kind DoorKind
	Name string // of the channel or the schedule; empty for a wake
}

// A DoorKind is one sort of door.
type DoorKind string

// The doors.
const (
	Webhook  DoorKind = "webhook"  // a system that knows the channel's secret
	Schedule DoorKind = "schedule" // the operator, at an earlier time
	Wake     DoorKind = "wake"     // the session itself, at an earlier time
)

// Checks that stand for what a door knows of a message.
const (
	// CheckWebhook stands for the signature of a webhook. It proves a system,
	// never a person.
	CheckWebhook = "webhook signature"
	// CheckSchedule stands for the seal that a schedule is stored under.
	CheckSchedule = "schedule seal"
)

// doors says of each kind what its messages are worth, and why.
var doors = map[DoorKind]struct {
	level trust.Level
	check string
	mark  func(name string) trust.Mark
}{
	Webhook:  {trust.Public, CheckWebhook, trust.WebhookMark},
	Schedule: {trust.Operator, CheckSchedule, trust.ScheduleMark},
	Wake:     {trust.Participant, CheckCaller, func(string) trust.Mark { return trust.WakeMark() }},
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
	_, known := doors[d.Kind]
	return known && (d.Kind == Wake && d.Name == "" || d.Kind != Wake && ValidDoorName(d.Name))
}

// String returns the words for the door in a typed line.
func (d Door) String() string {
	if d.Kind == Wake {
		return "your own wake"
	}
	return strings.TrimSpace(string(d.Kind) + " " + d.Name)
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
// session. What an operator's door brings is typed whole, as an instruction;
// of all else the pane gets the line that says how to read it.
func (s *Station) Post(ctx context.Context, p Post) (Receipt, error) {
	switch {
	case p.Door.isZero() || !p.Door.valid():
		return Receipt{}, fmt.Errorf("%w: the door is not valid", ErrBody)
	case !isID(p.ID):
		return Receipt{}, fmt.Errorf("%w: %q", ErrID, clip(p.ID))
	case !utf8.ValidString(p.Body):
		return Receipt{}, fmt.Errorf("%w: it is not UTF-8", ErrBody)
	case len(p.Body) > s.limits.BodyBytes:
		return Receipt{}, fmt.Errorf("%w: %d bytes, the most is %d", ErrBody, len(p.Body), s.limits.BodyBytes)
	case p.Door.level().MayInstruct() && trust.CleanText(p.Body, s.limits.BodyBytes) != p.Body:
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
	if m.to.Token == "" {
		session, ok := find(sessions, m.to.Pane)
		if !ok {
			return refusal(m, ReasonGone, 0), nil
		}
		m.to.Token = session.Token
	}
	if !m.to.isSession() {
		return Receipt{}, fmt.Errorf("%w: %s", ErrAddress, addressFormat)
	}
	return s.take(ctx, m, Verified{body: p.Body}, sessions)
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

// level is what a message may be worth: that of its door, and without one a
// participant's, whoever sent it.
func (d Door) level() trust.Level {
	if kind, known := doors[d.Kind]; known {
		return kind.level
	}
	return trust.Participant
}
