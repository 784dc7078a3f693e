package node_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

func TestAReplyIsNotTypedIntoAMenu(t *testing.T) {
	t.Parallel()
	n := open(t)
	for _, name := range []string{"", "agent"} {
		path, read := recorder(t)
		id := run(t, n, pane.Spec{Harness: name}, `stty raw -echo; printf 'Delete all of it?\r\n❯ Yes\r\n  No\r\n'; cat >'`+path+`'`, "No")
		_, err := submit(t, n, id, "stop")
		refused(t, "a reply with the harness "+name, err, api.ErrDialogOpen)
		if read() != "" {
			t.Errorf("the menu got %q", read())
		}
	}
	if got := strings.Join(outcomes(t, n, "pane.reply"), " "); got != "accepted dialog_open accepted dialog_open" {
		t.Errorf("the audit log says %s", got)
	}
}

func TestAReplyIsNotTypedIntoAQuestion(t *testing.T) {
	t.Parallel()
	n := open(t)
	for _, screen := range []string{"claude-bash", "claude-multi", "codex-bash", "codex-trust", "gemini-bash", "opencode-bash", "opencode-ask"} {
		program, _, _ := strings.Cut(screen, "-")
		f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, program, "-screen", screenOf(screen))
		_, err := submit(t, n, f.id, "stop")
		refused(t, screen, err, api.ErrDialogOpen)
		f.got("")
	}
}

func TestAReplyNeedsAnInputThatIsSeen(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, read := recorder(t)
	id := run(t, n, pane.Spec{Harness: "claude"}, `stty raw -echo; printf 'loading'; cat >'`+path+`'`, "loading")
	_, err := submit(t, n, id, "stop")
	refused(t, "a reply", err, api.ErrInputUnseen)
	if read() != "" {
		t.Errorf("the program got %q", read())
	}
	if p := (fake{t, n, id, nil}).now(); p.Status != "unknown" || p.NeedsYou || len(p.Cards) != 0 {
		t.Errorf("the pane is %+v", p)
	}
}

func TestAReplyGoesIntoTheBoxOnceAndLeavesIt(t *testing.T) {
	t.Parallel()
	n := open(t)
	wide := strings.Repeat("请把这个问题的答案写", 20) // 200 of two columns
	for name, c := range map[string]struct {
		spec pane.Spec
		text string
		args []string
		want string
	}{
		"one line":          {pane.Spec{}, "hello", nil, "\x1b[200~hello\x1b[201~\r"},
		"three lines":       {pane.Spec{}, "one\ntwo\nthree", nil, "\x1b[200~one\ntwo\nthree\x1b[201~\r"},
		"wide, 50 columns":  {pane.Spec{Cols: 50, Rows: 24}, wide, nil, "\x1b[200~" + wide + "\x1b[201~\r"},
		"wide, 40 columns":  {pane.Spec{Cols: 40, Rows: 24}, wide, nil, "\x1b[200~" + wide + "\x1b[201~\r"},
		"wide, 18 columns":  {pane.Spec{Cols: 18, Rows: 40}, wide, nil, "\x1b[200~" + wide + "\x1b[201~\r"},
		"a program at work": {pane.Spec{}, "hello", []string{"-tick", "20ms"}, "\x1b[200~hello\x1b[201~\r"},
		"a program that stalls": {
			pane.Spec{},
			strings.Repeat("a line of ten\n", 9) + "the end",
			[]string{"-stall", "2s"},
			"\x1b[200~" + strings.Repeat("a line of ten\n", 9) + "the end\x1b[201~\r",
		},
		"a list of options": {pane.Spec{}, "1. Yes\n2. No", nil, "\x1b[200~1. Yes\n2. No\x1b[201~\r"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := play(t, n, c.spec, "claude", c.args...)
			screen := f.seen()
			got, err := n.Local().Reply(t.Context(), f.id, api.Reply{Text: c.text, Submit: true, Screen: screen})
			if err != nil || !got.Submitted {
				t.Fatalf("%+v, %v", got, err)
			}
			if record := f.record(); record != c.want {
				t.Errorf("the program got %q, want %q", record, c.want)
			}
		})
	}
}

func TestAPartOfALongTextIsNoProof(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 40}, "claude", "-part", "60")
	var text strings.Builder
	for i := range 500 {
		text.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i%9))
	}
	_, err := submit(t, f.node, f.id, text.String()[:2000])
	refused(t, "a reply", err, api.ErrNotSubmitted)
	if detail, ok := api.AsError(err).Detail.(api.Replied); !ok || !detail.TextDelivered || detail.Submitted {
		t.Errorf("the detail is %+v", api.AsError(err).Detail)
	}
	if enters(f.record()) != 0 {
		t.Error("Enter was pressed")
	}
}

