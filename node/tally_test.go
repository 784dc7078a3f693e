package node_test

import (
	"context"
	"errors"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
	"collie/node/tally"
)

func TestWhatRepliesMetIsCounted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		was := tally.Week{}
		counts := func(what string, want tally.Week) {
			t.Helper()
			now := n.Tally.Week()
			if got := (tally.Week{Free: now.Free - was.Free, Unreadable: now.Unreadable - was.Unreadable, SentByHand: now.SentByHand - was.SentByHand}); got != want {
				t.Errorf("%s: counted is %+v, want %+v", what, got, want)
			}
			was = now
		}
		reply := func(ctx context.Context, id string, r api.Reply) {
			eventually(t, "a screen that stands still", func() bool {
				r.Screen = screenNow(t, n, id)
				_, err := n.Local().Reply(ctx, id, r) // what becomes of it is held by other tests
				t.Logf("%+v: %v", r, err)
				return !errors.Is(err, api.ErrScreenChanged)
			})
		}
		press := func(ctx context.Context, id string, keys ...string) {
			t.Helper()
			if err := n.Local().Keys(ctx, id, api.Keys{Keys: keys}); err != nil {
				t.Fatal(err)
			}
		}
		phone := asPixel(t)

		shell, _ := recording(t, n, pane.Spec{}, lines, "ready>")
		reply(phone, shell, api.Reply{Text: "one", Submit: true})
		counts("a reply into a free input", tally.Week{Free: 1})
		waitFor(t, n, shell, "one\nready>")
		reply(cli(t), shell, api.Reply{Text: "two", Submit: true})
		counts("the operator's own", tally.Week{})
		waitFor(t, n, shell, "two\nready>")
		press(phone, shell, "x")
		waitFor(t, n, shell, "ready> x")
		reply(phone, shell, api.Reply{Text: "three", Submit: true})
		counts("a reply behind what somebody typed", tally.Week{})
		press(phone, shell, "Enter")
		counts("an Enter after a screen that was read", tally.Week{})

		blind, _ := recording(t, n, pane.Spec{}, raw, "raw program")
		reply(phone, blind, api.Reply{Text: "yes", Submit: true})
		counts("a text that is not seen", tally.Week{Unreadable: 1})
		press(phone, blind, "Tab")
		press(cli(t), blind, "Enter")
		counts("a key that sends nothing, and the operator's Enter", tally.Week{})
		press(phone, blind, "Ctrl+M")
		counts("an Enter by hand", tally.Week{SentByHand: 1})
		press(phone, blind, "Enter")
		counts("the next Enter", tally.Week{})

		unseen, _ := recording(t, n, pane.Spec{Harness: "claude"}, raw, "raw program")
		reply(phone, unseen, api.Reply{Text: "yes", Submit: true})
		counts("an input that is not on the screen", tally.Week{Unreadable: 1})

		f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "claude")
		reply(phone, f.id, api.Reply{Text: "hello", Submit: true})
		counts("a reply into a free box", tally.Week{Free: 1})
		reply(phone, f.id, api.Reply{Discard: true})
		counts("a discard", tally.Week{})
	})
}

func TestASubmitAfterAnInputThatWasNotReadIsCountedAsSentByHand(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := recording(t, n, pane.Spec{}, raw, "raw program")
	for _, r := range []api.Reply{{Text: "yes", Submit: true}, {Submit: true}} {
		r.Screen = screenNow(t, n, id)
		_, _ = n.Local().Reply(asPixel(t), id, r)
	}
	if got := n.Tally.Week(); got != (tally.Week{Unreadable: 1, SentByHand: 1}) {
		t.Errorf("counted is %+v", got)
	}
}
