package caller

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/trust"
)

// board is a list of panes that changes, and one that is being opened since a tick.
type board struct {
	mu     sync.Mutex
	listed panes
	began  uint64
	over   chan struct{}
	asked  int
}

func (b *board) Holders() []Holder {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.listed
}

func (b *board) opening(started uint64) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.over == nil || b.began > started {
		return nil
	}
	return b.over
}

// opened ends the opening, with the pane or without one.
func (b *board) opened(listed ...Holder) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listed = append(b.listed, listed...)
	close(b.over)
	b.over = nil
}

func resolverOf(text string, b *board) func(t *testing.T) *Resolver {
	return func(t *testing.T) *Resolver {
		r := resolver(parseTree(t, text))
		r.holders, r.Opening = b, b.opening
		return r
	}
}

const firstCommand = `
1 init
  40 systemd --user
    50 collie up
    100 collie _hold
      101 bash [tty]
        103 collie pair [tty]
    200 tmux
      201 sleep
      210 collie send
`

func TestTheFirstCommandOfAPaneWaitsUntilThePaneIsListed(t *testing.T) {
	t.Parallel()
	inTmux := Holder{Pane: "%7", ServerPID: 200, ProgramPID: 201}
	for _, c := range []struct {
		name   string
		pid    int
		before []Holder
		after  []Holder
		want   Caller
		waited time.Duration
	}{
		{"it is listed then", 103, nil, []Holder{shell}, Caller{trust.Operator, "p1", "descends from the shell of a pane that the operator opened"}, time.Second},
		{"it is not opened after all", 103, nil, nil, Caller{trust.Participant, "", "is in a pane that this node does not know"}, time.Second},
		{"its program takes the place of another one in tmux", 210, []Holder{inTmux}, []Holder{{Pane: "%7", ServerPID: 200, ProgramPID: 210}}, Caller{
			trust.Participant, "%7", "is in a pane of tmux, where any program may type; outside of tmux you are told from an agent: detach first, or come in over ssh",
		}, time.Second},
		{"it is listed already", 103, []Holder{shell}, nil, Caller{trust.Operator, "p1", "descends from the shell of a pane that the operator opened"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &board{listed: c.before, began: 100, over: make(chan struct{})}
				began := time.Now()
				go func() {
					time.Sleep(time.Second)
					b.opened(c.after...)
				}()
				got, err := resolverOf(firstCommand, b)(t).Resolve(t.Context(), Credentials{PID: c.pid, StartTime: uint64(c.pid)})
				if err != nil || got != c.want || time.Since(began) != c.waited {
					t.Errorf("after %s: %+v, %v", time.Since(began), got, err)
				}
				time.Sleep(2 * time.Second) // the opening is over
			})
		})
	}
}

func TestAPaneThatIsOpenedForEverIsWaitedForUpToADeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patience, want time.Duration
	}{
		"five seconds":            {time.Minute, 5 * time.Second},
		"until the caller is out": {time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &board{began: 100, over: make(chan struct{})}
				ctx, cancel := context.WithTimeout(t.Context(), c.patience)
				defer cancel()
				began := time.Now()
				got, err := resolverOf(firstCommand, b)(t).Resolve(ctx, Credentials{PID: 103, StartTime: 103})
				want := Caller{Level: trust.Participant, Why: "is in a pane that this node does not know"}
				if err != nil || got != want || time.Since(began) != c.want {
					t.Errorf("after %s: %+v, %v", time.Since(began), got, err)
				}
			})
		})
	}
}

func TestACallerFromElsewhereIsNotSlowedByWhoeverKeepsOpeningPanes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tree string
		pid        int
		asks       bool
	}{
		{"in another node's pane, which is older", `
1 init
  100 collie _hold
    101 bash [tty]
      903 collie pair [tty]
`, 903, true},
		{"from a terminal", `
1 init
  101 bash [tty]
    903 collie pair [tty]
`, 903, false},
		{"from nowhere", `
1 init
  903 collie send
`, 903, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &board{began: 900, over: make(chan struct{})} // for ever
				began := time.Now()
				_, err := resolverOf(c.tree, b)(t).Resolve(t.Context(), Credentials{PID: c.pid, StartTime: uint64(c.pid)})
				if err != nil || time.Since(began) != 0 || (b.asked > 0) != c.asks {
					t.Errorf("waited %s and asked %d times: %v", time.Since(began), b.asked, err)
				}
			})
		})
	}
}
