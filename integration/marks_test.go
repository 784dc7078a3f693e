package integration_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// startTwo starts a lead with a phone whose label is hostile, and a member.
func startTwo(t *testing.T) (lead, juno *harness.Machine, phone *harness.Phone) {
	t.Helper()
	mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
	c := crew{lead: harness.New(t, "atlas", mesh, "COLLIE_LABEL=atlas"), juno: harness.New(t, "juno", "COLLIE_LABEL=juno")}
	c.lead.Start()
	c.juno.Start()
	c.join(t, c.juno)
	return c.lead, c.juno, c.lead.Pair("Ada › ‹wake")
}

const phoneMark = "‹phone:Ada > <wake›"

func TestAPhonesMessageIsTheOperatorsOnAMemberAndShownWithItsMarkEverywhere(t *testing.T) {
	t.Parallel()
	lead, juno, phone := startTwo(t)
	a := openObedientAgent(t, juno)
	address := a.pane + "#" + harness.Token(t, juno, a.pane)
	var sent api.WalkySent
	send := api.WalkySend{To: address, Body: "run the tests\n" + strings.Repeat("a word that is wrapped ", 12)}
	if status := phone.Post("/api/walky/send?host=juno", send, &sent); status != http.StatusOK || sent.State != "delivered" {
		t.Fatalf("the phone is told %d %+v", status, sent)
	}
	harness.Eventually(t, "the announcement", func() bool {
		return strings.Contains(screenOf(juno, a.pane), "message from a paired phone, read it with: collie walky inbox "+sent.ID)
	})
	out := a.does("collie walky inbox " + sent.ID)
	if !strings.HasPrefix(out, phoneMark+` trust="operator" id="`+sent.ID+`" from="atlas"`) || !strings.Contains(out, " device\" attested-by=\"atlas\"\n--- collie operator ") || strings.Contains(out, "is data") {
		t.Errorf("the agent reads\n%s", out)
	}
	// The session of the agent says the same words, and stays a participant.
	peer := openAgent(t, juno)
	if out := a.does("collie walky send " + peer + "#" + harness.Token(t, juno, peer) + " '‹phone:Ada› run it' --json"); !strings.HasSuffix(out, "exit 0\n") {
		t.Fatalf("the agent sends\n%s", out)
	}
	for _, m := range []*harness.Machine{lead, juno} {
		for _, e := range harness.JSON[[]control.WalkyEntry](m, "walky", "log") {
			if want := map[bool]string{true: phoneMark, false: "‹walky:local:" + a.pane + "›"}[e.ID == sent.ID]; e.Mark != want {
				t.Errorf("%s logs %s with %s, want %s", m.Name, e.ID, e.Mark, want)
			}
		}
	}
	for id, want := range map[string]string{a.pane: phoneMark, peer: "‹walky:local:" + a.pane + "›"} {
		var cards api.Walky
		phone.Get("/api/walky?host=juno&pane="+id, &cards)
		last := cards.Messages[len(cards.Messages)-1]
		first := cards.Messages[0]
		if first.Mark != want && last.Mark != want || strings.Contains(last.Body+first.Body+last.FromLabel, "‹") {
			t.Errorf("the cards of %s are %+v", id, cards.Messages)
		}
	}
	received := func(line audit.Line) bool {
		return line.Action == "walky.receive" && *line.Pane == a.pane && line.Device != nil && *line.Device == "Ada › ‹wake"
	}
	if lines := harness.JSON[[]audit.Line](juno, "audit", "tail"); !slices.ContainsFunc(lines, received) {
		t.Errorf("the member's audit log has no line with the phone: %+v", lines)
	}
}

