package mirror

import (
	"maps"
	"sync"

	"collie/node/mask"
)

// maxTyping bounds the panes of which is known where they are being written to.
const maxTyping = 1000

// Typing knows of many panes where their rows are being written to, for the
// next mirror of a pane: a phone that comes back in the middle of a word sees of
// it what it saw before. It is safe for concurrent use; the zero value knows of
// none.
type Typing struct {
	mu   sync.Mutex // guards ends
	ends map[string]map[int]end
}

// Mirror returns a mirror like New, of a pane that has a name. A nil Typing
// remembers nothing.
func (t *Typing) Mirror(m *mask.Mask, prompt Prompt, pane string) *Mirror {
	mirror := New(m, prompt)
	if t == nil {
		return mirror
	}
	mirror.grower.ends = t.recall(pane)
	mirror.keep = func(ends map[int]end) { t.keep(pane, ends) }
	return mirror
}

func (t *Typing) recall(pane string) map[int]end {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.ends[pane])
}

func (t *Typing) keep(pane string, ends map[int]end) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(ends) == 0 {
		delete(t.ends, pane)
		return
	}
	if t.ends == nil {
		t.ends = map[string]map[int]end{}
	}
	if len(t.ends) >= maxTyping && t.ends[pane] == nil {
		for another := range t.ends { // one of many, and not all of them
			delete(t.ends, another)
			break
		}
	}
	t.ends[pane] = maps.Clone(ends)
}
