package typing

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/status"
)

// full is a pane whose program takes no input once it was looked at.
type full struct{ *swapping }

func (f full) PasteIf(_ context.Context, _ pane.ID, _ string, still func() error) error {
	return errors.Join(still(), pane.ErrInputFull)
}

func TestATextIsToldOfOnlyWhenItIsTyped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paste string
		full  bool
		told  string
		want  error
	}{
		"it is typed":             {told: "half yes"},
		"a menu comes before it":  {paste: "Delete it?\n❯ 1. Yes\n  2. No\n▮", want: api.ErrDialogOpen},
		"the question is another": {paste: "host prod\nConnect? ▮", want: api.ErrScreenChanged},
		"the program takes none":  {full: true, told: "half yes, withdrawn", want: pane.ErrInputFull},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &swapping{shows: "host staging\nConnect? ▮", paste: c.paste}
				panes := Panes(s)
				if c.full {
					panes = full{s}
				}
				told := ""
				text := &Text{
					By: &Typist{Panes: panes, Look: s.look, Log: slog.New(slog.DiscardHandler)}, Line: &Line{held: new("half ")},
					Saw: func(status.Sight) error { return nil },
					Holds: func(whole string, _ bool) (withdraw func()) {
						if s.typed != "" {
							t.Errorf("%q was typed before", s.typed)
						}
						told += whole
						return func() { told += ", withdrawn" }
					},
				}
				if _, err := text.Type(t.Context(), "yes", true); !errors.Is(err, c.want) || told != c.told {
					t.Errorf("told of %q, %v; want %q, %v", told, err, c.told, c.want)
				}
			})
		})
	}
}
