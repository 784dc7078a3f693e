package node_test

import (
	"context"
	"testing"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/trust"
	"collie/node/walky"
)

// follow reads a machine's events until the test ends.
func follow(t *testing.T, m api.Machine) (next func(what string, holds func(api.Snapshot) bool) api.Snapshot) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events := make(chan api.Event, 1000)
	done := make(chan error, 1)
	go func() {
		done <- m.Events(ctx, func(e api.Event) error { events <- e; return nil })
	}()
	t.Cleanup(func() { cancel(); <-done })
	var now api.Snapshot
	return func(what string, holds func(api.Snapshot) bool) api.Snapshot {
		t.Helper()
		wait, stop := context.WithTimeout(ctx, patience)
		defer stop()
		for {
			select {
			case e := <-events:
				if now = api.Apply(now, e); holds(now) {
					return now
				}
			case <-wait.Done():
				t.Fatalf("never came: %s; the herd is %+v", what, now)
			}
		}
	}
}

func TestAPaneComesIsRenamedAndGoesWithoutBeingAskedFor(t *testing.T) {
	t.Parallel()
	n := open(t)
	next := follow(t, n.Local())
	id := run(t, n, pane.Spec{}, "printf 'ready'; cat > /dev/null", "ready")
	s := next("the pane", func(s api.Snapshot) bool { return len(s.Panes) == 1 })
	if p := s.Panes[0]; p.ID != id || p.Status != "shell" || p.Harness != "shell" || p.Cols != 80 || p.Rows != 24 {
		t.Errorf("the pane is %+v", p)
	}
	if err := n.Local().Rename(t.Context(), id, api.Rename{Label: "reviewer"}); err != nil {
		t.Fatal(err)
	}
	next("the label", func(s api.Snapshot) bool { return len(s.Panes) == 1 && s.Panes[0].Label == "reviewer" })
	if err := n.Local().Close(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	next("the end", func(s api.Snapshot) bool { return len(s.Panes) == 0 || s.Panes[0].Status == "done" })
}

func TestAnUnreadMessageIsACardUntilItIsRead(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := recording(t, n, pane.Spec{Harness: "agent"}, lines, "ready>")
	next := follow(t, n.Local())
	s := next("the session", func(s api.Snapshot) bool { return len(s.Panes) == 1 && s.Panes[0].Token != "" })
	to := walky.Address{Pane: id, Token: s.Panes[0].Token}
	receipt, err := n.Walky.Send(t.Context(), walky.Sender{Label: "operator", Level: trust.Operator}, to, "look at this", "")
	if err != nil || receipt.State != walky.Delivered {
		t.Fatalf("the message is %+v, %v", receipt, err)
	}
	s = next("the card", func(s api.Snapshot) bool { return len(s.Panes[0].Cards) == 1 })
	if card := s.Panes[0].Cards[0]; card.Kind != "walky" || card.ID != receipt.ID {
		t.Errorf("the card is %+v", card)
	}
	if _, err := n.Walky.Read(t.Context(), walky.Sender{Pane: id}, receipt.ID); err != nil {
		t.Fatal(err)
	}
	next("no card", func(s api.Snapshot) bool { return len(s.Panes[0].Cards) == 0 })
}

func TestAMessageWaitsWhileSomebodyHasADraftInTheInput(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, record := recorder(t)
	// It says nothing more: what a program says while a line is typed may come into it.
	id := run(t, n, pane.Spec{Harness: "agent"}, "printf 'ready> '; exec cat >>"+path, "ready>")
	if _, err := n.Local().Reply(cli(t), id, api.Reply{Text: "half a thought"}); err != nil {
		t.Fatal(err)
	}
	peers, err := n.Walky.Peers(t.Context(), walky.Sender{})
	if err != nil || len(peers) != 1 {
		t.Fatalf("the sessions are %v, %v", peers, err)
	}
	receipt, err := n.Walky.Send(t.Context(), walky.Sender{Label: "operator", Level: trust.Operator}, peers[0].Address, "not now", "")
	if err != nil || receipt.State != walky.Held {
		t.Fatalf("the message is %+v, %v, want held", receipt, err)
	}
	if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"Enter"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the draft first, then the announcement", func() bool {
		text := record()
		return len(text) > 15 && text[:15] == "half a thought\n"
	})
}

func TestTheEndOfAProgramIsToldWithItsExitCode(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, "echo begun; read line; exit 7", "begun")
	exitCode := func() *int {
		snapshot, err := n.Local().Snapshot(t.Context())
		if err != nil || len(snapshot.Panes) != 1 {
			t.Fatalf("%+v, %v", snapshot.Panes, err)
		}
		return snapshot.Panes[0].ExitCode
	}
	if code := exitCode(); code != nil {
		t.Errorf("it runs, with exit code %d", *code)
	}
	if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"Enter"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the exit code", func() bool { code := exitCode(); return code != nil && *code == 7 })
}
