package node

import "sync"

// dialogs are the held questions whose dialog was seen on the screen.
type dialogs struct {
	mu  sync.Mutex // guards ids
	ids map[string]bool
}

func (d *dialogs) see(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	d.ids[id] = true // as many as questions are held
}

func (d *dialogs) seen(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ids[id]
}

func (d *dialogs) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.ids, id)
}
