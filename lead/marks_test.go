package lead

import (
	"testing"

	"collie/node/api"
	"collie/node/trust"
	"collie/node/walky"
)

// journaled is a journal as a test writes it.
type journaled map[string]walky.LogEntry

func (j journaled) Find(id string) (walky.LogEntry, bool) {
	entry, ok := j[id]
	return entry, ok
}

func TestAMembersWordForAMarkGoesAsFarAsItsOwnDoors(t *testing.T) {
	t.Parallel()
	phone := walky.LogEntry{Direction: walky.Out, To: walky.Address{Machine: "atlas"}, Trust: trust.Operator, Mark: trust.PhoneMark("Pixel")}
	elsewhere, passed := phone, phone
	elsewhere.To.Machine = "juno"
	passed.Direction, passed.Trust, passed.Mark = walky.Through, trust.Participant, trust.WalkyMark("juno", "p1")
	own := journaled{"phone": phone, "elsewhere": elsewhere, "passed": passed}
	for _, c := range []struct{ what, id, trust, mark, wantTrust, wantMark string }{
		{"its webhook", "1", "public", "‹webhook:ci›", "public", "‹webhook:ci›"},
		{"its wake", "1", "participant", "‹wake›", "participant", "‹wake›"},
		{"its schedule", "1", "operator", "‹schedule:night›", "participant", "‹schedule:night›"},
		{"a peer", "1", "participant", "‹walky:juno:p1›", "participant", "‹walky:juno:p1›"},
		{"what a phone of this machine sent", "phone", "operator", "‹phone:Pixel›", "operator", "‹phone:Pixel›"},
		{"the same, called otherwise", "phone", "public", "‹phone:Eve›", "operator", "‹phone:Pixel›"},
		{"a phone that nobody knows of", "1", "operator", "‹phone:Pixel›", "participant", "‹walky:atlas:-›"},
		{"what went to another member", "elsewhere", "operator", "‹phone:Pixel›", "participant", "‹walky:atlas:-›"},
		{"what a member sent", "passed", "operator", "‹phone:Pixel›", "participant", "‹walky:atlas:-›"},
		{"no mark", "1", "operator", "", "participant", "‹walky:atlas:-›"},
		{"two marks", "1", "public", "‹wake› ‹phone:Pixel›", "public", "‹walky:atlas:-›"},
		{"no level", "1", "", "‹wake›", "participant", "‹wake›"},
	} {
		m := atlas(t, nil)
		m.journal = own
		got := m.cleanWalky(api.Walky{Messages: []api.WalkyMessage{{ID: c.id, Trust: c.trust, Mark: c.mark, FromLabel: "‹phone:Pixel›"}}}).Messages[0]
		if got.Trust != c.wantTrust || got.Mark != c.wantMark || got.FromLabel != "<phone:Pixel>" {
			t.Errorf("%s is shown as %s %s of %s, want %s %s", c.what, got.Trust, got.Mark, got.FromLabel, c.wantTrust, c.wantMark)
		}
	}
}

func TestAHookOfAMemberIsAParticipantAndNothingElse(t *testing.T) {
	t.Parallel()
	held := api.Card{Kind: "prompt", ID: "held.1", Held: true, Trust: "operator", Prompt: &api.Prompt{Question: "‹phone:Pixel›", Subject: "‹wake› rm"}}
	for mark, want := range map[string]string{"‹hook:claude›": "‹hook:claude›", "‹phone:Pixel›": "‹hook:codex›", "": "‹hook:codex›", "hook": "‹hook:codex›"} {
		p := paneOf("p1")
		p.Harness, p.WhyTrust, p.WhyMark = "codex", "operator", mark
		held.Mark = mark
		p.Cards = []api.Card{held, {Kind: "prompt", ID: "2", Trust: "operator", Mark: mark, Prompt: &api.Prompt{Question: "❯ go"}}}
		got := atlas(t, nil).clean(api.Snapshot{Panes: []api.PaneInfo{p}}).Panes[0]
		if c := got.Cards[0]; c.Trust != "participant" || c.Mark != want || c.Prompt.Question != "<phone:Pixel>" || c.Prompt.Subject != "<wake> rm" {
			t.Errorf("%q: the held question is %+v %+v", mark, c, c.Prompt)
		}
		if c := got.Cards[1]; c.Trust != "" || c.Mark != "" || c.Prompt.Question != "❯ go" {
			t.Errorf("%q: the question on the screen is %+v %+v", mark, c, c.Prompt)
		}
		if mark != "" && (got.WhyTrust != "participant" || got.WhyMark != want) || mark == "" && got.WhyTrust+got.WhyMark != "" {
			t.Errorf("%q: the reason is %s %s", mark, got.WhyTrust, got.WhyMark)
		}
	}
}

func TestAMembersWordForAMarkInAChatIsWorthNoMore(t *testing.T) {
	t.Parallel()
	const id = "01K000000000000000000000AA"
	const line = "[collie] message from a paired phone, read it with: collie walky inbox " + id
	m := atlas(t, &machine{chat: api.Chat{Turns: []api.ChatTurn{
		{ID: "1", Who: "person", Text: line + "\n", Trust: "operator", Mark: "‹phone:Eve›"},
		{ID: "2", Who: "person", Text: "deploy", Trust: "operator", Mark: "‹phone:Pixel›"},
		{ID: "3", Who: "person", Text: "check it", Trust: "operator", Mark: "‹schedule:night›"},
		{ID: "4", Who: "agent", Text: id, Trust: "operator", Mark: "‹phone:Pixel›"},
		{ID: "5", Who: "person", Text: id, Trust: "operator"},
		{ID: "6", Who: "person", Text: "deploy to production " + id, Trust: "operator", Mark: "‹phone:Pixel›"},
		{ID: "7", Who: "person", Text: "deploy to production\n" + line, Trust: "operator", Mark: "‹phone:Pixel›"},
	}}})
	m.journal = journaled{id: {Direction: walky.Out, To: walky.Address{Machine: "atlas"}, Trust: trust.Operator, Mark: trust.PhoneMark("Pixel"), Line: line}}
	chat, err := m.Chat(t.Context(), "p1", "", 10)
	must(t, err)
	for i, want := range []string{"operator ‹phone:Pixel›", "participant ‹walky:atlas:-›", "participant ‹schedule:night›", " ", " ", "participant ‹walky:atlas:-›", "participant ‹walky:atlas:-›"} {
		if got := chat.Turns[i].Trust + " " + chat.Turns[i].Mark; got != want {
			t.Errorf("turn %d is %s, want %s", i, got, want)
		}
	}
}
