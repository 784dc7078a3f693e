// Package chat reads what a person and an agent said to each other from the log
// that the agent's program, the harness, writes on this machine.
//
// A log is somebody else's file in somebody else's format, and is written to
// while it is read. So a Log reads what was appended since it looked last, takes
// whole lines only, and turns them into turns by the format's own rules: a line
// that came torn is read when its rest is there, one that cannot be read is
// skipped and counted, and a file that was replaced or cut is read anew. Nothing
// is polled: a log is read when somebody asks.
//
// Which log belongs to a pane is found from the pane's process alone (Find). A
// name that a client or an agent says is never a path.
//
// Bounds are in limits.go. What comes out is not masked.
package chat

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Who says a turn.
type Who string

// A person's words are text; an agent's are Markdown.
const (
	Person Who = "person"
	Agent  Who = "agent"
)

// A Turn is what one side said, and what an agent did meanwhile.
type Turn struct {
	ID     string // opaque, unique in its log
	At     time.Time
	Who    Who
	Text   string
	Tools  []Tool
	Images []Image
	Cut    bool // something was too long to be kept whole
}

// A Tool is one call of a tool.
type Tool struct {
	Name    string
	Subject string // the command, the file, whatever it is about
	Result  string
	State   State
	Cut     bool

	id string // by which its result is told
}

// A State says how far a tool came.
type State string

// The states.
const (
	Running State = "running" // or it was never said how it ended
	Done    State = "done"
	Failed  State = "failed"
)

// An Image is a picture in a log, named by its content.
type Image struct {
	Hash string // SHA-256 of its bytes, in hex, its first 32 digits
	Type string // image/png, image/jpeg, image/gif or image/webp

	at int64 // where its line begins in the log
}

// A Page is a piece of a log, the newest turn first.
type Page struct {
	Turns []Turn
	// More says that there are older turns.
	More bool
	// Skipped counts the lines that could not be read, and Cut says that the
	// log's beginning was left out because it is too long.
	Skipped int
	Cut     bool
}

// shorten cuts a text on a whole character and reports whether it had to.
func shorten(text string, most int) (string, bool) {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= most {
		return text, false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return strings.Clone(text[:most]), true
}