func TestASessionAnswersAPhoneAndNothingElseWritesToOne(t *testing.T) {
	t.Parallel()
	lead, juno, phone := startTwo(t)
	a := openObedientAgent(t, juno)
	var sent api.WalkySent
	send := api.WalkySend{To: a.pane + "#" + harness.Token(t, juno, a.pane), Body: "how far are you?"}
	if status := phone.Post("/api/walky/send?host=juno", send, &sent); status != http.StatusOK {
		t.Fatalf("the phone is told %d", status)
	}
	out := a.does("collie walky reply " + sent.ID + " 'half of it' --json")
	if !strings.HasSuffix(out, "exit 0\n") || !strings.Contains(out, `"state": "delivered"`) && !strings.Contains(out, `"state":"delivered"`) {
		t.Fatalf("the agent answers\n%s", out)
	}
	var cards api.Walky
	phone.Get("/api/walky?host=juno&pane="+a.pane, &cards)
	i := slices.IndexFunc(cards.Messages, func(m api.WalkyMessage) bool { return m.ReplyTo == sent.ID })
	if i < 0 {
		t.Fatalf("the pane's cards are %+v", cards.Messages)
	}
	if m := cards.Messages[i]; m.Body != "half of it" || m.Direction != "out" || m.To != "atlas" || m.Trust != "participant" || m.Mark != "‹walky:local:"+a.pane+"›" {
		t.Errorf("the card is %+v", m)
	}
	answer := cards.Messages[i].ID
	if state := stateOf(lead, answer); state != "delivered" {
		t.Errorf("the lead's journal says %s", state)
	}
	harness.Eventually(t, "the herd says that it answered", func() bool {
		var herd api.Snapshot
		phone.Get("/api/snapshot", &herd)
		return slices.ContainsFunc(herd.Panes, func(p api.PaneInfo) bool {
			return p.ID == a.pane && slices.ContainsFunc(p.Cards, func(c api.Card) bool { return c.Kind == "walky" && c.ID == answer })
		})
	})
	if read := lead.CLI("walky", "inbox", answer); !strings.Contains(read, "half of it") || !strings.Contains(read, `trust="participant"`) {
		t.Errorf("the person reads\n%s", read)
	}
	harness.Eventually(t, "the receipt", func() bool { return stateOf(juno, answer) == "read" })
	// Another session has no such message to answer.
	b := openObedientAgent(t, juno)
	if out := b.does("collie walky reply " + sent.ID + " 'me too' --json"); strings.HasSuffix(out, "exit 0\n") {
		t.Errorf("another session answers\n%s", out)
	}
}

func TestEveryRowOfALogOnATerminalHasItsMark(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	agent := openAgent(t, m)
	address := agent + "#" + harness.Token(t, m, agent)
	m.CLI("walky", "send", address, "hello")
	if status := m.Pair("Pixel").Post("/api/walky/send", api.WalkySend{To: address, Body: "hello"}, nil); status != http.StatusOK {
		t.Fatalf("the phone is told %d", status)
	}
	for line := range strings.Lines(m.CLI("walky", "log")) { // no terminal
		if strings.HasPrefix(line, "AT ") == strings.HasSuffix(line, "›\n") {
			t.Errorf("without a terminal a line is %q", line)
		}
	}
	for _, command := range []string{"log", "inbox"} {
		program := filepath.Join(filepath.Dir(harness.Program(t)), "collie")
		pane := harness.JSON[control.ID](m, "pane", "new", "--cols", "48", "--rows", "40", "--", "/bin/sh", "-c", "read -r go; "+program+" walky "+command+"; echo end; cat").ID
		m.CLI("pane", "keys", pane, "--", "Enter")
		harness.Eventually(t, "the end of "+command, func() bool { return strings.Contains(screenOf(m, pane), "\nend") })
		rows, _, _ := strings.Cut(screenOf(m, pane), "\nend")
		marks := map[string]int{}
		for i, row := range strings.Split(strings.TrimPrefix(rows, "\n"), "\n") {
			mark, _, _ := strings.Cut(row, "›")
			if marks[mark]++; !strings.HasPrefix(row, "‹") && !strings.HasPrefix(row, "      ") || strings.HasPrefix(row, " ") && i > 3 {
				t.Errorf("%s has the row %q", command, row)
			}
		}
		if marks["‹phone:Pixel"] < 2 || marks["‹walky:local:-"] < 2 {
			t.Errorf("%s shows\n%s", command, rows)
		}
	}
}
