package lead

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"collie/node/api"
	"collie/node/grid"
)

// rowAt is a frame of a screen of two rows that names one.
func rowAt(i int, text string, wrap bool) grid.Frame {
	return grid.Frame{Cols: 80, Rows: 2, Lines: []grid.Line{{I: i, Row: grid.Row{Wrap: wrap, Runs: []grid.Run{{Text: text}}}}}}
}

func blank() grid.Frame { return grid.Frame{Cols: 80, Rows: 2, Lines: []grid.Line{{I: 0}, {I: 1}}} }

var errEnough = errors.New("enough")

func TestASecretThatIsSpreadOverRowsAndFramesIsMaskedOnALiveScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := atlas(t, &machine{frames: []grid.Frame{blank(), rowAt(1, secretText[20:], false), rowAt(0, "echo "+secretText[:20], true)}})
		var screen grid.Screen
		err := m.Live(t.Context(), "p1", func(f grid.Frame) error {
			if f.Above != nil {
				t.Errorf("a phone got rows above the screen: %+v", f.Above)
			}
			_, err := screen.Apply(f)
			must(t, err)
			if f.Masked {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
		hides(t, "the screen", screen.Rows())
	})
}

// The member says where a row is being written to; the cursor is elsewhere.
func TestHalfASecretOfAMemberIsMaskedInEveryReadOfAScreen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		half := rowAt(1, "> "+secretText[:7], false)
		half.Lines = append([]grid.Line{{I: 0}}, half.Lines...)
		half.Ends = []grid.Cursor{{Row: 1, Col: 9}}
		m := atlas(t, &machine{pane: api.Pane{Frame: half}, frames: []grid.Frame{half}})
		shown := func(f grid.Frame) {
			t.Helper()
			if got := f.Lines[1].Text(); got != "> ghp_•••" || f.Ends != nil {
				t.Errorf("%q, ends %v", got, f.Ends)
			}
		}
		pane, err := m.Pane(t.Context(), "p1")
		must(t, err)
		shown(pane.Frame)
		err = m.Live(t.Context(), "p1", func(f grid.Frame) error {
			shown(f)
			return errEnough
		})
		if !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
	})
}

func TestASlowPhoneGetsTheNewestScreenAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		member := &machine{frames: []grid.Frame{blank()}}
		for i := range 10_000 {
			member.frames = append(member.frames, rowAt(i%2, fmt.Sprint("line ", i), false))
		}
		var screen grid.Screen
		frames := 0
		err := atlas(t, member).Live(t.Context(), "p1", func(f grid.Frame) error {
			if frames++; frames == 1 {
				synctest.Wait() // until the member has sent all that it has and waits
			}
			_, err := screen.Apply(f)
			must(t, err)
			if screen.Rows()[1].Text() == "line 9999" {
				return errEnough
			}
			return nil
		})
		if !errors.Is(err, errEnough) || frames > 2 {
			t.Errorf("it took %d frames, %v", frames, err)
		}
		if got := screen.Rows()[0].Text(); got != "line 9998" {
			t.Errorf("the other row is %q", got)
		}
	})
}

func TestALiveScreenThatLiesEndsItsStream(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]grid.Frame{
		"another size, without its rows": {Cols: 80, Rows: 3, Lines: []grid.Line{{I: 0}}},
		"a size beyond the bounds":       {Cols: 80, Rows: 1 << 20},
		"a row twice":                    {Cols: 80, Rows: 2, Lines: []grid.Line{{I: 0}, {I: 0}}},
		"a hash that is none":            {Cols: 80, Rows: 2, Screen: "a secret in clear"},
	} {
		m := atlas(t, &machine{frames: []grid.Frame{blank(), lie}})
		err := m.Live(t.Context(), "p1", func(grid.Frame) error { return nil })
		if refused := api.AsError(err); !errors.Is(err, api.ErrHostAnswer) || refused.Host != "atlas" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestALiveScreenEndsWithItsPaneAndWithItsPhone(t *testing.T) {
	t.Parallel()
	m := atlas(t, &machine{frames: []grid.Frame{blank()}, err: api.ErrPaneNotFound})
	if err := m.Live(t.Context(), "p1", func(grid.Frame) error { return nil }); !errors.Is(err, api.ErrPaneNotFound) {
		t.Errorf("a pane that is gone: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m = atlas(t, &machine{frames: []grid.Frame{blank()}})
	err := m.Live(ctx, "p1", func(grid.Frame) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a phone that went away: %v", err)
	}
}
