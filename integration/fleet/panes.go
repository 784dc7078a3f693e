package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"collie/node/api"
)

// panes is a machine whose panes only look as if something ran in them. Its lead
// asks it for nothing but its events.
type panes struct {
	api.Machine

	mu    sync.Mutex // guards what follows
	now   api.Snapshot
	steps int
	fresh chan struct{} // closed and replaced with each change
}

func newPanes(count int) *panes {
	p := &panes{fresh: make(chan struct{})}
	p.now = api.Snapshot{At: time.Now().UnixMilli(), Workspaces: []api.Workspace{{ID: "w1", Label: "shop", Cwd: "/srv/shop"}}}
	for i := range count {
		tab, pane := fmt.Sprintf("t%d", i), fmt.Sprintf("p%d", i)
		p.now.Tabs = append(p.now.Tabs, api.Tab{ID: tab, Workspace: "w1", Label: "build", Index: i})
		p.now.Panes = append(p.now.Panes, api.PaneInfo{
			ID: pane, Workspace: "w1", Tab: tab, Title: "step 0", Harness: "claude", Status: "working", Since: p.now.At, Cols: 120, Rows: 40,
		})
	}
	return p
}

// change has the work in one pane take a step. Its Since is the moment of the
// change, from which a test can tell how old it is once it is shown.
func (p *panes) change(random *rand.Rand) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps++
	pane := p.now.Panes[random.IntN(len(p.now.Panes))]
	pane.Title, pane.Since = fmt.Sprintf("step %d", p.steps), time.Now().UnixMilli()
	pane.Status = map[string]string{"working": "idle", "idle": "working"}[pane.Status]
	p.now = api.Apply(p.now, api.Event{Change: &api.Change{At: pane.Since, Panes: []api.PaneInfo{pane}}})
	close(p.fresh)
	p.fresh = make(chan struct{})
}

func (p *panes) look() (api.Snapshot, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now, p.fresh
}

// Events implements api.Machine.
func (p *panes) Events(ctx context.Context, send func(api.Event) error) error {
	last, fresh := p.look()
	if err := send(api.Event{Snapshot: &last}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-fresh:
		}
		var next api.Snapshot
		next, fresh = p.look()
		if change, _ := api.Diff(&last, &next); change != nil {
			if err := send(api.Event{Change: change}); err != nil {
				return err
			}
		}
		last = next
	}
}
