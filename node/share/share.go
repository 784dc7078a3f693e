// Package share keeps what many ask for at once within bounds: whoever is served
// takes one from each share that it draws on, such as its own and that of all, and
// gives it back. So one of them can use up its own share, and no other's.
package share

import "sync"

// A Share is what those of one name may take at once, at most Most.
type Share struct {
	Name string
	Most int
}

// A Table counts what is taken. The zero Table is ready; it is safe for concurrent
// use, and keeps no name of which nothing is taken.
type Table struct {
	mu    sync.Mutex
	taken map[string]int
}

// Take takes one from every share until giveBack is called, or, where one of them
// is used up, none. The names differ.
func (t *Table) Take(shares ...Share) (giveBack func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range shares {
		if t.taken[s.Name] >= s.Most {
			return nil, false
		}
	}
	if t.taken == nil {
		t.taken = map[string]int{}
	}
	for _, s := range shares {
		t.taken[s.Name]++
	}
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, s := range shares {
			if t.taken[s.Name]--; t.taken[s.Name] == 0 {
				delete(t.taken, s.Name)
			}
		}
	}), true
}
