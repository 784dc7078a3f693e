package status

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"collie/node/grid"
	"collie/node/harness"
	"collie/node/harness/screens"
	"collie/node/pane"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onePane is a multiplexer with one pane, in which an agent was declared.
type onePane struct {
	mu       sync.Mutex // guards what follows
	instance string
	screen   harness.Screen
	changed  chan struct{} // closed when the screen changes
	listed   chan struct{}
}

func newOnePane() *onePane {
	return &onePane{instance: "first", changed: make(chan struct{}), listed: make(chan struct{}, 1)}
}

func (o *onePane) info() pane.Info {
	o.mu.Lock()
	defer o.mu.Unlock()
	return pane.Info{ID: "p1", Harness: "claude", Instance: o.instance}
}

func (o *onePane) List() []pane.Info                  { return []pane.Info{o.info()} }
func (o *onePane) Get(pane.ID) (pane.Info, error)     { return o.info(), nil }
func (o *onePane) Changes() (<-chan struct{}, func()) { return o.listed, func() {} }

func (o *onePane) History(context.Context, pane.ID, int, int) (pane.History, error) {
	return pane.History{}, nil
}

func (o *onePane) Screen(context.Context, pane.ID) (grid.Frame, error) {
	frame, _ := o.shown()
	return frame, nil
}

func (o *onePane) shown() (grid.Frame, chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	frame := grid.Frame{Cols: o.screen.Cols, Rows: len(o.screen.Rows), Cursor: o.screen.Cursor}
	for i, row := range o.screen.Rows {
		frame.Lines = append(frame.Lines, grid.Line{I: i, Row: row})
	}
	return frame, o.changed
}

func (o *onePane) Watch(ctx context.Context, _ pane.ID, send func(grid.Frame) error) error {
	for {
		frame, changed := o.shown()
		if err := send(frame); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// show puts a recorded screen on the pane, with only the first rows of it drawn.
func (o *onePane) show(t *testing.T, name string, drawn int) {
	t.Helper()
	recording, err := screens.Read("../harness/testdata/screens/" + name + ".screen")
	if err != nil {
		t.Fatal(err)
	}
	screen := recording.Screen()
	for i := range screen.Rows[:len(screen.Rows)-min(drawn, len(screen.Rows))] {
		screen.Rows[i] = grid.Row{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.screen = screen
	close(o.changed)
	o.changed = make(chan struct{})
}

func TestAQuestionThatIsBeingDrawnDoesNotCountUntilItIsWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOnePane()
		o.show(t, "claude-idle", 1000)
		b := Open(o, harness.Builtin(), time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		time.Sleep(2 * lookInterval)
		o.show(t, "claude-bash", 8)
		time.Sleep(lookInterval - time.Millisecond)
		if belief := b.Of(o.info()); belief.Prompt != nil {
			t.Fatalf("a question counts at once: %+v", belief.Prompt)
		}
		o.show(t, "claude-bash", 1000)
		time.Sleep(2 * time.Millisecond)
		if belief := b.Of(o.info()); belief.Prompt != nil {
			t.Fatalf("half a question counts: %+v", belief.Prompt)
		}
		time.Sleep(2 * lookInterval)
		sight, err := b.Look(t.Context(), "p1")
		if err != nil || sight.Reading.Prompt == nil {
			t.Fatalf("the screen reads as %+v, %v", sight.Reading, err)
		}
		if belief := b.Of(o.info()); key(belief.Prompt) != sight.Reading.Prompt.Key() || belief.Status != harness.Blocked {
			t.Errorf("believed is %+v", belief)
		}
	})
}

func TestAnIdThatIsGivenOutAgainBeginsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOnePane()
		o.show(t, "claude-idle", 1000)
		b := Open(o, harness.Builtin(), time.Now, slog.New(slog.DiscardHandler))
		defer b.Close()
		time.Sleep(lookInterval)
		b.Report("p1", Report{Source: Hook, Status: harness.Working, Why: "its hook said so"})
		o.mu.Lock()
		o.instance = "second"
		o.mu.Unlock()
		o.listed <- struct{}{}
		time.Sleep(lookInterval)
		if belief := b.Of(o.info()); belief.Source != Screen || belief.Program != "claude.second" {
			t.Errorf("what was said of the pane before is believed: %+v", belief)
		}
	})
}
