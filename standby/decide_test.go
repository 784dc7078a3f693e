package standby_test

import (
	"testing"

	"collie/standby"
)

func TestACallOfTheLeadCancelsATapUntilTheDecision(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	audit := juno.standby.Audit
	juno.standby.Audit = func(e standby.Entry) error { // the last step before it
		juno.standby.Heard(w.nodes["atlas"].fp(), 2)
		return audit(e)
	}
	before := w.snapshot()
	_, err := juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "the tap", err, standby.ErrLeadAlive)
	w.unchanged("the tap", before)
}
