package notify_test

import (
	"testing"

	"collie/mesh/internal/notify"
)

func pending(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestWatcherGetsOneSignalForWhatItMissed(t *testing.T) {
	t.Parallel()
	var hub notify.Hub
	hub.Signal() // nobody waits for it
	a, stopA := hub.Watch()
	b, stopB := hub.Watch()
	defer stopB()
	hub.Signal()
	hub.Signal()
	if !pending(a) || pending(a) || !pending(b) {
		t.Error("a watcher got no signal, or two")
	}
	stopA()
	stopA()
	hub.Signal()
	if pending(a) || !pending(b) {
		t.Error("a stopped watcher got a signal, or the other one none")
	}
}
