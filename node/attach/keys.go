package attach

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"collie/node/pane"
)

// DefaultDetach lets go of a pane: Ctrl+\ twice. One alone is sent on, together
// with the key that follows it.
const DefaultDetach = `Ctrl+\,Ctrl+\`

// ErrDetachKeys refuses keys that could not let go of a pane.
var ErrDetachKeys = errors.New("these keys cannot detach")

// A Detach finds the keys that let go of a pane in what is typed. It holds back
// what may be their beginning until the next key says.
type Detach struct {
	wanted []byte
	held   []byte
}

// NewDetach reads keys in the form of collie pane keys, with commas between.
func NewDetach(keys string) (*Detach, error) {
	names := strings.Split(keys, ",")
	wanted, err := pane.EncodeKeys(names, pane.Modes{})
	switch {
	case keys == "":
		return nil, fmt.Errorf("%w: there is none", ErrDetachKeys)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDetachKeys, err)
	case len(names) > maxDetachKeys || len(wanted) > maxDetachBytes:
		return nil, fmt.Errorf("%w: at most %d keys", ErrDetachKeys, maxDetachKeys)
	}
	return &Detach{wanted: wanted}, nil
}

// Feed takes what was typed and returns what is to be sent, and whether the
// person wants to let go. What was typed after that is dropped.
func (d *Detach) Feed(typed []byte) (send []byte, detach bool) {
	for _, b := range typed {
		d.held = append(d.held, b)
		for !bytes.HasPrefix(d.wanted, d.held) {
			send = append(send, d.held[0])
			d.held = d.held[1:]
		}
		if len(d.held) == len(d.wanted) {
			return send, true
		}
	}
	return send, false
}
