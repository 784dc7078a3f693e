// Package api is what a node says over HTTP: the types of the phone's API, the
// Machine that answers it, one set of handlers, and the client that makes a
// machine at the other end of a crew link look like the one here.
//
// The same handlers serve the phone and the crew link. Nothing is passed
// through: a request is parsed into these types, handed to a Machine, and its
// answer written anew. So a member's answer reaches a phone only as what the
// lead understood of it: within the limits below, and with no sentence of its
// own in a refusal.
package api

import (
	"collie/node/grid"
	"collie/node/walky"
)

// A Snapshot is the herd at one moment. On a solo node Machines and every Host
// are left out.
type Snapshot struct {
	At         int64         `json:"at"` // epoch milliseconds, this node's clock
	Mode       string        `json:"mode"`
	Machines   []MachineInfo `json:"machines,omitempty"`
	Workspaces []Workspace   `json:"workspaces"`
	Tabs       []Tab         `json:"tabs"`
	Panes      []PaneInfo    `json:"panes"`
	Standby    *Standby      `json:"standby,omitempty"` // nil while nobody stands by with a door
	// Trouble is why the panes of the machine that answers cannot be reached; of a
	// crew it stands with each machine.
	Trouble string `json:"trouble,omitempty"`
}

// Standby is where a phone may go once the lead is silent: the standby door of
// the machine that may take its place.
type Standby struct {
	Machine string `json:"machine"` // its label
	URL     string `json:"url"`     // of the door: https, or http to a loopback name, without a path
}

// MachineInfo is a machine as the lead sees it.
type MachineInfo struct {
	ID         string `json:"id"`
	Label      string `json:"label"`
	Lead       bool   `json:"lead"`
	State      string `json:"state"` // reachable, unreachable, incompatible, conflicted, unenrolled
	Hint       string `json:"hint"`  // reconnecting, attention, or empty
	Reason     string `json:"reason,omitempty"`
	Trouble    string `json:"trouble,omitempty"` // it answers, and its panes cannot be reached: why
	LastSeenAt int64  `json:"lastSeenAt"`        // 0 when never
	Stale      bool   `json:"stale"`             // what is shown of it is its last good copy
	RTTMs      int64  `json:"rttMs"`
	Build      string `json:"build"`
}

// Workspace groups tabs that belong together.
type Workspace struct {
	ID    string `json:"id"`
	Host  string `json:"host,omitempty"`
	Label string `json:"label"`
	Cwd   string `json:"cwd"`
}

// Tab groups panes that are seen together.
type Tab struct {
	ID        string `json:"id"`
	Host      string `json:"host,omitempty"`
	Workspace string `json:"workspace"`
	Label     string `json:"label"`
	Index     int    `json:"index"`
}

// PaneInfo is one pane in the herd.
type PaneInfo struct {
	ID        string `json:"id"`
	Host      string `json:"host,omitempty"`
	Workspace string `json:"workspace"`
	Tab       string `json:"tab"`
	Index     int    `json:"index"`
	Title     string `json:"title" mask:"title"`
	Label     string `json:"label"`
	Harness   string `json:"harness"`
	// Command is what was started in the pane, on one line.
	Command string `json:"command,omitempty"`
	Status  string `json:"status"` // working, blocked, idle, done, shell, unknown
	Why     string `json:"why"`    // the status is believed, as one clause
	Source  string `json:"source"` // of that: hook, log, screen, process
	// WhyTrust and WhyMark say whose word that is, when a hook of the program told.
	WhyTrust string `json:"whyTrust,omitempty"`
	WhyMark  string `json:"whyMark,omitempty"`
	// Program names the run of the program that has the pane, so that what is
	// typed for it reaches no other.
	Program string `json:"program"`
	Since   int64  `json:"since"` // epoch milliseconds
	// ExitCode is the program's once it has ended: -1 where nobody tells.
	ExitCode *int   `json:"exitCode"`
	Cols     int    `json:"cols"`
	Rows     int    `json:"rows"`
	NeedsYou bool   `json:"needsYou"`
	Cards    []Card `json:"cards"`
	Masked   bool   `json:"masked"`
	// Token names the instance of an agent session in its walky address.
	Token string `json:"token,omitempty"`
}

// A Card is something in a pane that a person may want to look at: a walky
// message that the pane has not read, or a question that its program asks.
type Card struct {
	Kind string `json:"kind"` // walky, prompt
	// ID of a question covers what it asks and what about: another command is
	// another card.
	ID     string  `json:"id"`
	From   string  `json:"from"`
	At     int64   `json:"at"`
	Prompt *Prompt `json:"prompt,omitempty"`
	// Held says that an agent's hook waits for the answer: no key is pressed.
	Held bool `json:"held,omitempty"`
	// Trust and Mark say through which door the words of a held question came.
	Trust string `json:"trust,omitempty"`
	Mark  string `json:"mark,omitempty"`
}

