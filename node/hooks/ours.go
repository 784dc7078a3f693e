package hooks

import (
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"

	"collie/node/shell"
)

// with returns a settings file with the hooks in it that run a program, a word of a
// shell, and no others of Collie's.
func (f File) with(data []byte, word string, hold bool) ([]byte, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := f.remove(doc, data); err != nil {
		return nil, err
	}
	for _, e := range f.Harness.entries(shell.Text(word), hold) {
		groups, err := doc.groups(e.event, true)
		if err != nil {
			return nil, err
		}
		doc.addElement(groups, e.value(word), 2)
	}
	return doc.bytes(), nil
}

// read returns a settings file, and Collie's hooks in it.
func (f File) read(data []byte) (*document, []entry, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	ours, err := f.found(doc)
	return doc, ours, err
}

// holds reports whether one of the hooks waits for a tap.
func holds(ours []entry) bool {
	return slices.ContainsFunc(ours, func(e entry) bool { return e.hold })
}

// found lists Collie's hooks in a file, in the order of the harness's events.
func (f File) found(doc *document) ([]entry, error) {
	var ours []entry
	for _, event := range f.Harness.events() {
		groups, err := doc.groups(event, false)
		if err != nil {
			return nil, err
		}
		if groups == nil {
			continue
		}
		for _, group := range groups.Elements {
			for _, hook := range hooksOf(group) {
				if e, ok := f.ours(event, group, hook); ok {
					ours = append(ours, e)
				}
			}
		}
	}
	return ours, nil
}

// hooksOf are the hooks of one group.
func hooksOf(group hujson.Value) []hujson.Value {
	object, ok := group.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	i := member(object, "hooks")
	if i < 0 {
		return nil
	}
	list, ok := object.Members[i].Value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	return list.Elements
}

// ours reads a hook that runs Collie's command.
func (f File) ours(event string, group, hook hujson.Value) (entry, bool) {
	program, hold, ok := f.Harness.runs(field(hook, "command"))
	if !ok {
		return entry{}, false
	}
	e := entry{event: event, matcher: field(group, "matcher"), program: program, harness: f.Harness.Name, hold: hold}
	object := hook.Value.(*hujson.Object)
	if i := member(object, "timeout"); i >= 0 {
		_ = json.Unmarshal(object.Members[i].Value.Pack(), &e.timeout)
	}
	return e, true
}

// remove takes Collie's hooks out of a document, and what stands empty then and
// was not there before.
func (f File) remove(doc *document, before []byte) error {
	had := map[string]bool{}
	if old, err := parse(before); err == nil {
		for _, event := range f.Harness.events() {
			if groups, err := old.groups(event, false); err == nil && groups != nil {
				had[event] = true
			}
		}
		had["hooks"] = member(old.top(), "hooks") >= 0
	}
	for _, event := range f.Harness.events() {
		groups, err := doc.groups(event, false)
		if err != nil {
			return err
		}
		if groups == nil {
			continue
		}
		removed := false
		for i := len(groups.Elements) - 1; i >= 0; i-- {
			removed = f.removeFrom(groups, i) || removed
		}
		hooks := doc.top().Members[member(doc.top(), "hooks")].Value.Value.(*hujson.Object)
		if removed && len(groups.Elements) == 0 && !had[event] {
			removeMember(hooks, member(hooks, event))
		}
		if removed && len(hooks.Members) == 0 && !had["hooks"] {
			removeMember(doc.top(), member(doc.top(), "hooks"))
		}
	}
	return nil
}

// removeFrom takes Collie's hooks out of one group, and the group when it holds
// no other.
func (f File) removeFrom(groups *hujson.Array, at int) bool {
	list := hooksOf(groups.Elements[at])
	isOurs := func(hook hujson.Value) bool {
		_, _, ok := f.Harness.runs(field(hook, "command"))
		return ok
	}
	if !slices.ContainsFunc(list, isOurs) {
		return false
	}
	if !slices.ContainsFunc(list, func(hook hujson.Value) bool { return !isOurs(hook) }) {
		removeElement(groups, at)
		return true
	}
	object := groups.Elements[at].Value.(*hujson.Object)
	array := object.Members[member(object, "hooks")].Value.Value.(*hujson.Array)
	for i := len(array.Elements) - 1; i >= 0; i-- {
		if isOurs(array.Elements[i]) {
			removeElement(array, i)
		}
	}
	return true
}
