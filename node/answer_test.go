package node_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/pane"
)

func TestATapOnACardPressesExactlyItsKey(t *testing.T) {
	t.Parallel()
	n := open(t)
	for name, c := range map[string]struct {
		screen, next, option string
		confirm              bool
		want                 string
	}{
		"claude, yes":      {"claude-bash", "claude-said", "1", false, "1"},
		"claude, no":       {"claude-bash", "claude-said", "3", false, "3"},
		"claude, always":   {"claude-bash", "claude-said", "2", true, "2"},
		"claude, question": {"claude-ask", "claude-said", "2", false, "2"},
		"codex":            {"codex-bash", "codex-said", "1", false, "1"},
		"gemini":           {"gemini-bash", "gemini-idle", "3", false, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, _, _ := strings.Cut(c.screen, "-")
			f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, program, "-screen", screenOf(c.screen), "-on", c.want+"="+screenOf(c.next))
			if err := f.answer(f.card().ID, c.option, c.confirm); err != nil {
				t.Fatal(err)
			}
			f.got(c.want)
			f.until("the card is gone", func(p api.PaneInfo) bool { return len(p.Cards) == 0 && !p.NeedsYou })
		})
	}
}

func TestAnAnswerThatCountsForTheFutureNeedsAConfirmation(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-write"))
	card := f.card()
	if o := card.Prompt.Options[1]; !o.Always || o.Deny {
		t.Errorf("the option is %+v", o)
	}
	refused(t, "the first tap", f.answer(card.ID, "2", false), api.ErrConfirm)
	f.got("")
}

func TestACardForOneCommandAnswersNoOther(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"), "-on", "x="+screenOf("claude-write"))
	card, screen := f.card(), f.seen()
	// The same dialog with the same buttons comes for something else.
	if err := f.node.Local().Keys(t.Context(), f.id, api.Keys{Keys: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f.node, f.id, "Create file")
	refused(t, "a tap on the card of before", f.answer(card.ID, "1", false), api.ErrScreenChanged)
	err := f.node.Local().Answer(t.Context(), f.id, api.Answer{Card: f.card().ID, Option: "1", Screen: screen})
	refused(t, "a tap with the screen of before", err, api.ErrScreenChanged)
	f.got("x")
}

func TestACardOfAnEndedQuestionPressesNothing(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"), "-on", "1="+screenOf("claude-said"))
	card := f.card()
	if err := f.answer(card.ID, "1", false); err != nil {
		t.Fatal(err)
	}
	refused(t, "a second tap", f.answer(card.ID, "1", false), api.ErrScreenChanged)
	f.got("1")
	if got := strings.Join(outcomes(t, f.node, "pane.answer"), " "); got != "accepted accepted screen_changed" {
		t.Errorf("the audit log says %s", got)
	}
}

func TestAnArrowDoesNotMakeACardStale(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile(screenOf("codex-bash"))
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.NewReplacer("› 1. Yes, proceed (y)", "  1. Yes, proceed (y)", "  2. Yes, and", "› 2. Yes, and").Replace(string(recorded))
	second := filepath.Join(t.TempDir(), "second.screen")
	if err := os.WriteFile(second, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "codex", "-screen", screenOf("codex-bash"), "-on", `\e[B=`+second, "-on", "1="+screenOf("codex-said"))
	card, screen := f.card(), f.seen()
	if err := f.node.Local().Keys(t.Context(), f.id, api.Keys{Keys: []string{"Down"}}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f.node, f.id, "› 2. Yes, and")
	// The phone has yet to see that the mark is another one.
	if err := f.node.Local().Answer(t.Context(), f.id, api.Answer{Card: card.ID, Option: "1", Screen: screen}); err != nil {
		t.Fatal(err)
	}
	f.got("\x1b[B1")
}

func TestOptionsWithoutAKeyAreReachedAndOnlyThenTaken(t *testing.T) {
	t.Parallel()
	n := open(t)
	// The mark does not move: Enter would take what is marked, so it is not pressed.
	f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "opencode", "-screen", screenOf("opencode-bash"))
	card := f.card()
	refused(t, "an option that cannot be reached", f.answer(card.ID, "3", false), api.ErrAnswerUnseen)
	f.got("\x1b[C")
	// The marked one is taken by Enter.
	g := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "opencode", "-screen", screenOf("opencode-bash"), "-on", `\r=`+screenOf("opencode-lines"))
	if err := g.answer(g.card().ID, "1", false); err != nil {
		t.Fatal(err)
	}
	g.got("\r")
}

func TestALongCommandIsOnItsCardFromItsFirstWord(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 24}, "claude", "-screen", screenOf("claude-long"), "-on", "1="+screenOf("claude-said"))
	card := f.card()
	p := card.Prompt
	if p.Cut || !strings.Contains(p.Subject, "rm -rf build/argument-000") || !strings.Contains(p.Subject, "argument-084") {
		t.Errorf("cut %t: %.200s", p.Cut, p.Subject)
	}
	if err := f.answer(card.ID, "1", false); err != nil {
		t.Fatal(err)
	}
	f.got("1")
}

func TestAQuestionWithAFullWidthMarkIsACard(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-ask"))
	if p := f.card().Prompt; p.Question != "Which database should the shop use？" || len(p.Options) != 3 || p.Options[0].Detail != "One server, many features" {
		t.Errorf("the card says %+v", p)
	}
}

func TestASecretInAQuestionIsMaskedOnItsCard(t *testing.T) {
	t.Parallel()
	n := open(t)
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	script := `stty raw -echo; printf '\033[?25l'; printf '%s\r\n' '` + strings.Repeat("─", 80) + `' ' Bash command' '' '   curl -H "Authorization: Bearer ` + secret + `" https://x.example' '' ' Do you want to proceed?' ' ❯ 1. Yes' '   2. No' '' ' Esc to cancel'; cat`
	id := run(t, n, pane.Spec{Harness: "claude", Cols: 90, Rows: 24}, script, "Esc to cancel")
	f := fake{t, n, id, nil}
	subject := f.card().Prompt.Subject
	if strings.Contains(subject, secret) || !strings.Contains(subject, "•") || !strings.Contains(subject, "https://x.example") {
		t.Errorf("the card says %s", subject)
	}
}

func TestAnOptionThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"))
	card := f.card()
	refused(t, "option 9", f.answer(card.ID, "9", false), api.ErrBadRequest)
	refused(t, "no option", f.answer(card.ID, "", false), api.ErrBadRequest)
	refused(t, "no card", f.answer("", "1", false), api.ErrBadRequest)
	f.got("")
}
