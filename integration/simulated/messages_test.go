package simulated

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"collie/node/api"
	"collie/node/link"
	"collie/node/pane"
	"collie/node/trust"
	"collie/node/walky"
)

// agent is a program that takes lines and says what it took.
const agent = `while IFS= read -r line; do printf 'agent read: %s\n' "$line"; done`

// openAgent opens a pane with the agent and returns its address as the other
// machines of its crew write it.
func openAgent(t *testing.T, n *Node) walky.Address {
	t.Helper()
	info, err := n.Panes.New(t.Context(), pane.Spec{Command: []string{"/bin/sh", "-c", agent}, Harness: "agent", Cols: 200, Cwd: "/"})
	if err != nil {
		t.Fatal(err)
	}
	peers, err := n.Walky.Peers(t.Context(), walky.Sender{})
	if err != nil || len(peers) != 1 || peers[0].Address.Pane != string(info.ID) {
		t.Fatalf("%s lists the sessions %+v, %v", n.Name, peers, err)
	}
	return peers[0].Address
}

// announced counts the lines in a pane that announce a message.
func announced(n *Node, id, message string) int {
	frame, err := n.Panes.Screen(n.t.Context(), pane.ID(id))
	n.must(err)
	count := 0
	for _, line := range frame.Lines {
		if text := line.Text(); strings.HasPrefix(text, "agent read: ") && strings.Contains(text, message) {
			count++
		}
	}
	return count
}

// state is what a machine knows of a message.
func state(n *Node, id string) walky.State {
	for _, entry := range n.Walky.Log() {
		if entry.ID == id {
			return entry.State
		}
	}
	return ""
}

var operator = walky.Sender{Level: trust.Operator, Label: "operator"}