func TestLinesThatWereSentAreNotDenied(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, read := recorder(t)
	// It echoes by itself, and asks in the moment in which it gets Enter.
	id := run(t, n, pane.Spec{Harness: "agent"}, `stty raw -echo; cr=$(printf '\r'); printf 'say> '
		while c=$(dd bs=1 count=1 2>/dev/null); do
			printf %s "$c" >>'`+path+`'
			case $c in "$cr") printf '\r\nReally?\r\n❯ 1. Yes\r\n  2. No\r\n'; cat >>'`+path+`' ;; esac
			printf %s "$c"
		done`, "say>")
	_, err := submit(t, n, id, "first part\nsecond part")
	refused(t, "the second part", err, api.ErrPartlySent)
	if detail, ok := api.AsError(err).Detail.(api.Replied); !ok || !detail.TextDelivered || detail.Lines != 1 {
		t.Errorf("the detail is %+v", api.AsError(err).Detail)
	}
	given(t, read, "first part\r")
}

func TestEachLineIsSentWhereNewlinesAreSent(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, read := recorder(t)
	id := run(t, n, pane.Spec{Harness: "agent"}, `printf 'say> '; while read -r line; do echo "got $line" >>'`+path+`'; printf 'say> '; done`, "say>")
	got, err := submit(t, n, id, "one\n\ntwo\nthree\n")
	if err != nil || !got.Submitted {
		t.Fatalf("%+v, %v", got, err)
	}
	eventually(t, "the lines", func() bool { return read() == "got one\ngot two\ngot three\n" })
}

func TestADraftThatQuotesAQuestionIsNoCard(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude")
	text := "Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel"
	if _, err := f.node.Local().Reply(cli(t), f.id, api.Reply{Text: text}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f.node, f.id, "Esc to cancel")
	if p := f.until("its input is seen", func(p api.PaneInfo) bool { return p.Status == "idle" }); len(p.Cards) != 0 || p.NeedsYou {
		t.Errorf("the pane has %+v", p.Cards)
	}
}

