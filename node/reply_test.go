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

func TestAReplyIsTypedSeenAndSubmittedOnce(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	shown, err := n.Local().Pane(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	replied, err := n.Local().Reply(t.Context(), id, api.Reply{Text: "make it so", Submit: true, Screen: shown.Screen})
	if err != nil || replied != (api.Replied{TextDelivered: true, Submitted: true}) {
		t.Fatalf("the reply is %+v, %v", replied, err)
	}
	eventually(t, "the line", func() bool { return record() == "make it so\n" })
}

func TestAReplyWithoutSubmitPressesNoEnter(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	replied, err := n.Local().Reply(cli(t), id, api.Reply{Text: "half a thought"})
	if err != nil || replied != (api.Replied{TextDelivered: true}) {
		t.Fatalf("the reply is %+v, %v", replied, err)
	}
	waitFor(t, n, id, "ready> half a thought")
	given(t, record, "")
}

func TestAReplyToAPromptThatChangedTypesNothing(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	shown, err := n.Local().Pane(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Local().Reply(cli(t), id, api.Reply{Text: "rm -rf "}); err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, id, "ready> rm -rf")
	_, err = n.Local().Reply(t.Context(), id, api.Reply{Text: "build", Submit: true, Screen: shown.Screen})
	refused(t, "a reply to what was on the screen before", err, api.ErrScreenChanged)
	if err := n.Local().Keys(t.Context(), id, api.Keys{Keys: []string{"Enter"}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the line without the reply", func() bool { return record() == "rm -rf \n" || record() == "rm -rf\n" })
}

func TestAPasswordPromptTakesNoReply(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, record := recorder(t)
	id := run(t, n, pane.Spec{}, fmt.Sprintf("stty -echo; printf 'Password: '; IFS= read -r p; printf '%%s' \"$p\" > %s; stty echo; sleep 100", path), "Password:")
	_, err := submit(t, n, id, "hunter2")
	refused(t, "a reply to a password prompt", err, api.ErrPasswordPrompt)
	_, err = fromPhone(t, n, id, "hunter2")
	refused(t, "a phone's reply to a password prompt", err, api.ErrPasswordPrompt)
	given(t, record, "")
	noneWrittenDown(t, n, "hunter2")
}

// A program that reads raw, as ssh does on this side of a password prompt on the
// other, is known by what stands before the cursor.
func TestWhatAnswersAPasswordPromptIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"of a raw program":    "stty raw -echo; printf \"bob@host's password: \"; cat > %s",
		"that is shown":       "printf 'Enter PIN for key: '; IFS= read -r p; printf '%%s' \"$p\" > %s; sleep 100",
		"in another language": "stty raw -echo; printf 'Mot de passe : '; cat > %s",
		"that is a question":  "stty raw -echo; printf '[sudo] password for bob (again)? '; cat > %s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := open(t)
			path, record := recorder(t)
			id := run(t, n, pane.Spec{}, fmt.Sprintf(script, path), "")
			eventually(t, "the prompt", func() bool {
				shown, err := n.Local().Pane(t.Context(), id)
				return err == nil && shown.Cursor.Col > 10
			})
			_, _ = submit(t, n, id, "hunter2") // a raw program shows nothing of it
			eventually(t, "the text", func() bool { return record() == "hunter2" })
			noneWrittenDown(t, n, "hunter2")
		})
	}
}

func TestAReplyThatIsRefusedIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := recording(t, n, pane.Spec{}, lines, "ready>")
	_, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "hunter2", Submit: true, Screen: "of a prompt that has gone"})
	refused(t, "a reply to another screen", err, api.ErrScreenChanged)
	noneWrittenDown(t, n, "hunter2")
}

