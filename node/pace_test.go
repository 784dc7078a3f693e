package node

import (
	"fmt"
	"testing"
	"time"
)

func TestAPaneThatAsksTooOftenIsRefusedAndNoOtherOne(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range paceBurst {
		if !p.allow("p1", now) {
			t.Fatalf("refused after %d", i)
		}
	}
	if p.allow("p1", now.Add(paceEvery-time.Millisecond)) {
		t.Error("one more than the burst was let through")
	}
	if !p.allow("p2", now) || !p.allow("", now) {
		t.Error("another pane was refused")
	}
	if !p.allow("p1", now.Add(paceEvery)) || p.allow("p1", now.Add(paceEvery)) {
		t.Error("after a while it is not one more")
	}
}

func TestPanesThatHaveRestedAreNotKeptCountOf(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range 10 * maxPaced {
		p.allow(fmt.Sprint("p", i), now)
		now = now.Add(paceEvery)
	}
	if len(p.panes) > maxPaced {
		t.Errorf("count is kept of %d panes", len(p.panes))
	}
}