func TestTwoWhoReplyAtOnceDoNotMix(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude")
	var both sync.WaitGroup
	for _, text := range []string{"from the phone", "from the desk"} {
		both.Go(func() {
			if _, err := submit(t, f.node, f.id, text); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	phone, desk := "\x1b[200~from the phone\x1b[201~\r", "\x1b[200~from the desk\x1b[201~\r"
	if got := f.record(); got != phone+desk && got != desk+phone {
		t.Errorf("the program got %q", got)
	}
}

// byHand starts a shell in a pane and in it, by hand, an agent that ends with
// Ctrl+C.
func byHand(t testing.TB, n *node.Node, args string) fake {
	t.Helper()
	path, read := recorder(t)
	info, err := n.Panes.New(t.Context(), pane.Spec{Command: []string{"/bin/sh", "-i"}, Env: []string{"PS1=shell> "}, OpenedByOperator: true, Cols: 80, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, n, string(info.ID), read}
	waitFor(t, n, f.id, "shell>")
	if _, err := submit(t, n, f.id, linkTo(t, "claude")+" _play -record "+path+" -on '\\c=' "+args); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAnAgentThatWasStartedByHandIsOne(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, _ := recorder(t)
	info, err := n.Panes.New(t.Context(), pane.Spec{Command: []string{"/bin/sh", "-i"}, Env: []string{"PS1=shell> "}, OpenedByOperator: true, Cols: 80, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, n, string(info.ID), nil}
	if p := f.until("a shell", func(p api.PaneInfo) bool { return p.Status == "shell" }); p.Harness != "shell" {
		t.Errorf("the pane is %+v", p)
	}
	waitFor(t, n, f.id, "shell>")
	command := linkTo(t, "claude") + " _play -record " + path + " -screen " + screenOf("claude-bash") + " -on 3="
	if _, err := submit(t, n, f.id, command); err != nil {
		t.Fatal(err)
	}
	card := f.card()
	if p := f.now(); p.Harness != "claude" {
		t.Errorf("the pane is %+v", p)
	}
	if err := f.answer(card.ID, "3", false); err != nil {
		t.Fatal(err)
	}
	f.until("the shell is back", func(p api.PaneInfo) bool { return p.Harness == "shell" && p.Status == "shell" && len(p.Cards) == 0 })
}

func TestWhatIsTypedForAnAgentReachesNoShell(t *testing.T) {
	t.Parallel()
	n := open(t)
	f := byHand(t, n, "")
	program := f.until("the agent", func(p api.PaneInfo) bool { return p.Harness == "claude" && p.Status == "idle" }).Program
	typed := func(client, program string, count uint64, keys ...string) error {
		return n.Local().Keys(t.Context(), f.id, api.Keys{Keys: keys, Typed: true, Client: client, N: count, Program: program})
	}
	for client, program := range map[string]string{"named": program, "bound": ""} {
		if err := typed(client, program, 1, "h", "i"); err != nil {
			t.Fatal(err)
		}
	}
	if err := typed("other", program, 1, "Ctrl+C"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, f.id, "shell>")
	marker, _ := recorder(t)
	line := strings.Split("echo pwned >"+marker, "")
	for client, program := range map[string]string{"named": program, "bound": ""} {
		refused(t, client, typed(client, program, 2, append(line, "Enter")...), api.ErrProgramChanged)
	}
	if _, err := os.Stat(marker); !errors.Is(err, os.ErrNotExist) {
		t.Error("it ran")
	}
	if err := typed("anew", f.until("the shell", func(p api.PaneInfo) bool { return p.Harness == "shell" }).Program, 1, "x"); err != nil {
		t.Errorf("a page that begins anew: %v", err)
	}
}

func TestEscapeOnAScreenThatNobodyUnderstandsNeedsASecondTap(t *testing.T) {
	t.Parallel()
	n := open(t)
	f := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-ticked-text"))
	escape := func() error { return n.Local().Keys(t.Context(), f.id, api.Keys{Keys: []string{"Escape"}}) }
	refused(t, "the first tap", escape(), api.ErrEscapeUnconfirmed)
	f.got("")
	if err := escape(); err != nil {
		t.Fatal(err)
	}
	f.got("\x1b")
	for _, keys := range [][]string{{"Escape"}, {"Ctrl+["}, {"ctrl+["}, {"Alt+Escape"}, {"x", "Ctrl+["}} {
		h := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-ticked-text"))
		refused(t, fmt.Sprintf("%q", keys), n.Local().Keys(asPixel(t), h.id, api.Keys{Keys: keys}), api.ErrEscapeUnconfirmed)
		h.got("")
	}
	for _, key := range []string{"Alt+x", "Up", "Shift+Tab", "F1", "Alt+Enter", "["} {
		if err := n.Local().Keys(t.Context(), f.id, api.Keys{Keys: []string{key}}); err != nil {
			t.Errorf("%s, which is no Escape: %v", key, err)
		}
	}
	refused(t, "the next one", escape(), api.ErrEscapeUnconfirmed)
	g := play(t, n, pane.Spec{Cols: 80, Rows: 30}, "claude", "-screen", screenOf("claude-bash"))
	g.card()
	if err := n.Local().Keys(t.Context(), g.id, api.Keys{Keys: []string{"Escape"}}); err != nil {
		t.Errorf("on a question that is understood: %v", err)
	}
}

func TestADiscardEmptiesTheInputAndSendsNothing(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude")
	if _, err := f.node.Local().Reply(cli(t), f.id, api.Reply{Text: "one\ntwo\n\nthree"}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, f.node, f.id, "three")
	if _, err := f.node.Local().Reply(cli(t), f.id, api.Reply{Discard: true}); err != nil {
		t.Fatal(err)
	}
	if got := f.record(); enters(got) != 0 || !strings.HasSuffix(got, "\x15") {
		t.Errorf("the program got %q", got)
	}
	_, err := f.node.Local().Reply(cli(t), f.id, api.Reply{Text: "x", Discard: true})
	refused(t, "a discard with a text", err, api.ErrBadRequest)
}

func TestAnEnterThatDoesNothingIsUnknownAndNotPressedAgain(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{Cols: 80, Rows: 30}, "claude", "-deaf")
	_, err := submit(t, f.node, f.id, "hello")
	refused(t, "a reply", err, api.ErrOutcomeUnknown)
	if got := f.record(); got != "\x1b[200~hello\x1b[201~\r" {
		t.Errorf("the program got %q", got)
	}
}

// Whoever took the Enter, the text was not seen to leave for where it was meant.
func TestAnEnterThatAQuestionMayHaveTakenIsUnknown(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{}, "claude", "-on", `\r=`+screenOf("claude-bash"))
	got, err := fromPhone(t, f.node, f.id, "tidy up the shed")
	refused(t, "the reply", err, api.ErrOutcomeUnknown)
	if !got.TextDelivered || got.Submitted || enters(f.record()) != 1 {
		t.Errorf("the reply is %+v, given %q", got, f.record())
	}
}

func TestACommandThatAListAnswersHasLeftItsBox(t *testing.T) {
	t.Parallel()
	f := play(t, open(t), pane.Spec{}, "claude", "-on", `\r=`+screenOf("claude-bash"))
	got, err := fromPhone(t, f.node, f.id, "/model")
	if err != nil || !got.Submitted || enters(f.record()) != 1 {
		t.Errorf("the reply is %+v, %v, given %q", got, err, f.record())
	}
}