// noneWrittenDown checks that a reply was audited as marks, and that nothing of it
// is in a file of the node.
func noneWrittenDown(t *testing.T, n *node.Node, text string) {
	t.Helper()
	marks := false
	for _, name := range []string{"audit.log", "sent.jsonl"} {
		data, err := os.ReadFile(n.Folder.Path(name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.Contains(string(data), text) {
			t.Errorf("%s holds the password:\n%s", name, data)
		}
		marks = marks || strings.Contains(string(data), `"what":"`+strings.Repeat("•", len(text))+`"`)
	}
	if !marks {
		t.Error("no line of the audit log has marks for it")
	}
}

func TestTextThatDoesNotAppearIsDeliveredAndNotSubmitted(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, raw, "raw program")
	replied, err := submit(t, n, id, "yes")
	refused(t, "a reply that the program does not show", err, api.ErrNotSubmitted)
	if !replied.TextDelivered || replied.Submitted {
		t.Errorf("the reply is %+v, want delivered and not submitted", replied)
	}
	given(t, record, "yes")
}

func TestTextThatAppearsInPartIsNotSubmitted(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, record := recorder(t)
	// It paints the first 60 bytes of what it is given, and no more.
	id := run(t, n, pane.Spec{}, fmt.Sprintf("stty raw -echo; printf 'raw program> '; head -c 60 | tee %s; cat >> %s", path, path), "raw program>")
	text := strings.Repeat("abcdefghij", 10)
	_, err := submit(t, n, id, text)
	refused(t, "a reply that is painted in part", err, api.ErrNotSubmitted)
	if got := record(); strings.Contains(got, "\r") {
		t.Errorf("Enter was pressed: %q", got)
	}
}

func TestWideTextIsSubmittedOnceAtEveryWidth(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("漢字仮名交", 40)
	for _, cols := range []int{50, 40, 18} {
		t.Run(fmt.Sprint(cols, " columns"), func(t *testing.T) {
			t.Parallel()
			n := open(t)
			id, record := recording(t, n, pane.Spec{Cols: cols, Rows: 60}, lines, "ready>")
			if _, err := submit(t, n, id, text); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the line", func() bool { return record() == text+"\n" })
		})
	}
}

func TestAReplyWaitsForAProgramThatStalls(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, record := recorder(t)
	// It reads nothing for a second, then paints what it is given itself.
	script := fmt.Sprintf("stty raw -echo; printf 'slow> '; sleep 1; tee %s", path)
	id := run(t, n, pane.Spec{}, script, "slow>")
	replied, err := submit(t, n, id, "one line")
	if err != nil || !replied.Submitted {
		t.Fatalf("the reply is %+v, %v", replied, err)
	}
	eventually(t, "the line and one Enter", func() bool { return record() == "one line\r" })
}

func TestRepliesAtTheSameTimeDoNotInterleave(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{Rows: 60}, lines, "ready>")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 40)
			if _, err := submit(t, n, id, text); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	eventually(t, "eight lines", func() bool { return strings.Count(record(), "\n") == 8 })
	for _, line := range strings.Fields(record()) {
		if len(line) != 40 || strings.Trim(line, line[:1]) != "" {
			t.Errorf("two replies are in one line: %q", line)
		}
	}
}

func TestAReplyThatIsNoReplyIsRefused(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, "printf 'ready> '; cat > /dev/null", "ready>")
	_, err := n.Local().Reply(cli(t), id, api.Reply{})
	refused(t, "nothing to send", err, api.ErrBadRequest)
	_, err = submit(t, n, id, "\x03\x04")
	refused(t, "nothing but control characters", err, api.ErrBadRequest)
	_, err = n.Local().Reply(cli(t), id, api.Reply{Text: strings.Repeat("x", api.MaxReplyBytes+1)})
	refused(t, "too much to send", err, api.ErrTooLarge)
	_, err = n.Local().Reply(cli(t), "p-nobody", api.Reply{Text: "x"})
	refused(t, "a pane that is not there", err, api.ErrPaneNotFound)
	_, err = n.Local().Reply(cli(t), "../../etc/passwd", api.Reply{Text: "x"})
	refused(t, "an id that is a path", err, api.ErrPaneNotFound)
}

func TestLinesWithoutSubmitAreNotTypedWhereEachWouldBeSubmitted(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, record := recording(t, n, pane.Spec{}, lines, "ready>")
	_, err := n.Local().Reply(cli(t), id, api.Reply{Text: "rm -rf here\nthen there"})
	refused(t, "two lines without Enter", err, api.ErrWouldSubmit)
	if _, err := submit(t, n, id, "one"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the one line", func() bool { return record() == "one\n" })
}

func TestAReplyWhosePaneEndsAfterTheTextSaysSo(t *testing.T) {
	t.Parallel()
	n := open(t)
	// It ends at the first byte that it is given.
	id := run(t, n, pane.Spec{}, "stty raw -echo; printf 'brittle'; head -c 1 > /dev/null", "brittle")
	replied, err := submit(t, n, id, "hello")
	if err == nil || replied.Submitted {
		t.Fatalf("the reply is %+v, %v", replied, err)
	}
	if api.AsError(err).Code == api.ErrInternal.Code {
		t.Errorf("the refusal is %v, want one that says what happened", err)
	}
}