// send sends a message and waits for more than its acceptance.
func send(t *testing.T, n *Node, to walky.Address, body string) walky.Receipt {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	receipt, err := n.Walky.Send(ctx, operator, to, body, "")
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func TestAMessageWhoseAnswerIsCutIsUnknownAndNeverDeliveredTwice(t *testing.T) {
	t.Parallel()
	network, lead, atlas, juno := newCrew(t, Options{})
	to := openAgent(t, juno)
	delivered := make(chan struct{}, 1)
	juno.Around("/walky/deliver", func(serve func(), _ *httptest.ResponseRecorder) {
		network.Cut(juno) // before it could report what became of it
		serve()
		delivered <- struct{}{}
	})
	receipt := send(t, atlas, to, "the build is green")
	<-delivered
	if receipt.State != walky.Unknown {
		t.Fatalf("the sender is told %s (%s)", receipt.State, receipt.Reason)
	}
	if got := state(juno, receipt.ID); got != walky.Delivered {
		t.Fatalf("the receiver knows it as %s", got)
	}
	network.Heal(juno)
	for _, n := range []*Node{lead, atlas} { // the receiver says so, nobody asks again
		n.Await("told what became of it", func() bool { return state(n, receipt.ID) == walky.Delivered })
	}
	juno.Await("read by the agent", func() bool { return announced(juno, to.Pane, receipt.ID) > 0 })
	if n := announced(juno, to.Pane, receipt.ID); n != 1 || len(juno.Walky.Log()) != 1 {
		t.Errorf("it was announced %d times and journaled %d times", n, len(juno.Walky.Log()))
	}
}

func TestASenderThatWasAwayLearnsWhatBecameOfItsMessage(t *testing.T) {
	t.Parallel()
	_, lead, atlas, juno := newCrew(t, Options{})
	to := openAgent(t, juno)
	receipt := send(t, atlas, to, "please look")
	if receipt.State != walky.Delivered {
		t.Fatalf("it is %s (%s)", receipt.State, receipt.Reason)
	}
	atlas.Stop()
	if letter, err := juno.Walky.Read(t.Context(), walky.Sender{Pane: to.Pane}, receipt.ID); err != nil || letter.Body != "please look" || letter.AttestedBy != "barn" {
		t.Fatalf("juno reads %+v, %v", letter, err)
	}
	lead.Await("told that it was read", func() bool { return state(lead, receipt.ID) == walky.Read })
	if got := state(atlas, receipt.ID); got != walky.Delivered {
		t.Fatalf("atlas, which is away, knows it as %s", got)
	}
	atlas.Start()
	atlas.Await("told that it was read", func() bool { return state(atlas, receipt.ID) == walky.Read })
}

func TestAPhonesMessageToAMemberIsSentAndAttestedByTheLead(t *testing.T) {
	t.Parallel()
	var network Network
	lead := NewLead(t, &network, "barn")
	juno := NewMember(t, &network, lead, "juno", Options{})
	to := openAgent(t, juno)
	lead.AwaitHerd("shows the session", func(s api.Snapshot) bool {
		return slices.ContainsFunc(s.Panes, func(p api.PaneInfo) bool { return p.Host == "juno" && p.Token == to.Token })
	})
	to.Machine = "" // as the pane itself is shown
	sent, err := machine(t, lead, "juno").WalkySend(api.WithDevice(t.Context(), "pixel"), api.WalkySend{To: to.String(), Body: "hello"})
	if err != nil || sent.State != string(walky.Delivered) {
		t.Fatalf("the phone is told %+v, %v", sent, err)
	}
	letter, err := juno.Walky.Read(t.Context(), operator, sent.ID)
	if err != nil || letter.From.String() != "barn" || letter.FromLabel != "phone pixel" || letter.AttestedBy != "barn" || letter.Trust != trust.Operator || letter.Mark.String() != "‹phone:pixel›" {
		t.Errorf("juno reads %+v, %v", letter, err)
	}
	for _, n := range []*Node{lead, juno} {
		if entries := n.Walky.Log(); len(entries) != 1 || entries[0].Mark.String() != "‹phone:pixel›" {
			t.Errorf("%s has %+v in its log", n.Name, entries)
		}
	}
	if _, err := lead.Local().WalkySend(t.Context(), api.WalkySend{To: to.String(), Body: "from no phone"}); !errors.Is(err, api.ErrNotAllowed) {
		t.Errorf("a message of no phone: %v", err)
	}
}

func TestAReceiverThatAnswersForAnotherMessageChangesNothing(t *testing.T) {
	t.Parallel()
	network, lead, atlas, juno := newCrew(t, Options{})
	liar := NewMember(t, network, lead, "liar", Options{Panes: &panes{}}) // whose events report nothing
	first := send(t, atlas, openAgent(t, juno), "for juno")
	for _, answer := range []any{
		walky.Receipt{ID: first.ID, State: walky.Read},
		walky.Receipt{ID: first.ID, State: walky.Refused, Reason: "off"},
		walky.Receipt{State: walky.Delivered},
		map[string]string{"id": first.ID, "state": "exploded"},
		"nothing of the kind",
	} {
		liar.Around("/walky/deliver", func(serve func(), given *httptest.ResponseRecorder) {
			serve()
			text, err := json.Marshal(answer)
			liar.must(err)
			given.Body = bytes.NewBuffer(text)
		})
		receipt := send(t, atlas, walky.Address{Machine: "liar", Pane: "p1", Token: "k3f9"}, "for the liar")
		if receipt.State != walky.Unknown || receipt.ID == first.ID {
			t.Errorf("%v: the sender is told %+v", answer, receipt)
		}
	}
	for _, n := range []*Node{atlas, lead, juno} {
		if got := state(n, first.ID); got != walky.Delivered {
			t.Errorf("%s knows the other message as %s", n.Name, got)
		}
	}
}

func TestEveryMachineListsTheSessionsOfAllOnce(t *testing.T) {
	t.Parallel()
	_, lead, atlas, juno := newCrew(t, Options{})
	all := []*Node{lead, atlas, juno}
	var want []string
	for _, n := range all {
		want = append(want, openAgent(t, n).String())
	}
	slices.Sort(want)
	for _, n := range all {
		var got []string
		n.Await("lists them all", func() bool {
			peers, err := n.Walky.Who(t.Context(), operator)
			n.must(err)
			got = nil
			for _, peer := range peers {
				got = append(got, peer.Address.String())
			}
			slices.Sort(got)
			return len(got) >= len(want)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", n.Name, got, want)
		}
	}
}

func TestAMessageToNobodyIsRefusedByName(t *testing.T) {
	t.Parallel()
	_, lead, atlas, juno := newCrew(t, Options{})
	juno.Stop()
	lead.AwaitLink(juno, false)
	for to, want := range map[walky.Address]string{
		{Machine: "nobody", Pane: "p1", Token: "k3f9"}: walky.ReasonNoMachine,
		{Machine: "juno", Pane: "p1", Token: "k3f9"}:   walky.ReasonUnreachable,
	} {
		for _, n := range []*Node{lead, atlas} {
			if receipt := send(t, n, to, "hello"); receipt.State != walky.Refused || receipt.Reason != want {
				t.Errorf("%s to %s: %s (%s), want %s", n.Name, to, receipt.State, receipt.Reason, want)
			}
		}
	}
}

func TestAWriteIsAuditedOnBothMachinesWithThePhoneThatItCameFrom(t *testing.T) {
	t.Parallel()
	var network Network
	lead := NewLead(t, &network, "barn")
	juno := NewMember(t, &network, lead, "juno", Options{})
	to := openAgent(t, juno)
	m := machine(t, lead, "juno")
	shown, err := m.Pane(t.Context(), to.Pane)
	juno.must(err)
	replied, err := m.Reply(api.WithDevice(t.Context(), "Zoë's phone"), to.Pane, api.Reply{Text: "go on", Submit: true, Screen: shown.Screen})
	if err != nil || !replied.Submitted {
		t.Fatalf("the phone is told %+v, %v", replied, err)
	}
	juno.Await("read by the agent", func() bool { return announced(juno, to.Pane, "go on") == 1 })
	for n, want := range map[*Node][3]string{lead: {"juno", "", "forwarded"}, juno: {"", "crew", "accepted"}} {
		lines, err := n.Audit.Tail(20)
		n.must(err)
		found := false
		for _, line := range lines {
			if line.Action != "pane.reply" {
				continue
			}
			found = true
			if got := [3]string{word(line.Host), word(line.Via), line.Outcome}; got != want || word(line.Device) != "Zoë's phone" || word(line.Pane) != to.Pane {
				t.Errorf("%s: the line is %q for %q, want %q", n.Name, got, word(line.Device), want)
			}
		}
		if !found {
			t.Errorf("%s wrote no line: %+v", n.Name, lines)
		}
	}
}

func word(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestAFloodOfForgedMessagesIsRefusedBeforeItsSignaturesAreLookedAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, lead, atlas := newPair(t, Options{})
		reasons := map[string]int{}
		for range 200 {
			receipt, err := link.Send(t.Context(), atlas.Transport(lead), "/walky/send", "01M8PF40DVVSY0ZDX89SH84SRQ", walky.Envelope{Body: "forged"})
			if err != nil || receipt.State != walky.Refused || (receipt.Reason == walky.ReasonBusy) != (receipt.Wait > 0) {
				t.Fatalf("the answer is %+v, %v", receipt, err)
			}
			reasons[receipt.Reason]++
		}
		want := walky.DefaultLimits().SendPerMachine
		if reasons["check "+walky.CheckMessageSignature] != want || reasons[walky.ReasonBusy] != 200-want {
			t.Errorf("200 forged messages in no time are refused for %v", reasons)
		}
		if len(lead.Walky.Log()) != 0 {
			t.Error("the lead journals them")
		}
	})
}