// A Change names what is new or different in the herd since the event before.
type Change struct {
	At         int64         `json:"at"`
	Machines   []MachineInfo `json:"machines,omitempty"`
	Workspaces []Workspace   `json:"workspaces,omitempty"`
	Tabs       []Tab         `json:"tabs,omitempty"`
	Panes      []PaneInfo    `json:"panes,omitempty"`
	Trouble    *string       `json:"trouble,omitempty"` // empty: it is over
	Standby    *Standby      `json:"standby,omitempty"` // with no URL: nobody stands by any more
}

// Gone names what has left the herd.
type Gone struct {
	At         int64    `json:"at"`
	Machines   []string `json:"machines,omitempty"`
	Workspaces []Ref    `json:"workspaces,omitempty"`
	Tabs       []Ref    `json:"tabs,omitempty"`
	Panes      []Ref    `json:"panes,omitempty"`
}

// A Ref names an object of a machine.
type Ref struct {
	ID   string `json:"id"`
	Host string `json:"host,omitempty"`
}

// Pane is one pane's screen.
type Pane struct {
	ID   string `json:"id"`
	Host string `json:"host,omitempty"`
	grid.Frame
}

// History is a piece of a pane's scrollback, oldest row first.
type History struct {
	From  int        `json:"from"`
	Total int        `json:"total"`
	Rows  []grid.Row `json:"rows"`
	// Above and Below are the rows around it that a mask has to read with it. A
	// phone never gets them.
	Above []grid.Row `json:"above,omitempty"`
	Below []grid.Row `json:"below,omitempty"`
}

// Check refuses an answer that no honest machine gives to a question for count
// rows.
func (h *History) Check(count int) error {
	if h.From < 0 || h.Total < 0 || len(h.Rows) > count || len(h.Above) > grid.MaxAbove || len(h.Below) > grid.MaxAbove {
		return ErrHostAnswer
	}
	for _, rows := range [][]grid.Row{h.Above, h.Rows, h.Below} {
		if grid.CheckRows(rows) != nil {
			return ErrHostAnswer
		}
	}
	return nil
}

// Reply is text for a pane's input.
type Reply struct {
	Text   string `json:"text"`
	Submit bool   `json:"submit"`
	// Screen is that of the frame that the person saw; only the command line, which
	// shows none, may leave it out.
	Screen string `json:"screen"`
	// Discard empties the input instead: what was typed there and not submitted.
	Discard bool `json:"discard,omitempty"`
}

// Replied says how far a reply went.
type Replied struct {
	TextDelivered bool `json:"textDelivered"`
	Submitted     bool `json:"submitted"`
	// Lines is how many lines of a text were sent when the rest was not.
	Lines int `json:"lines,omitempty"`
}

// Keys are named keys and characters, in order.
type Keys struct {
	Keys   []string `json:"keys"`
	Typed  bool     `json:"typed,omitempty"`  // typed by hand: never in the audit log
	Client string   `json:"client,omitempty"` // one page's random id
	N      uint64   `json:"n,omitempty"`      // its count; a repeat is harmless
	// Program is the run of the program that they are meant for; another one
	// gets none of them. Typed keys that name none are for the one that had the pane
	// at the page's first; named keys are a person's tap on what they see.
	Program string `json:"program,omitempty"`
}

// Done is the answer of a write that has nothing else to say.
type Done struct {
	OK bool `json:"ok"`
}

// Rename is a new label for a pane; the empty one takes the label away.
type Rename struct {
	Label string `json:"label"`
}

// WalkySend is a message from the phone to a session.
type WalkySend struct {
	To      string `json:"to"`
	Body    string `json:"body"`
	ReplyTo string `json:"replyTo,omitempty"`
}

// WalkySent is what became of it so far.
type WalkySent struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// WalkyMessage is a message in the journal of the machine that answers.
type WalkyMessage struct {
	ID        string `json:"id"`
	Direction string `json:"direction"` // in, out, through
	From      string `json:"from"`
	FromLabel string `json:"fromLabel"`
	To        string `json:"to"`
	At        int64  `json:"at"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
	Trust     string `json:"trust"`
	Mark      string `json:"mark"`
	ReplyTo   string `json:"replyTo"`
	Body      string `json:"body" mask:"walky"`
	Masked    bool   `json:"masked"`
}

// WalkyPeers are the sessions that a member may write to on other machines.
type WalkyPeers struct {
	Peers []walky.Peer `json:"peers"`
}

// Walky is what GET walky answers.
type Walky struct {
	Messages []WalkyMessage `json:"messages"`
}

// An Event is one of the herd stream's: exactly one field is set. A Receipt is
// news of a message that came over the link; a member reports it to its lead,
// and no phone ever gets one.
type Event struct {
	Snapshot *Snapshot
	Change   *Change
	Gone     *Gone
	Receipt  *walky.Receipt
}
