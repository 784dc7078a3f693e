package lead

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
	"collie/node/walky"
)

// A herd merges the machines of a crew into one. It keeps the last good copy
// of each member in memory, and no member can delay another or the lead.
type herd struct {
	local api.Machine
	now   func() time.Time
	// word makes what a member is called and says of itself fit to be shown.
	word func(string) string

	mu        sync.Mutex // guards what follows; never held over a call
	self      api.MachineInfo
	standby   *api.Standby // of a crew whose deputy has a door; never written to
	solo      bool
	followers map[string]*follower
	own       api.Snapshot
	part      *part         // of this machine; nil when it is out of date
	changed   chan struct{} // closed and replaced at every change
}

// A follower is the lead's view of one member.
type follower struct {
	info     api.MachineInfo
	snapshot api.Snapshot // its last good copy, never written to
	machine  api.Machine
	part     *part // what is shown of it; nil when that is out of date
	// live returns what the link says now, for what changes with every beat; nil
	// until it is followed.
	live     func() mesh.Link
	readable bool   // its events are being read, so the copy is current
	silent   bool   // its events ended because it missed its beats
	trouble  string // why its events ended though it answers
}

// show takes over what is known of the link, and what is said of it.
func (f *follower) show(state mesh.Link, said link.Advice) {
	f.info.State, f.info.Hint, f.info.Reason = string(state.State), said.Hint, said.Reason
	if state.Build != "" {
		f.info.Build = state.Build
	}
	stamp(&f.info, state)
}

// stamp takes over what changes with every beat.
func stamp(info *api.MachineInfo, state mesh.Link) {
	info.RTTMs = state.RTT.Milliseconds()
	if !state.SeenAt.IsZero() {
		info.LastSeenAt = state.SeenAt.UnixMilli()
	}
}

// current takes over what its events say.
func (f *follower) current(copied api.Snapshot) {
	f.snapshot, f.readable, f.silent, f.trouble = copied, true, false, ""
}

// ended notes why its events are not read any more.
func (f *follower) ended(err error) {
	f.readable, f.silent, f.trouble = false, errors.Is(err, api.ErrHostUnreachable), ""
	if !f.silent {
		f.trouble = unreadable
	}
}

// reachable reports whether requests may be sent: the link is up, and the member
// answers on it.
func (f *follower) reachable() bool {
	return f.info.State == string(mesh.StateReachable) && !f.silent
}

// machineInfo is the member's row in the herd.
func (f *follower) machineInfo() api.MachineInfo {
	info := f.info
	info.Stale = !f.reachable() || !f.readable
	if info.State != string(mesh.StateReachable) {
		return info // the link says why
	}
	switch {
	case f.silent:
		info.State, info.Hint, info.Reason = string(mesh.StateUnreachable), link.Reconnecting, missedBeats
	case !info.Stale:
	case f.trouble != "":
		info.Hint, info.Reason = link.Attention, f.trouble
	default:
		info.Hint, info.Reason = link.Reconnecting, ""
	}
	return info
}

const (
	// missedBeats is said of a machine whose link looks as if it were up.
	missedBeats = "the machine does not answer"
	// unreadable is said of a machine that answers and whose own multiplexer is
	// the trouble, so that nobody looks for it on the network.
	unreadable = "the machine answers, but its panes cannot be read"
)

func newHerd(local api.Machine, now func() time.Time) *herd {
	return &herd{local: local, now: now, word: func(text string) string { return text }, solo: true, followers: map[string]*follower{}, changed: make(chan struct{})}
}

// set changes what this machine adds to the herd, or who is in it, and wakes
// everybody who watches it.
func (h *herd) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
	h.part = nil
	h.wake()
}

// update changes what is known of one member, if it is still one.
func (h *herd) update(id string, change func(*follower)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f, ok := h.followers[id]; ok {
		change(f)
		f.part = nil
		h.wake()
	}
}

// wake tells everybody who watches the herd. h.mu is held.
func (h *herd) wake() {
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

// look returns the herd, of one machine or with an empty host of all, and a
// channel that closes at its next change.
func (h *herd) look(host string) (moment, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := moment{at: h.now().UnixMilli(), mode: "lead"}
	if h.solo {
		m.mode = "solo"
	}
	if host == "" {
		m.standby = h.standby
	}
	if h.part == nil {
		h.part = newPart(h.self, h.own)
	}
	if h.solo || host == "" || host == h.self.ID {
		m.parts = append(m.parts, h.part)
	}
	for _, id := range slices.Sorted(maps.Keys(h.followers)) {
		if host == "" || host == id {
			f := h.followers[id]
			if f.part == nil {
				f.part = newPart(f.machineInfo(), f.snapshot)
				f.part.live = f.live
			}
			m.parts = append(m.parts, f.part)
		}
	}
	return m, h.changed
}

// lead makes the herd that of a crew with these members. What is known of a
// member that stays is kept.
func (h *herd) lead(crew *trust.Crew, build string) {
	h.set(func() {
		h.solo = false
		h.self = api.MachineInfo{ID: crew.SelfID, Label: crew.SelfLabel, Lead: true, State: string(mesh.StateReachable), Build: build}
		next := map[string]*follower{}
		for _, member := range crew.Members {
			f := h.followers[member.ID]
			if f == nil {
				f = &follower{info: api.MachineInfo{ID: member.ID, State: string(mesh.StateUnreachable), Hint: link.Reconnecting}}
			}
			f.info.Label, f.part = h.word(member.Label), nil
			next[member.ID] = f
		}
		h.followers = next
		h.standby = h.standbyOf(crew)
	})
}

// dissolve makes the herd that of a solo node.
func (h *herd) dissolve() {
	h.set(func() { h.solo, h.self, h.standby, h.followers = true, api.MachineInfo{}, nil, map[string]*follower{} })
}

// selfID is this machine's id in its crew, empty while it is in none.
func (h *herd) selfID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.self.ID
}

// machine finds a machine by its id; the empty one is the whole herd.
func (h *herd) machine(host string) (api.Machine, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if host == "" || !h.solo && host == h.self.ID {
		return view{h.local, h, host}, nil
	}
	f, ok := h.followers[host]
	switch {
	case !ok && trust.ValidID(host):
		return nil, api.ErrHostUnknown.On(host)
	case !ok:
		return nil, api.ErrHostUnknown
	case f.machine == nil || !f.reachable():
		return nil, api.ErrHostUnreachable.On(host)
	}
	return view{f.machine, h, host}, nil
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
		listed := 0
		for _, pane := range f.snapshot.Panes {
			address := walky.Address{Machine: id, Pane: pane.ID, Token: pane.Token}
			if _, err := walky.ParseAddress(address.String()); err != nil {
				continue // no agent runs there, or the member lies about how addresses look
			}
			if listed++; listed > maxPeers {
				break
			}
			peers = append(peers, walky.Peer{Address: address, Label: pane.Label, Harness: pane.Harness, Status: pane.Status})
		}
	}
	slices.SortFunc(peers, func(a, b walky.Peer) int { return cmp.Compare(a.Address.String(), b.Address.String()) })
	return peers
}
