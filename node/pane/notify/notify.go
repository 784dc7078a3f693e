// Package notify tells any number of listeners that something changed, and
// nothing more: a listener that is late finds one signal, not a queue, and then
// looks at the newest state itself.
package notify

import "sync"

// A Topic is one thing that changes. The zero value is ready for use, and all
// methods may be called by any goroutine.
type Topic struct {
	mu        sync.Mutex // guards listeners
	listeners map[chan struct{}]struct{}
}

// Subscribe returns a channel that holds at most one signal, and the function
// that ends the subscription. The channel is never closed.
func (t *Topic) Subscribe() (changed <-chan struct{}, stop func()) {
	listener := make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listeners == nil {
		t.listeners = make(map[chan struct{}]struct{})
	}
	t.listeners[listener] = struct{}{}
	return listener, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners, listener)
	}
}

// Notify signals every listener and waits for none.
func (t *Topic) Notify() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for listener := range t.listeners {
		select {
		case listener <- struct{}{}:
		default:
		}
	}
}
