package tmux

import (
	"bytes"
	"strconv"
)

// A line is one line that a control client wrote, as far as anybody needs it.
type line struct {
	kind kind
	// block is the number of a reply's begin and end; own says that it answers a
	// command of this client.
	block uint64
	own   bool
	// pane and data are an output's.
	pane string
	data []byte
	// sessions says that a session came or went.
	sessions bool
	// session is the id in a change of this client's session.
	session string
}

type kind int

const (
	other    kind = iota // of no interest
	begin                // a reply begins
	end                  // it is done
	failed               // it is a refusal
	output               // a pane wrote
	paused               // tmux has paused a pane
	attached             // this client shows another session
	changed              // something in the tree of sessions, windows and panes
	exit                 // the client ends
)

// changes are the notices after which the tree is read again.
var changes = map[string]bool{
	"%sessions-changed": true, "%session-renamed": true, "%session-window-changed": true, "%client-session-changed": true,
	"%client-detached": true, "%window-add": true, "%window-close": true, "%window-renamed": true, "%window-pane-changed": true,
	"%unlinked-window-add": true, "%unlinked-window-close": true, "%unlinked-window-renamed": true, "%layout-change": true,
	"%pane-mode-changed": true, "%subscription-changed": true,
}

// parse reads a line. Text that only looks like a notice stands inside a reply,
// where only the end of that very reply counts.
func parse(text []byte) line {
	name, rest, _ := bytes.Cut(text, []byte(" "))
	switch string(name) {
	case "%begin", "%end", "%error":
		fields := bytes.Fields(rest)
		if len(fields) != 3 {
			return line{}
		}
		number, err := strconv.ParseUint(string(fields[1]), 10, 64)
		if err != nil {
			return line{}
		}
		l := line{kind: begin, block: number, own: string(fields[2]) == "1"}
		if string(name) == "%end" {
			l.kind = end
		} else if string(name) == "%error" {
			l.kind = failed
		}
		return l
	case "%output":
		pane, data, found := bytes.Cut(rest, []byte(" "))
		if found && isPane(pane) {
			return line{kind: output, pane: string(pane), data: unescape(data)}
		}
	case "%extended-output":
		head, data, found := bytes.Cut(rest, []byte(" : "))
		pane, _, _ := bytes.Cut(head, []byte(" "))
		if found && isPane(pane) {
			return line{kind: output, pane: string(pane), data: unescape(data)}
		}
	case "%pause":
		if isPane(rest) {
			return line{kind: paused, pane: string(rest)}
		}
	case "%session-changed":
		session, _, _ := bytes.Cut(rest, []byte(" "))
		return line{kind: attached, session: string(session)}
	case "%exit":
		return line{kind: exit}
	}
	if changes[string(name)] {
		return line{kind: changed, sessions: string(name) == "%sessions-changed"}
	}
	return line{}
}

func isPane(id []byte) bool { return isID(string(id), '%') }

// isID checks an id as tmux makes them: a sign and a number.
func isID(id string, sign byte) bool {
	if len(id) < 2 || len(id) > 12 || id[0] != sign {
		return false
	}
	for i := 1; i < len(id); i++ {
		if id[i] < '0' || id[i] > '9' {
			return false
		}
	}
	return true
}
