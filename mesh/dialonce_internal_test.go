package mesh

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/identity"
)

func TestADialThatIsGivenUpIsTakenOverByWhoeverWaitsForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var d dials
		var peer identity.Fingerprint
		ctx, giveUp := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			err := d.once(ctx, peer, func() error { <-ctx.Done(); return ctx.Err() })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("who gave up: %v", err)
			}
		})
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.once(impatient, peer, func() error { t.Error("there are two dials"); return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who waits no longer: %v", err)
		}
		failed := errors.New("nobody answers")
		group.Go(func() {
			if err := d.once(t.Context(), peer, func() error { return failed }); !errors.Is(err, failed) {
				t.Errorf("who waited: %v", err)
			}
		})
		synctest.Wait()
		giveUp()
		group.Wait()
	})
}
