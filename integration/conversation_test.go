package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/control"
)

// Two agents on two machines ask, answer and wait for each other with nothing but
// their command line. The agents are scripted ones, named as such.
func TestTwoAgentsOnTwoMachinesWaitForEachOthersAnswers(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	asks, answers := openObedientAgent(t, c.juno), openObedientAgent(t, c.iris)
	to := address(t, c.juno, "iris", answers.pane)

	// The one that answers waits first, without polling.
	got := filepath.Join(c.iris.Home, "got")
	answers.does("(collie walky inbox --wait --timeout 60s >" + got + ".part 2>&1; mv " + got + ".part " + got + ") &")
	if out := asks.does("collie walky send '" + to + "' 'is the build green?'"); !strings.HasSuffix(out, "exit 0\n") {
		t.Fatalf("sent:\n%s", out)
	}
	var letter string
	harness.Eventually(t, "the question is read", func() bool {
		data, err := os.ReadFile(got)
		letter = string(data)
		return err == nil
	})
	for _, want := range []string{"is the build green?", `‹walky:juno:` + asks.pane + `› trust="participant"`, `attested-by="atlas"`} {
		if !strings.Contains(letter, want) {
			t.Errorf("the question has no %q:\n%s", want, letter)
		}
	}
	id := regexp.MustCompile(` id="([0-9A-Z]{26})"`).FindStringSubmatch(letter)
	if id == nil {
		t.Fatalf("the question has no id:\n%s", letter)
	}

	back := filepath.Join(c.juno.Home, "back")
	asks.does("(collie walky inbox --wait --timeout 60s >" + back + ".part 2>&1; mv " + back + ".part " + back + ") &")
	if out := answers.does("collie walky reply " + id[1] + " 'yes, since ten'"); !strings.HasSuffix(out, "exit 0\n") {
		t.Fatalf("replied:\n%s", out)
	}
	harness.Eventually(t, "the answer is read", func() bool {
		data, err := os.ReadFile(back)
		return err == nil && strings.Contains(string(data), "yes, since ten") && strings.Contains(string(data), `reply-to="`+id[1]+`"`)
	})
	harness.Eventually(t, "both receipts say read", func() bool {
		return stateOf(c.juno, id[1]) == "read" && allRead(c.iris)
	})
	// What the operator sees of it, with its thread.
	if log := harness.JSON[[]control.WalkyEntry](c.lead, "walky", "log"); len(log) != 2 || log[0].Direction != "through" || log[1].State != "read" {
		t.Errorf("the lead's log is %+v", log)
	}
}

func allRead(m *harness.Machine) bool {
	for _, e := range harness.JSON[[]control.WalkyEntry](m, "walky", "log") {
		if e.State != "read" {
			return false
		}
	}
	return true
}
