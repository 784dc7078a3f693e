package node

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

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
