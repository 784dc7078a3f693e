package typing

import (
	"errors"
	"log/slog"
	"testing"

	"collie/node/api"
	"collie/node/status"
)

func TestARefusedDiscardLeavesWhatIsKnownOfTheLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moves string
		stays bool
		want  error
	}{
		"it is erased":  {stays: false},
		"it is refused": {moves: "host prod\nConnect? yes▮", stays: true, want: api.ErrScreenChanged},
	} {
		s := &swapping{shows: "host staging\nConnect? yes▮"}
		text := &Text{
			By: &Typist{Panes: s, Look: s.look, Log: slog.New(slog.DiscardHandler)}, Line: &Line{stays: true, held: new("yes")},
			Saw: func(status.Sight) error { return nil },
		}
		if err := text.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := text.Erase(t.Context(), func(_ string, still func() error) error {
			if c.moves != "" {
				s.shows = c.moves
			}
			return still()
		})
		if !errors.Is(err, c.want) || text.Line.stays != c.stays || (text.Line.held != nil) != c.stays {
			t.Errorf("%s: %v, and of the line is known %+v", name, err, *text.Line)
		}
	}
}
