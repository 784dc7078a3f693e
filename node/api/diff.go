package api

import "reflect"

// Diff says what leads from one snapshot to the next of the same mode; either
// part is nil when it would be empty. They are about different objects, so their
// order does not matter.
func Diff(old, next *Snapshot) (*Change, *Gone) {
	change, gone := &Change{At: next.At}, &Gone{At: next.At}
	var left []Ref
	change.Machines, left = diff(old.Machines, next.Machines, func(m MachineInfo) Ref { return Ref{ID: m.ID} })
	for _, ref := range left {
		gone.Machines = append(gone.Machines, ref.ID)
	}
	change.Workspaces, gone.Workspaces = diff(old.Workspaces, next.Workspaces, func(w Workspace) Ref { return Ref{w.ID, w.Host} })
	change.Tabs, gone.Tabs = diff(old.Tabs, next.Tabs, func(t Tab) Ref { return Ref{t.ID, t.Host} })
	change.Panes, gone.Panes = diff(old.Panes, next.Panes, func(p PaneInfo) Ref { return Ref{p.ID, p.Host} })
	if was, is := standby(old), standby(next); was != is {
		change.Standby = &is
	}
	if old.Trouble != next.Trouble {
		is := next.Trouble
		change.Trouble = &is
	}
	if len(change.Machines)+len(change.Workspaces)+len(change.Tabs)+len(change.Panes) == 0 && change.Standby == nil && change.Trouble == nil {
		change = nil
	}
	if len(gone.Machines)+len(gone.Workspaces)+len(gone.Tabs)+len(gone.Panes) == 0 {
		gone = nil
	}
	return change, gone
}

// standby is the zero one when nobody stands by.
func standby(s *Snapshot) Standby {
	if s.Standby == nil {
		return Standby{}
	}
	return *s.Standby
}

func diff[T any](old, next []T, ref func(T) Ref) (changed []T, gone []Ref) {
	before := make(map[Ref]*T, len(old))
	for i := range old {
		before[ref(old[i])] = &old[i]
	}
	for _, object := range next {
		key := ref(object)
		if was, ok := before[key]; !ok || !reflect.DeepEqual(*was, object) {
			changed = append(changed, object)
		}
		delete(before, key)
	}
	for _, object := range old { // in order, so that the same change reads the same
		if key := ref(object); before[key] != nil {
			gone = append(gone, key)
			delete(before, key)
		}
	}
	return changed, gone
}

// Apply returns the snapshot after an event; objects that are new come last. It
// writes to neither, and shares what did not change. It bounds nothing: whoever
// applies what another machine sends cuts the result.
func Apply(snapshot Snapshot, event Event) Snapshot {
	switch {
	case event.Snapshot != nil:
		return *event.Snapshot
	case event.Change != nil:
		c := event.Change
		snapshot.At = c.At
		snapshot.Machines = upsert(snapshot.Machines, c.Machines, func(m MachineInfo) Ref { return Ref{ID: m.ID} })
		snapshot.Workspaces = upsert(snapshot.Workspaces, c.Workspaces, func(w Workspace) Ref { return Ref{w.ID, w.Host} })
		snapshot.Tabs = upsert(snapshot.Tabs, c.Tabs, func(t Tab) Ref { return Ref{t.ID, t.Host} })
		snapshot.Panes = upsert(snapshot.Panes, c.Panes, func(p PaneInfo) Ref { return Ref{p.ID, p.Host} })
		if c.Trouble != nil {
			snapshot.Trouble = *c.Trouble
		}
		if c.Standby != nil {
			snapshot.Standby = c.Standby
			if c.Standby.URL == "" {
				snapshot.Standby = nil
			}
		}
	case event.Gone != nil:
		g := event.Gone
		snapshot.At = g.At
		machines := make([]Ref, len(g.Machines))
		for i, id := range g.Machines {
			machines[i] = Ref{ID: id}
		}
		snapshot.Machines = remove(snapshot.Machines, machines, func(m MachineInfo) Ref { return Ref{ID: m.ID} })
		snapshot.Workspaces = remove(snapshot.Workspaces, g.Workspaces, func(w Workspace) Ref { return Ref{w.ID, w.Host} })
		snapshot.Tabs = remove(snapshot.Tabs, g.Tabs, func(t Tab) Ref { return Ref{t.ID, t.Host} })
		snapshot.Panes = remove(snapshot.Panes, g.Panes, func(p PaneInfo) Ref { return Ref{p.ID, p.Host} })
	}
	return snapshot
}

func upsert[T any](list, changed []T, ref func(T) Ref) []T {
	if len(changed) == 0 {
		return list
	}
	place := make(map[Ref]int, len(list))
	next := make([]T, len(list), len(list)+len(changed))
	for i, object := range list {
		place[ref(object)], next[i] = i, object
	}
	for _, object := range changed {
		if i, ok := place[ref(object)]; ok {
			next[i] = object
			continue
		}
		place[ref(object)] = len(next)
		next = append(next, object)
	}
	return next
}

func remove[T any](list []T, gone []Ref, ref func(T) Ref) []T {
	if len(gone) == 0 {
		return list
	}
	left := make(map[Ref]bool, len(gone))
	for _, r := range gone {
		left[r] = true
	}
	next := make([]T, 0, len(list))
	for _, object := range list {
		if !left[ref(object)] {
			next = append(next, object)
		}
	}
	return next
}
