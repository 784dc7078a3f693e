package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/pane"
	"collie/node/status"
)

// A message that finds no rest waits; it is not refused because the time ran out in
// the middle of a look.
func TestALineThatIsLookedAtForTooLongDoesNotRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := &input{look: func(ctx context.Context, _ pane.ID) (status.Sight, error) {
			<-ctx.Done()
			return status.Sight{}, ctx.Err()
		}}
		if err := in.rests(t.Context(), "p1"); !errors.Is(err, errNotSeen) {
			t.Errorf("%v, want errNotSeen", err)
		}
	})
}

// kept is panes of which only what keeps them is asked.
type kept struct {
	screens
	shared bool
}

func (k kept) Capabilities() pane.Capabilities { return pane.Capabilities{Shared: k.shared} }

// Only an Enter of a moment ago is waited for, or one that nobody can know of.
func TestALineIsWaitedForOnlyWhenAnEnterMayBeOnItsWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, shared := &input{panes: kept{}}, &input{panes: kept{shared: true}}
		w := &writer{}
		if own.restless(w) || !shared.restless(w) {
			t.Errorf("before any Enter: %v and %v, want false and true", own.restless(w), shared.restless(w))
		}
		w.emptied = time.Now()
		if !own.restless(w) {
			t.Error("an Enter of this moment is not waited for")
		}
		time.Sleep(rested)
		if own.restless(w) {
			t.Error("an Enter is waited for after it has been taken")
		}
	})
}
