package standby_test

import (
	"testing"
	"time"

	"collie/standby"
)

// Every member finds its lead silent at the same moment.
func TestMembersDialTheDeputyAtDifferentMomentsWithinABeat(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	iris, juno := w.nodes["iris"], w.nodes["juno"]
	drawn := map[time.Duration]bool{}
	for range 32 {
		wait := standby.Jitter(iris.standby, juno.fp())
		if wait < 0 || wait >= beat {
			t.Errorf("it waits %v", wait)
		}
		drawn[wait] = true
	}
	if len(drawn) < 8 {
		t.Errorf("of 32 waits %d are different", len(drawn))
	}
	if wait := standby.Jitter(juno.standby, iris.fp()); wait != 0 {
		t.Errorf("the deputy waits %v before it asks a witness", wait)
	}
}
