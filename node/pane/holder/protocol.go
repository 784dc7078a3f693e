package holder

import (
	"fmt"
	"time"

	"collie/node/grid"
	"collie/node/pane/view"
)

// The roles of a connection.
const (
	roleControl = "control" // requests and their answers in order, states between them
	roleWatch   = "watch"   // frames, each after the one before was seen
)

// hello is what a node says first.
type hello struct {
	Oldest int    `json:"oldest"`
	Newest int    `json:"newest"`
	Role   string `json:"role"`
}

// welcome is the holder's answer: the number that both will speak, and the pane.
type welcome struct {
	Protocol int   `json:"protocol"`
	Pane     Pane  `json:"pane"`
	State    State `json:"state"`
}

// agree returns the newest protocol number that both sides speak.
func (h hello) agree() (int, error) {
	number := min(h.Newest, newestProtocol)
	if number < max(h.Oldest, oldestProtocol) {
		return 0, &Refusal{Code: ErrProtocol.Code, Message: fmt.Sprintf(
			"the node speaks pane protocol %d to %d, this pane's holder %d to %d",
			h.Oldest, h.Newest, oldestProtocol, newestProtocol)}
	}
	return number, nil
}

// A Pane is what stays the same for a pane's whole life.
type Pane struct {
	ID               string    `json:"id"`
	Harness          string    `json:"harness"`
	OpenedByOperator bool      `json:"openedByOperator"`
	Command          []string  `json:"command"`
	Cwd              string    `json:"cwd"`
	PID              int       `json:"pid"` // of the program
	StartedAt        time.Time `json:"startedAt"`
}

// A State is what changes of a pane besides its screen.
type State struct {
	Label string `json:"label"`
	// Workspace is the operator's word for the workspace that the pane is in.
	Workspace string `json:"workspace,omitempty"`
	// Tab is that for the tab, in which the pane is alone.
	Tab   string `json:"tab,omitempty"`
	Title string `json:"title"`
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	// ActiveAt is when the program wrote something, up to 5 s ago.
	ActiveAt time.Time `json:"activeAt"`
	// Exited is the program's exit code once it ended; 128 and the number of
	// the signal that ended it.
	Exited   *int      `json:"exited,omitempty"`
	ExitedAt time.Time `json:"exitedAt"`
	// Lingering says that the pane was closed, and that processes which left
	// its session still run.
	Lingering bool `json:"lingering"`
}

// Modes are what the program has asked its terminal for.
type Modes = view.Modes

type size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

func (s size) check() error {
	if s.Cols < 1 || s.Cols > grid.MaxCols || s.Rows < 1 || s.Rows > grid.MaxRows {
		return &Refusal{Code: ErrSize.Code, Message: fmt.Sprintf("a screen of %d by %d cells is not possible", s.Cols, s.Rows)}
	}
	return nil
}

type rename struct {
	Label string `json:"label"`
}

type historyRange struct {
	From  int `json:"from"`
	Count int `json:"count"`
}

// History is a piece of a scrollback.
type History = view.History

// A Refusal is a holder's "no". Two are the same to errors.Is when their codes are.
type Refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *Refusal) Error() string { return r.Message }

// Is compares codes.
func (r *Refusal) Is(target error) bool {
	other, ok := target.(*Refusal)
	return ok && other.Code == r.Code
}

// Refusals of a holder.
var (
	ErrProtocol = &Refusal{"protocol", "the node and this pane's holder have no protocol in common"}
	ErrRequest  = &Refusal{"request", "the pane's holder does not know this request"}
	ErrNotNode  = &Refusal{"not_node", "the holder of a pane answers its node alone: ask that"}
	ErrBusy     = &Refusal{"busy", "the pane's holder serves too many connections"}
	ErrStart    = &Refusal{"start", "the program could not be started"}
	ErrSize     = &Refusal{"size", "this screen size is not possible"}
	ErrLabel    = &Refusal{"label", "this label is not possible"}
	ErrInput    = &Refusal{"input", "this is too much input at once"}
	ErrFull     = &Refusal{"full", "the program does not read its input and no more is queued"}
	ErrEnded    = &Refusal{"ended", "the program has ended"}
	ErrFailed   = &Refusal{"failed", "the pane's holder could not do it"}
)
