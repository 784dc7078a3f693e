package holder

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"collie/node/pane/origin"
)

// A Spec is everything that a holder needs to know to start. It travels through
// a pipe, never through arguments or the environment, which others can read.
type Spec struct {
	ID               string   `json:"id"`
	Dir              string   `json:"dir"` // the panes folder
	Label            string   `json:"label"`
	Workspace        string   `json:"workspace,omitempty"` // its label
	Harness          string   `json:"harness"`
	OpenedByOperator bool     `json:"openedByOperator"`
	Command          []string `json:"command"`
	Env              []string `json:"env"` // the program's whole environment
	Cwd              string   `json:"cwd"`
	Cols             int      `json:"cols"`
	Rows             int      `json:"rows"`
	Scrollback       int      `json:"scrollback"` // lines
	// ExitKept is how long the exit of the program and its last screen are kept
	// for a node that closes the pane; at most MaxExitKept.
	ExitKept time.Duration `json:"exitKept"`
	// Origin is what the node was started with; the program gets it back.
	Origin origin.Origin `json:"origin"`
}

// CheckLabel refuses a label that could not stand on one line.
func CheckLabel(label string) error {
	if len(label) > MaxLabelBytes || !utf8.ValidString(label) {
		return &Refusal{Code: ErrLabel.Code, Message: fmt.Sprintf("a label is at most %d bytes of UTF-8", MaxLabelBytes)}
	}
	for _, r := range label {
		if !unicode.IsPrint(r) {
			return &Refusal{Code: ErrLabel.Code, Message: fmt.Sprintf("a label cannot hold %U", r)}
		}
	}
	return nil
}
