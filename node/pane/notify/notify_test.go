package notify_test

import (
	"testing"

	"collie/node/pane/notify"
)

func TestSignalsAreMerged(t *testing.T) {
	t.Parallel()
	var topic notify.Topic
	topic.Notify()
	changed, stop := topic.Subscribe()
	select {
	case <-changed:
		t.Fatal("a signal from before the subscription")
	default:
	}
	topic.Notify()
	topic.Notify()
	<-changed
	select {
	case <-changed:
		t.Fatal("two signals for one look")
	default:
	}
	stop()
	stop()
	topic.Notify()
	select {
	case <-changed:
		t.Fatal("a signal after stop")
	default:
	}
}
