package lead

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/walky"
)

const (
	// maxCards bounds the cards that are listed of one pane.
	maxCards = 20
	// herdPace is how long changes of the herd are gathered before a phone is
	// told of them, so that a busy crew costs each phone a few events a second.
	herdPace = 100 * time.Millisecond
)

// A herd merges the machines of a crew into one. It keeps the last good copy
// of each member in memory, and no member can delay another or the lead.
type herd struct {
	local api.Machine
	now   func() time.Time

	mu        sync.Mutex // guards what follows; never held over a call
	self      api.MachineInfo
	solo      bool
	followers map[string]*follower
	own       api.Snapshot
	changed   chan struct{} // closed and replaced at every change
}

// A follower is the lead's view of one member.
type follower struct {
	info     api.MachineInfo
	snapshot api.Snapshot // its last good copy
	machine  api.Machine
	readable bool // its events are being read, so the copy is current
}

// show takes over what is known of the link.
func (f *follower) show(link mesh.Link) {
	f.info.State, f.info.Reason = string(link.State), link.Reason
	f.info.RTTMs = link.RTT.Milliseconds()
	if link.Build != "" {
		f.info.Build = link.Build
	}
	if !link.SeenAt.IsZero() {
		f.info.LastSeenAt = link.SeenAt.UnixMilli()
	}
	switch link.State {
	case mesh.StateReachable:
		f.info.Hint = ""
	case mesh.StateUnreachable:
		f.info.Hint = "reconnecting"
	default: // waiting will not help
		f.info.Hint = "attention"
	}
}

func newHerd(local api.Machine, now func() time.Time) *herd {
	return &herd{local: local, now: now, solo: true, followers: map[string]*follower{}, changed: make(chan struct{})}
}

// set changes the herd and wakes everybody who watches it.
func (h *herd) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	close(h.changed)
	h.changed = make(chan struct{})
}

// followLocal keeps the lead's own part current until ctx ends.
func (h *herd) followLocal(ctx context.Context) error {
	return h.local.Events(ctx, func(event api.Event) error {
		if event.Receipt == nil {
			h.set(func() { h.own = api.Apply(h.own, event) })
		}
		return nil
	})
}

// merged returns the whole herd and a channel that closes at its next change.
func (h *herd) merged() (api.Snapshot, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := api.Snapshot{At: h.now().UnixMilli(), Mode: "solo", Workspaces: []api.Workspace{}, Tabs: []api.Tab{}, Panes: []api.PaneInfo{}}
	add := func(s api.Snapshot, host string) {
		for _, workspace := range s.Workspaces {
			workspace.Host = host
			all.Workspaces = append(all.Workspaces, workspace)
		}
		for _, tab := range s.Tabs {
			tab.Host = host
			all.Tabs = append(all.Tabs, tab)
		}
		for _, pane := range s.Panes {
			pane.Host = host
			all.Panes = append(all.Panes, pane)
		}
	}
	if h.solo {
		add(h.own, "")
		return all, h.changed
	}
	all.Mode = "lead"
	all.Machines = append(all.Machines, h.self)
	add(h.own, h.self.ID)
	ids := make([]string, 0, len(h.followers))
	for id := range h.followers {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		f := h.followers[id]
		info := f.info
		info.Stale = info.State != string(mesh.StateReachable) || !f.readable
		all.Machines = append(all.Machines, info)
		add(f.snapshot, id)
	}
	return all, h.changed
}

// lead makes the herd that of a crew with these members. What is known of a
// member that stays is kept.
func (h *herd) lead(crew *trust.Crew, build string) {
	h.set(func() {
		h.solo = false
		h.self = api.MachineInfo{
			ID: crew.SelfID, Label: crew.SelfLabel, Lead: true,
			State: string(mesh.StateReachable), LastSeenAt: h.now().UnixMilli(), Build: build,
		}
		next := map[string]*follower{}
		for _, member := range crew.Members {
			f := h.followers[member.ID]
			if f == nil {
				f = &follower{info: api.MachineInfo{ID: member.ID, State: string(mesh.StateUnreachable), Hint: "reconnecting"}}
			}
			f.info.Label = member.Label
			next[member.ID] = f
		}
		h.followers = next
	})
}

// dissolve makes the herd that of a solo node.
func (h *herd) dissolve() {
	h.set(func() { h.solo, h.self, h.followers = true, api.MachineInfo{}, map[string]*follower{} })
}

// machine finds a machine by its id; the empty one is the whole herd.
func (h *herd) machine(host string) (api.Machine, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if host == "" {
		return whole{h.local, h}, nil
	}
	if !h.solo && host == h.self.ID {
		return h.local, nil
	}
	f, ok := h.followers[host]
	switch {
	case !ok:
		return nil, api.ErrHostUnknown
	case f.machine == nil || f.info.State != string(mesh.StateReachable):
		return nil, api.ErrHostUnreachable.On(host)
	}
	return f.machine, nil
}

// peers lists the agent sessions of the members that can be read now, but for
// one member's own.
func (h *herd) peers(without string) []walky.Peer {
	h.mu.Lock()
	defer h.mu.Unlock()
	var peers []walky.Peer
	for id, f := range h.followers {
		if id == without || !f.readable {
			continue
		}
		for _, pane := range f.snapshot.Panes {
			address := walky.Address{Machine: id, Pane: pane.ID, Token: pane.Token}
			if pane.Token == "" {
				continue
			}
			if _, err := walky.ParseAddress(address.String()); err != nil {
				continue // a member names its panes, not how addresses look
			}
			peers = append(peers, walky.Peer{Address: address, Label: pane.Label, Harness: pane.Harness, Status: pane.Status})
		}
	}
	sort.Slice(peers, func(i, j int) bool { return peers[i].Address.String() < peers[j].Address.String() })
	return peers
}

// update changes what is known of one member, if it is still one.
func (h *herd) update(id string, change func(*follower)) {
	h.set(func() {
		if f, ok := h.followers[id]; ok {
			change(f)
		}
	})
}

// whole is the machine that stands for the entire herd: its snapshot and its
// events are merged, everything else is the lead's own.
type whole struct {
	api.Machine
	herd *herd
}

func (w whole) Snapshot(context.Context) (api.Snapshot, error) {
	snapshot, _ := w.herd.merged()
	return snapshot, nil
}

func (w whole) Events(ctx context.Context, send func(api.Event) error) error {
	last, changed := w.herd.merged()
	if err := send(api.Event{Snapshot: &last}); err != nil {
		return err
	}
	pace := time.NewTimer(herdPace)
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
		var next api.Snapshot
		next, changed = w.herd.merged()
		change, gone := api.Diff(&last, &next)
		last = next
		var err error
		if gone != nil {
			err = send(api.Event{Gone: gone})
		}
		if change != nil {
			err = errors.Join(err, send(api.Event{Change: change}))
		}
		if err != nil {
			return err
		}
		pace.Reset(herdPace)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pace.C:
		}
	}
}
