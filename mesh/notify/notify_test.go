package notify_test

import (
	"testing"

	"collie/mesh/notify"
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

func TestAWatcherOfOneKeyHearsNothingOfAnother(t *testing.T) {
	t.Parallel()
	var topics notify.Topics[string]
	topics.Signal("a") // nobody waits for it
	a, stopA := topics.Watch("a")
	again, stopAgain := topics.Watch("a")
	b, stopB := topics.Watch("b")
	defer stopB()
	topics.Signal("a")
	if !pending(a) || !pending(again) || pending(b) {
		t.Error("a watcher got no signal, or one of another key")
	}
	stopA()
	stopA() // counts once
	topics.Signal("a")
	if pending(a) || !pending(again) {
		t.Error("a stopped watcher got a signal, or the other one none")
	}
	stopAgain()
	a, stopA = topics.Watch("a") // after the last one left
	defer stopA()
	topics.Signal("a")
	if !pending(a) {
		t.Error("a new watcher got no signal")
	}
}
