package node_test

import (
	"strings"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/trust"
	"collie/node/walky"
)

// announce sends a message to the agent in a fake's pane.
func (f fake) announce() walky.Receipt {
	f.t.Helper()
	f.until("an address", func(p api.PaneInfo) bool { return p.Token != "" })
	to := walky.Address{Pane: f.id, Token: f.now().Token}
	receipt, err := f.node.Walky.Send(f.t.Context(), walky.Sender{Label: "operator", Level: trust.Operator}, to, "look at this", "")
	if err != nil {
		f.t.Fatal(err)
	}
	return receipt
}

func TestAMessageWaitsUntilTheQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"), "-on", "1=box")
	card := f.card()
	if receipt := f.announce(); receipt.State != walky.Held {
		t.Fatalf("the message is %+v, want held", receipt)
	}
	f.got("")
	if err := f.answer(card.ID, "1", false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the announcement", func() bool {
		return strings.HasPrefix(f.record(), "1\x1b[200~[collie] message from") && enters(f.record()) == 1
	})
}

// Whoever answers, the phone or a person at the desk: nothing waits for a timer.
func TestAMessageIsTypedOnceTheBoxIsFreeAndNotByATimer(t *testing.T) {
	t.Parallel()
	limits := walky.DefaultLimits()
	limits.HeldRetry = time.Hour
	n := openWith(t, &limits)
	f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"), "-on", "1=box")
	f.card()
	if receipt := f.announce(); receipt.State != walky.Held {
		t.Fatalf("the message is %+v, want held", receipt)
	}
	if err := n.Panes.Input(t.Context(), pane.ID(f.id), []byte("1")); err != nil { // at the desk
		t.Fatal(err)
	}
	eventually(t, "the announcement", func() bool { return enters(f.record()) == 1 })
}

func TestAMessageIsNotTypedIntoADraftInABox(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude")
	if _, err := f.node.Local().Reply(cli(t), f.id, api.Reply{Text: "half a thought"}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f.node, f.id, "half a thought")
	if receipt := f.announce(); receipt.State != walky.Held {
		t.Errorf("the message is %+v, want held", receipt)
	}
	if got := f.record(); got != "\x1b[200~half a thought\x1b[201~" {
		t.Errorf("the program got %q", got)
	}
}

func TestAMessageForAnAgentThatEndedReachesNoShell(t *testing.T) {
	t.Parallel()
	n := open(t)
	f := byHand(t, n, "")
	f.until("the agent", func(p api.PaneInfo) bool { return p.Harness == "claude" && p.Status == "idle" && p.Token != "" })
	to := walky.Address{Pane: f.id, Token: f.now().Token}
	if err := n.Local().Keys(t.Context(), f.id, api.Keys{Keys: []string{"Ctrl+C"}}); err != nil {
		t.Fatal(err)
	}
	f.until("the shell", func(p api.PaneInfo) bool { return p.Harness == "shell" })
	receipt, err := n.Walky.Send(t.Context(), walky.Sender{Label: "operator", Level: trust.Operator}, to, "look at this", "")
	if err != nil || receipt.State != walky.Refused {
		t.Errorf("the message is %+v, %v, want refused", receipt, err)
	}
	if got := f.record(); got != "\x03" {
		t.Errorf("the program got %q", got)
	}
}
