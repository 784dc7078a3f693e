package conformance

import (
	"testing"

	"collie/node/pane/draft"
)

// testDraft types half a line and lets go. Where persons type past the node, it is
// never sure that no line was begun.
func testDraft(t *testing.T, s *suite) {
	free := draft.Empty
	if s.mux.Capabilities().Shared {
		free = draft.Unknown
	}
	info := s.script(t, "cat")
	is := func(what string, want draft.Line) {
		t.Helper()
		modes, err := s.mux.Modes(t.Context(), info.ID)
		must(t, err)
		if modes.Line != want {
			t.Errorf("%s, the line is %q, want %q", what, modes.Line, want)
		}
	}
	again := func() {
		t.Helper()
		must(t, s.mux.Detach())
		s.mux = s.open(t)
	}
	is("when nothing was typed", free)
	must(t, s.mux.Input(t.Context(), info.ID, []byte("half a line")))
	is("when half of it was typed", draft.Begun)
	again()
	is("to the next node", draft.Begun)
	must(t, s.mux.Input(t.Context(), info.ID, []byte("\r")))
	is("when it was entered", free)
	s.shows(t, info.ID, "half a line\nhalf a line")
	again()
	is("to the one after that", free)
	must(t, s.mux.Paste(t.Context(), info.ID, "pasted"))
	again()
	is("when a text was pasted", draft.Begun)
}
