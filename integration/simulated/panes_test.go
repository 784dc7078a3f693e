package simulated

import (
	"context"
	"slices"
	"sync"
	"testing"

	"collie/node/api"
)

// panes is a machine with one pane that keeps what it is told.
type panes struct {
	api.Machine // nothing else is asked
	stuck       bool

	mu      sync.Mutex
	replies []string
}

func (p *panes) Events(ctx context.Context, send func(api.Event) error) error {
	err := send(api.Event{Snapshot: &api.Snapshot{
		Workspaces: []api.Workspace{{ID: "w1"}}, Tabs: []api.Tab{{ID: "t1", Workspace: "w1"}},
		Panes: []api.PaneInfo{{ID: "p1", Workspace: "w1", Tab: "t1", Title: "shop", Cols: 80, Rows: 24}},
	}})
	if err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *panes) History(ctx context.Context, _ string, from, _ int) (api.History, error) {
	if p.stuck {
		<-ctx.Done()
		return api.History{}, ctx.Err()
	}
	return api.History{From: from, Total: 7}, nil
}

func (p *panes) Reply(_ context.Context, id string, reply api.Reply) (api.Replied, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies = append(p.replies, id+" "+reply.Text)
	return api.Replied{TextDelivered: true, Submitted: true}, nil
}

func (p *panes) got() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.replies)
}

// shown returns the row of a machine, and whether its pane is in the herd.
func shown(lead *Node, id string) (row api.MachineInfo, pane bool) {
	herd := lead.Herd()
	if m := MachineOf(herd, id); m != nil {
		row = *m
	}
	return row, slices.ContainsFunc(herd.Panes, func(p api.PaneInfo) bool { return p.Host == id && p.ID == "p1" })
}

// live says that a machine is shown as it is now.
func live(lead *Node, id string) bool {
	row, pane := shown(lead, id)
	return row.State == "reachable" && !row.Stale && pane
}

// machine is a machine as a phone asks for it.
func machine(t *testing.T, lead *Node, id string) api.Machine {
	t.Helper()
	m, err := lead.Lead.Machine(id)
	if err != nil {
		t.Fatalf("the machine %s: %v", id, err)
	}
	return m
}
