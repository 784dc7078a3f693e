package notify

import "sync"

// Topics are hubs by key: who watches one hears nothing of the others, so that
// what happens to one of many costs nothing to those who watch the rest. The
// zero value is ready.
type Topics[K comparable] struct {
	mu   sync.Mutex // guards hubs
	hubs map[K]*topic
}

type topic struct {
	Hub
	watchers int
}

// Watch is Hub.Watch for the signals of one key.
func (t *Topics[K]) Watch(key K) (changed <-chan struct{}, stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hubs == nil {
		t.hubs = map[K]*topic{}
	}
	if t.hubs[key] == nil {
		t.hubs[key] = &topic{}
	}
	hub := t.hubs[key]
	hub.watchers++
	changed, end := hub.Watch()
	return changed, sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		end()
		if hub.watchers--; hub.watchers == 0 {
			delete(t.hubs, key)
		}
	})
}

// Signal tells every watcher of a key that something changed.
func (t *Topics[K]) Signal(key K) {
	t.mu.Lock()
	hub := t.hubs[key]
	t.mu.Unlock()
	if hub != nil {
		hub.Signal()
	}
}
