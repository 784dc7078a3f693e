package lead

import (
	"collie/mesh"
	"collie/node/api"
)

// A part is what one machine adds to the herd: its row, and its objects with its
// id stamped on them. It is never written to, so that two moments that hold the
// same part hold the same of that machine.
type part struct {
	info api.MachineInfo // without an id on a solo node
	api.Snapshot
	live func() mesh.Link // see moment.seen; may be nil
}

func newPart(info api.MachineInfo, said api.Snapshot) *part {
	if info.ID == "" || info.State == string(mesh.StateReachable) { // of one that is away nobody knows
		info.Trouble = said.Trouble
	}
	p := &part{info: info, Snapshot: api.Snapshot{
		Workspaces: append([]api.Workspace{}, said.Workspaces...),
		Tabs:       append([]api.Tab{}, said.Tabs...),
		Panes:      append([]api.PaneInfo{}, said.Panes...),
	}}
	for i := range p.Workspaces {
		p.Workspaces[i].Host = info.ID
	}
	for i := range p.Tabs {
		p.Tabs[i].Host = info.ID
	}
	for i := range p.Panes {
		p.Panes[i].Host = info.ID
	}
	return p
}

// A moment is the herd at one time.
type moment struct {
	at      int64 // epoch milliseconds
	mode    string
	standby *api.Standby
	parts   []*part
}

// snapshot puts the parts together.
func (m moment) snapshot() api.Snapshot {
	all := api.Snapshot{At: m.at, Mode: m.mode, Standby: m.standby, Workspaces: []api.Workspace{}, Tabs: []api.Tab{}, Panes: []api.PaneInfo{}}
	for _, p := range m.parts {
		if info := p.info; info.ID != "" {
			if info.Lead { // it is this one, which is seen now
				info.LastSeenAt = m.at
			}
			all.Machines = append(all.Machines, info)
		} else {
			all.Trouble = info.Trouble
		}
		all.Workspaces = append(all.Workspaces, p.Workspaces...)
		all.Tabs = append(all.Tabs, p.Tabs...)
		all.Panes = append(all.Panes, p.Panes...)
	}
	return all
}

// seen is the moment with what changes with every beat as it is now: when each
// machine was last seen, and its round trip. None of that is a change that a
// phone is told of, so that an idle crew costs a phone nothing.
func (m moment) seen() moment {
	parts := make([]*part, len(m.parts))
	for i, p := range m.parts {
		now := *p
		if p.live != nil {
			stamp(&now.info, p.live())
		}
		parts[i] = &now
	}
	m.parts = parts
	return m
}

// without leaves out the parts that another moment has as well.
func (m moment) without(other moment) moment {
	same := make(map[*part]bool, len(other.parts))
	for _, p := range other.parts {
		same[p] = true
	}
	var parts []*part
	for _, p := range m.parts {
		if !same[p] {
			parts = append(parts, p)
		}
	}
	m.parts = parts
	return m
}

// difference says what leads from one moment to the next of the same mode, as
// api.Diff does. It costs what the machines cost that changed, however many there
// are.
func difference(last, next moment) (*api.Change, *api.Gone) {
	before, after := last.without(next).snapshot(), next.without(last).snapshot()
	return api.Diff(&before, &after)
}
