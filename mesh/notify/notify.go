// Package notify tells any number of watchers that something changed, without
// ever waiting for one: a watcher that has yet to look gets one signal for all
// that it missed, and then reads the state itself.
package notify

import "sync"

// A Hub passes signals on. The zero value is ready.
type Hub struct {
	mu       sync.Mutex // guards watchers
	watchers map[chan struct{}]bool
}

// Watch returns a channel that gets every following signal. stop ends it.
func (h *Hub) Watch() (changed <-chan struct{}, stop func()) {
	signal := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = map[chan struct{}]bool{}
	}
	h.watchers[signal] = true
	return signal, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, signal)
	}
}

// Signal tells every watcher that something changed.
func (h *Hub) Signal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for signal := range h.watchers {
		select {
		case signal <- struct{}{}:
		default: // it has yet to look at the last one
		}
	}
}
