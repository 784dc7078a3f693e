package node

import (
	"errors"
	"fmt"
	"testing"

	"collie/node/pane"
)

// oneAfterAnother has one pane at a time, each with another program.
type oneAfterAnother struct {
	screens // nothing else is asked
	info    pane.Info
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
	in := newInput(panes, nil)
	for i := range maxWriters + 10 {
		panes.info = pane.Info{ID: "%0", Instance: fmt.Sprint(i)} // the id is given out again
		w, done, err := in.take(t.Context(), "%0")
		if err != nil {
			t.Fatalf("pane %d: %v", i, err)
		}
		if w.draft {
			t.Fatalf("pane %d has the draft of the one before", i)
		}
		w.draft = true
		done()
	}
	if len(in.writers) > maxWriters {
		t.Errorf("%d are remembered", len(in.writers))
	}
	if _, _, err := in.take(t.Context(), "%1"); !errors.Is(err, pane.ErrNotFound) {
		t.Errorf("a pane that is not there: %v", err)
	}
}

func TestTextHasAppearedOnlyWhenAllOfItCameIntoTheLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, now, text string
		want              bool
	}{
		{"$ ", "$ make test", "make test", true},
		{"$ ", "$ make te", "make test", false},
		{"$ make test", "$ make test", "make test", false}, // it was there before
		{"Deploy", "Deploy", "y", false},
		{"Deploy [y/n] ", "Deploy [y/n] y", "y", true},
		{"", "make testready> ", "make test", true}, // a prompt came behind what was typed ahead
		{"ready> ", "ready> 漢字 仮名", "漢字仮名", true},
		{"> ", "> last", "first\nlast", true},
		{"> ", "> ", "line\n", true}, // its last line is empty
	} {
		if got := appeared(c.before, c.now, c.text); got != c.want {
			t.Errorf("%q, then %q: %q appeared is %t, want %t", c.before, c.now, c.text, got, c.want)
		}
	}
}
