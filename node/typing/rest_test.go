package typing

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
		y := &Typist{Panes: kept{shared: true}, Look: func(ctx context.Context, _ pane.ID) (status.Sight, error) {
			<-ctx.Done()
			return status.Sight{}, ctx.Err()
		}}
		if err := y.Rest(t.Context(), "p1", &Line{}); !errors.Is(err, ErrNotSeen) {
			t.Errorf("%v, want ErrNotSeen", err)
		}
	})
}

// kept is panes of which only what keeps them is asked.
type kept struct {
	Panes
	shared bool
}

func (k kept) Capabilities() pane.Capabilities { return pane.Capabilities{Shared: k.shared} }

// Only an Enter of a moment ago is waited for, or one that nobody can know of.
func TestALineIsWaitedForOnlyWhenAnEnterMayBeOnItsWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, shared := &Typist{Panes: kept{}}, &Typist{Panes: kept{shared: true}}
		line := &Line{}
		if own.restless(line) || !shared.restless(line) {
			t.Errorf("before any Enter: %v and %v, want false and true", own.restless(line), shared.restless(line))
		}
		line.Pressed(true)
		if !own.restless(line) {
			t.Error("an Enter of this moment is not waited for")
		}
		time.Sleep(rested)
		if own.restless(line) {
			t.Error("an Enter is waited for after it has been taken")
		}
	})
}
