package pane_test

import (
	"math"
	"os"
	"testing"
	"time"

	"collie/node/caller"
	"collie/node/pane"
)

func isOver(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	default:
		return false
	}
}

func TestAnOpeningIsWaitedForByWhatMayBeOfIt(t *testing.T) {
	t.Parallel()
	self, err := caller.Proc{}.Process(os.Getpid())
	must(t, err)
	var openings pane.Openings
	if openings.Over(math.MaxUint64) != nil {
		t.Error("there is an opening before the first one")
	}
	for now := time.Now(); caller.TicksAt(now, now) <= self.StartTime; now = time.Now() { // this process began before it
		time.Sleep(time.Millisecond)
	}
	ends := openings.Begin()
	if openings.Over(self.StartTime) != nil {
		t.Error("what began before a pane is opened waits for it")
	}
	over := openings.Over(math.MaxUint64)
	if over == nil || isOver(over) {
		t.Fatal("what began later does not wait")
	}
	endsOther := openings.Begin()
	ends()
	ends()
	if !isOver(over) {
		t.Error("the end of an opening is not told")
	}
	if over = openings.Over(math.MaxUint64); over == nil || isOver(over) {
		t.Error("the other opening is not waited for")
	}
	endsOther()
	if openings.Over(math.MaxUint64) != nil {
		t.Error("an opening that is over is waited for")
	}
}
