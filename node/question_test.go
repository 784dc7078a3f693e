package node_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"collie/crypto/need"
	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// onEach runs a test on panes of each multiplexer.
func onEach(t *testing.T, test func(t *testing.T, n *node.Node)) {
	t.Run("builtin", func(t *testing.T) { t.Parallel(); test(t, open(t)) })
	t.Run("tmux", func(t *testing.T) {
		t.Parallel()
		server := openTmux(t)
		server.command("new-session", "-d", "-x", "80", "-y", "24", "cat")
		test(t, server.node())
	})
}

func TestAReplyIsNotSubmittedToAnotherQuestion(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		for name, drawn := range map[string]string{
			"in the place of the one before": `\r\033[KDELETE everything? yes`,
			"in a line of its own":           `\r\nDELETE everything? yes`,
			"behind the one before":          `\r\nKeep file A? DELETE everything? yes`,
			"behind the text":                `yes\r\nyes`,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				id, read := recording(t, n, pane.Spec{}, byByte("Keep file A? ", `s) printf '`+drawn+`' ;;`), "Keep file A?")
				replied, err := fromPhone(t, n, id, "yes")
				refused(t, "the reply", err, api.ErrNotSubmitted)
				if !replied.TextDelivered || replied.Submitted {
					t.Errorf("the reply is %+v", replied)
				}
				given(t, read, "yes")
			})
		}
	})
}

func TestAQuestionThatComesWhereNoneWasIsNotAnsweredByWhatWasTypedForAnEmptyLine(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, byByte(`at work\r\n`, `s) printf 'DELETE everything? yes' ;;`), "at work")
		_, err := fromPhone(t, n, id, "yes")
		refused(t, "the reply", err, api.ErrNotSubmitted)
		given(t, read, "yes")
	})
}

func TestALineIsTypedAheadIntoABusyShell(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		// The prompt comes once the text has been read, and the text behind it again.
		id, read := recording(t, n, pane.Spec{}, byByte(`at work\r\n`, `e) printf 'make$ make' ;; "$cr") printf '\r\n' ;;`), "at work")
		if _, err := submit(t, n, id, "make"); err != nil {
			t.Fatal(err)
		}
		given(t, read, "make\r")
	})
}

func TestALineThatEndsInANewlineIsSubmittedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, lines, "ready>")
		for _, text := range []string{"one\n", "two"} {
			if _, err := submit(t, n, id, text); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "both lines", func() bool { return strings.Contains(read(), "two\n") })
		given(t, read, "one\ntwo\n")
	})
}

func TestAnEnterWhoseEffectIsNotSeenIsUnknownAndPressedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, byByte(`say> `, `"$cr") ;; *) printf %s "$c" ;;`), "say>")
		replied, err := fromPhone(t, n, id, "echo hello")
		refused(t, "the reply", err, api.ErrOutcomeUnknown)
		if detail, ok := api.AsError(err).Detail.(api.Replied); !ok || !detail.TextDelivered || detail.Submitted || replied != detail {
			t.Errorf("the reply is %+v, the detail %+v", replied, api.AsError(err).Detail)
		}
		given(t, read, "echo hello\r")
		if got := strings.Join(outcomes(t, n, "pane.reply"), " "); got != "accepted write_outcome_unknown" {
			t.Errorf("the audit log says %s", got)
		}
		if got := sentLines(t, n); len(got) != 1 || got[0] != "echo hello" {
			t.Errorf("sent are %q", got)
		}
	})
}

func TestAPhoneThatNamesNoScreenWritesNothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, raw, "raw program")
		for name, reply := range map[string]api.Reply{
			"a text":    {Text: "yes"},
			"a reply":   {Text: "yes", Submit: true},
			"a submit":  {Submit: true},
			"a discard": {Discard: true},
		} {
			for via, ctx := range map[string]context.Context{"phone": asPixel(t), "crew": node.WithVia(t.Context(), "crew"), "nobody": t.Context()} {
				_, err := n.Local().Reply(ctx, id, reply)
				refused(t, name+" of "+via, err, api.ErrScreenMissing)
			}
		}
		_, err := n.Local().Upload(asPixel(t), id, api.Upload{Name: "x", Size: 1, Body: strings.NewReader("x")})
		refused(t, "a file", err, api.ErrScreenMissing)
		given(t, read, "")
	})
}

func TestASubmitAndADiscardAreForTheScreenThatThePersonSaw(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, lines, "ready>")
		old := screenNow(t, n, id)
		if _, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "half", Screen: old}); err != nil {
			t.Fatal(err)
		}
		waitFor(t, n, id, "ready> half")
		for name, reply := range map[string]api.Reply{"a submit": {Submit: true, Screen: old}, "a discard": {Discard: true, Screen: old}} {
			_, err := n.Local().Reply(asPixel(t), id, reply)
			refused(t, name, err, api.ErrScreenChanged)
		}
		if _, err := n.Local().Reply(asPixel(t), id, api.Reply{Submit: true, Screen: screenNow(t, n, id)}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the line", func() bool { return read() == "half\n" })
		if got := sentLines(t, n); !slices.Equal(got, []string{"half"}) {
			t.Errorf("sent are %q", got)
		}
	})
}

func TestALineThatEndsItsProgramIsSent(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, `stty -echo -icanon; printf 'ready> '; text=$(dd bs=4 count=1 2>/dev/null); printf %s "$text"; head -c 1 >/dev/null`, "ready>")
	got, err := fromPhone(t, n, id, "exit")
	if err != nil || !got.Submitted {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSeveralLinesArePastedIntoAShellAtOnceAndSubmittedOnce(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	onEach(t, func(t *testing.T, n *node.Node) {
		path, read := recorder(t)
		info, err := n.Panes.New(t.Context(), pane.Spec{Command: []string{"bash", "--norc", "--noprofile", "-i"}, OpenedByOperator: true, Env: []string{"PS1=shell> "}})
		if err != nil {
			t.Fatal(err)
		}
		id := string(info.ID)
		waitFor(t, n, id, "shell>")
		got, err := fromPhone(t, n, id, "for i in 1 2; do\necho $i >>"+path+"\ndone")
		if err != nil || !got.Submitted {
			t.Fatalf("%+v, %v", got, err)
		}
		eventually(t, "what it writes", func() bool { return read() == "1\n2\n" })
	})
}
