package node

import (
	"fmt"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

func TestWhatWasToldOfManyPanesForgetsNoneThatIsThere(t *testing.T) {
	t.Parallel()
	var s sessions
	there := func(id pane.ID) bool { return id == "p1" || id == "p2" }
	s.tell("p1", toldSession{7, "claude.7.1", "one"}, there)
	for i := range 5 * api.MaxPanes {
		s.tell(pane.ID(fmt.Sprint("gone", i)), toldSession{i, "claude", "another"}, there)
	}
	s.tell("p2", toldSession{8, "claude.8.1", "two"}, there)
	if got := s.of("p1", 7).Session + " " + s.of("p2", 8).Session; got != "one two" {
		t.Errorf("the sessions are %q", got)
	}
	if len(s.told) > 2*api.MaxPanes {
		t.Errorf("%d are kept", len(s.told))
	}
	if got := s.of("p1", 9).Session + s.running("p1", "claude.9.1"); got != "" {
		t.Errorf("another process in the pane has %q", got)
	}
	if got := s.running("p1", "claude.7.1"); got != "one" {
		t.Errorf("the run of the program has %q", got)
	}
}
