package typing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
)

// swapping is a pane that shows something else as soon as a text, or an Enter, is on
// its way there.
type swapping struct {
	Panes
	shows, paste, enter string
	typed               string
}

func (s *swapping) Get(pane.ID) (pane.Info, error) { return pane.Info{}, nil }

func (s *swapping) Capabilities() pane.Capabilities { return pane.Capabilities{PasteKnown: true} }

func (s *swapping) Modes(context.Context, pane.ID) (pane.Modes, error) { return pane.Modes{}, nil }

func (s *swapping) Watch(ctx context.Context, _ pane.ID, send func(grid.Frame) error) error {
	for last := ""; last != s.shows; {
		last = s.shows
		if err := send(s.frame()); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s *swapping) PasteIf(_ context.Context, _ pane.ID, text string, still func() error) error {
	if s.paste != "" {
		s.shows = s.paste
	}
	if err := still(); err != nil {
		return err
	}
	s.typed += text
	s.shows = strings.Replace(s.shows, "▮", text+"▮", 1)
	return nil
}

func (s *swapping) InputIf(_ context.Context, _ pane.ID, data []byte, still func() error) error {
	if s.enter != "" {
		s.shows = s.enter
	}
	if err := still(); err != nil {
		return err
	}
	s.typed += string(data)
	s.shows = strings.Replace(s.shows, "▮", "\n> ▮", 1)
	return nil
}

func (s *swapping) frame() grid.Frame {
	p := picture(s.shows)
	f := grid.Frame{Cols: 80, Rows: len(p.rows), Cursor: p.cursor}
	for i, row := range p.rows {
		f.Lines = append(f.Lines, grid.Line{I: i, Row: row})
	}
	return f
}

func (s *swapping) look(context.Context, pane.ID) (status.Sight, error) {
	a, f := harness.Builtin().Named("agent"), s.frame()
	return status.Sight{
		Front: status.Front{Adapter: a, Program: "agent"}, Frame: f,
		Reading: a.Read(harness.Screen{Rows: f.Whole(), Cols: f.Cols, Cursor: f.Cursor}),
	}, nil
}

func TestWhatIsShownIsLookedAtRightBeforeEachByte(t *testing.T) {
	t.Parallel()
	const menu = "Delete it?\n❯ 1. Yes\n  2. No\n▮"
	for name, c := range map[string]struct {
		paste, enter string
		typed        string
		want         error
	}{
		"nothing moves":                          {typed: "yes\r"},
		"a menu comes before the text":           {paste: menu, want: api.ErrDialogOpen},
		"another question comes before the text": {paste: "host prod\nConnect? ▮", want: api.ErrScreenChanged},
		"a menu comes before Enter":              {enter: menu, typed: "yes", want: errTaken},
		"another subject comes before Enter":     {enter: "host prod\nConnect? yes▮", typed: "yes", want: ErrNotSeen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &swapping{shows: "host staging\nConnect? ▮", paste: c.paste, enter: c.enter}
				text := &Text{By: &Typist{Panes: s, Look: s.look, Log: slog.New(slog.DiscardHandler)}, Line: &Line{}, Saw: func(status.Sight) error { return nil }}
				done, err := text.Type(t.Context(), "yes", true)
				if !errors.Is(err, c.want) || s.typed != c.typed || done.Submitted != (c.want == nil) {
					t.Errorf("typed %q, %+v, %v; want %q, %v", s.typed, done, err, c.typed, c.want)
				}
			})
		})
	}
}