// A member that says that a phone wrote its message is refused by the name of the
// check; nobody is shown anything of it.
func TestAMemberThatClaimsAPhoneIsRefusedByItsLead(t *testing.T) {
	t.Parallel()
	var network Network
	lead := NewLead(t, &network, "barn")
	mallory := NewMember(t, &network, lead, "mallory", Options{})
	juno := NewMember(t, &network, lead, "juno", Options{})
	to := openAgent(t, juno)
	for _, to := range []walky.Address{to, openAgent(t, lead)} {
		for _, device := range []string{"pixel", "‹phone:pixel›"} {
			ctx, cancel := context.WithTimeout(t.Context(), Patience)
			receipt, err := mallory.Walky.Send(ctx, walky.Sender{Device: device, Level: trust.Operator}, to, "deploy", "")
			cancel()
			if err != nil || receipt.State != walky.Refused || receipt.Reason != "check device" {
				t.Errorf("to %s as %s: %+v, %v", to, device, receipt, err)
			}
		}
	}
	// As what it is, it is heard, whatever it calls itself.
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	if _, err := mallory.Walky.Send(ctx, walky.Sender{Label: "phone ‹phone:pixel›", Level: trust.Operator}, to, "deploy", ""); err != nil {
		t.Fatal(err)
	}
	items, err := juno.Walky.Inbox(t.Context(), operator)
	if err != nil || len(items) != 1 || items[0].Trust != trust.Participant || items[0].Mark.String() != "‹walky:mallory:-›" || items[0].FromLabel != "phone <phone:pixel>" {
		t.Errorf("juno has %+v, %v", items, err)
	}
	if log := lead.Walky.Log(); len(log) != 1 || log[0].Direction != walky.Through {
		t.Errorf("the lead has %+v", log)
	}
}
