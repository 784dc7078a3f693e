package attach

import (
	"slices"
	"sync"

	"collie/node/pane"
)

// Sizes knows which panes somebody has open in a terminal, and how large that is.
// The zero value is ready.
type Sizes struct {
	mu   sync.Mutex // guards open
	open map[pane.ID][]*Opening
}

// An Opening is one terminal that shows a pane.
type Opening struct {
	sizes *Sizes
	id    pane.ID
	size  Size
}

// Open enters a terminal.
func (s *Sizes) Open(id pane.ID, size Size) *Opening {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[pane.ID][]*Opening{}
	}
	o := &Opening{sizes: s, id: id, size: size}
	s.open[id] = append(s.open[id], o)
	return o
}

// IsOpen reports whether a terminal shows the pane.
func (s *Sizes) IsOpen(id pane.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open[id]) > 0
}

// Resize notes the terminal's new size, and that it is the one that counts.
func (o *Opening) Resize(size Size) {
	o.sizes.mu.Lock()
	defer o.sizes.mu.Unlock()
	o.size = size
	all := o.sizes.open[o.id]
	if at := slices.Index(all, o); at >= 0 {
		o.sizes.open[o.id] = append(slices.Delete(all, at, at+1), o)
	}
}

// Close takes the terminal out. It returns the size that counts from now on,
// and false when no terminal shows the pane any more: then it stays as it is.
func (o *Opening) Close() (Size, bool) {
	o.sizes.mu.Lock()
	defer o.sizes.mu.Unlock()
	all := slices.DeleteFunc(o.sizes.open[o.id], func(other *Opening) bool { return other == o })
	if len(all) == 0 {
		delete(o.sizes.open, o.id)
		return Size{}, false
	}
	o.sizes.open[o.id] = all
	return all[len(all)-1].size, true
}
