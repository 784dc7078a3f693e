package node

import (
	"errors"
	"fmt"
	"testing"

	"collie/node/pane"
)

// oneAfterAnother has one pane at a time, each with another program.
type oneAfterAnother struct {
	pane.Multiplexer // nothing else is asked
	info             pane.Info
}

func (o *oneAfterAnother) List() []pane.Info { return []pane.Info{o.info} }

func (o *oneAfterAnother) Get(id pane.ID) (pane.Info, error) {
	if id != o.info.ID {
		return pane.Info{}, pane.ErrNotFound
	}
	return o.info, nil
}

func TestPanesThatAreGoneTakeNoRoomAndLeaveNothingToTheNext(t *testing.T) {
	t.Parallel()
	panes := &oneAfterAnother{}
	turns := newTurns(panes)
	for i := range maxWriters + 10 {
		panes.info = pane.Info{ID: "%0", Instance: fmt.Sprint(i)} // the id is given out again
		w, done, err := turns.take(t.Context(), "%0")
		if err != nil {
			t.Fatalf("pane %d: %v", i, err)
		}
		if w.unread {
			t.Fatalf("pane %d has what is known of the one before", i)
		}
		w.unread = true
		done()
	}
	if len(turns.writers) > maxWriters {
		t.Errorf("%d are remembered", len(turns.writers))
	}
	if _, _, err := turns.take(t.Context(), "%1"); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("a pane that is not there: %v", err)
	}
}
