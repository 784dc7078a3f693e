package trust

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoMark is wrapped by every refusal of ParseMark.
var ErrNoMark = errors.New("not a mark")

// A Mark says through which door a text came, as a person sees it. It is data
// beside the text, never text inside it. The zero value is no mark: typed at
// the console. A mark is only ever built here, so its parts are cleaned and
// cannot hold a second mark.
type Mark struct{ text string }

// The words of the doors that others ask for; see Mark.Door.
const (
	PhoneDoor = "phone"
	HookDoor  = "hook"
)

// WalkyMark marks a walky message from a pane of a machine: ‹walky:HOST:PANE›.
func WalkyMark(host, pane string) Mark {
	return Mark{"‹walky:" + markPart(host) + ":" + markPart(pane) + "›"}
}

// WebhookMark marks what a webhook brought: ‹webhook:NAME›.
func WebhookMark(name string) Mark { return Mark{"‹webhook:" + markPart(name) + "›"} }

// ScheduleMark marks what the operator has had typed at a time: ‹schedule:NAME›.
func ScheduleMark(name string) Mark { return Mark{"‹schedule:" + markPart(name) + "›"} }

// WakeMark marks what a session has left for itself: ‹wake›.
func WakeMark() Mark { return Mark{"‹wake›"} }

// PhoneMark marks what the operator wrote on a paired phone: ‹phone:LABEL›.
func PhoneMark(label string) Mark { return Mark{"‹" + PhoneDoor + ":" + markPart(label) + "›"} }

// HookMark marks what a hook of a harness told: ‹hook:NAME›.
func HookMark(name string) Mark { return Mark{"‹" + HookDoor + ":" + markPart(name) + "›"} }

// ParseMark reads a mark that another machine wrote: in the very form that this
// package gives it, or not at all.
func ParseMark(text string) (Mark, error) {
	inner, opened := strings.CutPrefix(text, "‹")
	inner, closed := strings.CutSuffix(inner, "›")
	parts := strings.Split(inner, ":")
	m := Mark{}
	switch {
	case len(text) > maxMarkBytes || !opened || !closed:
	case parts[0] == "walky" && len(parts) == 3:
		m = WalkyMark(parts[1], parts[2])
	case parts[0] == "wake" && len(parts) == 1:
		m = WakeMark()
	case len(parts) == 2:
		if build, known := ofOnePart[parts[0]]; known {
			m = build(parts[1])
		}
	}
	if m.IsZero() || m.text != text {
		return Mark{}, fmt.Errorf("%w: %q", ErrNoMark, Clean(text, MaxMarkPartBytes))
	}
	return m, nil
}

var ofOnePart = map[string]func(string) Mark{
	"webhook": WebhookMark, "schedule": ScheduleMark, PhoneDoor: PhoneMark, HookDoor: HookMark,
}

// Door returns the word for the door, such as "walky", or "" for no mark.
func (m Mark) Door() string {
	door, _, _ := strings.Cut(strings.Trim(m.text, "‹›"), ":")
	return door
}

// String returns the mark as it is shown; the empty string for no mark.
func (m Mark) String() string { return m.text }

// IsZero reports whether there is no mark.
func (m Mark) IsZero() bool { return m.text == "" }

// markPart leaves nothing in a part that separates parts or ends a mark. An
// empty part shows as "-".
func markPart(part string) string {
	part = NeutralizeMarks(Clean(part, MaxMarkPartBytes))
	part = strings.TrimSpace(strings.NewReplacer(":", "_", "\u2028", " ", "\u2029", " ").Replace(part))
	if part == "" {
		return "-"
	}
	return part
}

// Brackets that a person may take for those of a mark: what Unicode's
// confusables (UTS 39) list beside ‹ and ›, and the other angle brackets. Each
// opening one stands above its closing one.
const (
	opening = "\u2039\u02c2\u1438\u2329\u3008\u276c\u276e\u2770\u27e8\u29fc\ufe64\uff1c\u16b2\U0001d236"
	closing = "\u203a\u02c3\u1433\u232a\u3009\u276d\u276f\u2771\u27e9\u29fd\ufe65\uff1e\U00016f3f\U0001d237"
)

// NeutralizeMarks returns text with every bracket of a mark, and every bracket
// that looks like one, as plain "<" or ">". Text that somebody else wrote is
// shown only like this, so that ‹phone:me› inside it is no mark.
func NeutralizeMarks(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < 0x80:
			return c
		case strings.ContainsRune(opening, c):
			return '<'
		case strings.ContainsRune(closing, c):
			return '>'
		}
		return c
	}, text)
}
