package node_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/node"
	"collie/node/api"
	"collie/node/grid"
	"collie/node/pane"
)

// gate is a fifo at which a program waits, and the function that lets it go on.
func gate(t testing.TB) (path string, goOn func()) {
	path, waits := waiting(t)
	return path, func() { t.Helper(); waits()() }
}

// waiting is gate in two steps: there is a program at it, and then it may go on.
func waiting(t testing.TB) (path string, waits func() (goOn func())) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gate")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() func() {
		t.Helper()
		var file *os.File
		eventually(t, "a program at the gate", func() (there bool) {
			var err error
			file, err = os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
			return err == nil
		})
		return func() {
			if _, err := file.WriteString("go on\n"); err != nil {
				t.Error(err)
			}
			file.Close()
		}
	}
}

// interactive opens bash at its own prompt.
func interactive(t testing.TB, n *node.Node, prompt string) (id string) {
	t.Helper()
	info, err := n.Panes.New(t.Context(), pane.Spec{
		Command: []string{"bash", "--norc", "--noprofile", "-i"}, OpenedByOperator: true, Env: []string{"PS1=" + prompt},
	})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, string(info.ID), strings.TrimSpace(prompt))
	return string(info.ID)
}

func TestAReplyToOneQuestionIsNotTypedIntoAnotherWithTheSameLastLine(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		for name, questions := range map[string][2]string{
			"another host": {
				`The authenticity of host staging cannot be established.\nKey fingerprint is SHA256:AAAA.\nAre you sure (yes/no)? `,
				`The authenticity of host prod cannot be established.\nKey fingerprint is SHA256:EVIL.\nAre you sure (yes/no)? `,
			},
			"another plan above an empty row": {`Plan: 1 to add, 0 to destroy.\n\n  Enter a value: `, `Plan: 0 to add, 214 to destroy.\n\n  Enter a value: `},
			"the first row of a full screen":  {`jq will be installed` + rows(20) + `Continue? `, `libc6 will be REMOVED` + rows(20) + `Continue? `},
			"the same on the other screen":    {`Delete it?\n[y/N] `, `\033[?1049h\033[H\033[2JDelete it?\n[y/N] `},
			"with a hidden cursor":            {`\033[?25l\033[5;1HDelete cache?\033[1;1Hask `, `\033[5;1HDelete home? \033[1;1Hask `},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				at, goOn := gate(t)
				path, read := recorder(t)
				id := run(t, n, pane.Spec{}, `printf '\033[H\033[2J`+questions[0]+`'; read -r x <`+at+`; printf '\033[H\033[2J`+questions[1]+`\033]2;second\007'
					read -r line; printf %s "$line" >`+path, "")
				before := screenNow(t, n, id)
				eventually(t, "the first question", func() bool {
					now := screenNow(t, n, id)
					same := now == before
					before = now
					return same && shownText(t, n, id) != ""
				})
				goOn()
				eventually(t, "the second question", func() bool { return shownTitle(t, n, id) == "second" })
				_, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "yes", Submit: true, Screen: before})
				refused(t, "the reply", err, api.ErrScreenChanged)
				given(t, read, "")
				if _, err := fromPhone(t, n, id, "seen"); err != nil {
					t.Fatalf("the question that was seen: %v", err)
				}
				eventually(t, "the answer", func() bool { return read() == "seen" })
			})
		}
	})
}

func rows(count int) (all string) {
	for range count {
		all += `\n`
	}
	return all
}

func shownText(t testing.TB, n *node.Node, id string) string {
	t.Helper()
	shown, err := n.Local().Pane(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var screen grid.Screen
	if _, err := screen.Apply(shown.Frame); err != nil {
		t.Fatal(err)
	}
	return textOf(&screen)
}

func shownTitle(t testing.TB, n *node.Node, id string) string {
	t.Helper()
	shown, err := n.Local().Pane(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return shown.Title
}

func TestAQuestionWhoseSubjectChangesWhileItIsAnsweredGetsNoEnter(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id, read := recording(t, n, pane.Spec{}, byByte(`host staging\r\nConnect? `, `s) printf '\033[1;6Hprod   \033[2;10Hyes' ;;`), "Connect?")
		_, err := fromPhone(t, n, id, "yes")
		refused(t, "the reply", err, api.ErrNotSubmitted)
		given(t, read, "yes")
	})
}

func TestALineForAProgramIsNotTypedIntoTheShellBelowIt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		at, goOn := gate(t)
		id := interactive(t, n, "$ ")
		if _, err := submit(t, n, id, `sh -c "printf '\033[H\033[2J\$ \033]2;program\007'; read x <`+at+`; printf '\033[H\033[2J\033]2;over\007'"`); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the program", func() bool { return shownTitle(t, n, id) == "program" })
		before := screenNow(t, n, id)
		goOn()
		eventually(t, "the shell", func() bool { return shownTitle(t, n, id) == "over" && screenNow(t, n, id) != before })
		ran := filepath.Join(t.TempDir(), "ran")
		_, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "touch " + ran, Submit: true, Screen: before})
		refused(t, "the reply", err, api.ErrScreenChanged)
		if _, err := fromPhone(t, n, id, "echo seen >"+ran); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the line that was meant for the shell", func() bool { data, _ := os.ReadFile(ran); return string(data) == "seen\n" })
	})
}

func TestAtThePromptOfAShellWhatCameBeforeIsPast(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		id := interactive(t, n, "shell> ")
		reply(t, n, id, "echo one; echo two")
		waitFor(t, n, id, "two\nshell>")
		before := screenNow(t, n, id)
		reply(t, n, id, `printf '\033[H\033[2J'; printf '\033]2;cleared\007'`)
		eventually(t, "the prompt", func() bool { return shownTitle(t, n, id) == "cleared" && screenNow(t, n, id) == before })
		if _, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "echo three", Submit: true, Screen: before}); err != nil {
			t.Fatal(err)
		}
		waitFor(t, n, id, "\nthree\n")
	})
}

func TestAQuestionOfAFunctionOfTheShellIsNoPrompt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		path, read := recorder(t)
		at, goOn := gate(t)
		id := interactive(t, n, "$ ")
		reply(t, n, id, `ask() { printf '\033[H\033[2J%s\nSure? \033]2;%s\007' $1 $1; }; ask cache; read <`+at+`; ask home; read a; echo $a >>`+path)
		eventually(t, "the first question", func() bool { return shownTitle(t, n, id) == "cache" })
		before := screenNow(t, n, id)
		goOn()
		eventually(t, "the second question", func() bool { return shownTitle(t, n, id) == "home" })
		_, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "y", Submit: true, Screen: before})
		refused(t, "the reply", err, api.ErrScreenChanged)
		given(t, read, "")
	})
}

func TestAMarkThatTurnsAndAClockBelowRefuseNoReply(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		path, read := recorder(t)
		id := run(t, n, pane.Spec{Harness: "agent"}, `printf '\033[2J\033[3;1Hready> '
			(i=0; while i=$((i+1)); do for mark in ⠋ ⠙ ⠹; do printf "\0337\033[1;1H$mark at work\033[6;1Hclock $i\0338"; sleep 0.02; done; done) &
			IFS= read -r line; printf %s "$line" >`+path+`; kill $!`, "clock 2")
		for tries := 0; read() != "go on"; tries++ {
			if _, err := fromPhone(t, n, id, "go on"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the line", func() bool { return read() != "" })
		}
	})
}

func TestAReplyToOneRunOfAnAgentIsNotForTheNext(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		path, read := recorder(t)
		self := linkTo(t, "claude")
		for name, c := range map[string]struct{ first, second string }{
			"an empty box": {"", ""},
			"a question":   {"-screen " + screenOf("claude-bash"), "-screen " + screenOf("claude-bash")},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				id := run(t, n, pane.Spec{}, self+` _play -record `+path+` `+c.first+` -on q=; printf '\033[H\033[2J\033]2;over\007'; `+self+` _play -record `+path+` `+c.second, "")
				f := fake{t, n, id, read}
				card := ""
				ready := func(p api.PaneInfo) bool {
					if c.first == "" {
						return p.Status == "idle"
					}
					return len(p.Cards) == 1 && p.Cards[0].ID != card
				}
				f.until("the first run", ready)
				if c.first != "" {
					card = f.card().ID
				}
				before, program := screenNow(t, n, id), f.now().Program
				if err := n.Panes.Input(t.Context(), pane.ID(id), []byte("q")); err != nil {
					t.Fatal(err)
				}
				f.until("the second run", func(p api.PaneInfo) bool { return p.Harness == "claude" && p.Program != program && ready(p) })
				if c.first != "" {
					refused(t, "the tap", f.answer(card, "1", false), api.ErrScreenChanged)
					return
				}
				_, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "yes, delete it", Submit: true, Screen: before})
				refused(t, "the reply", err, api.ErrScreenChanged)
			})
		}
		t.Cleanup(func() { given(t, read, "qq") })
	})
}

func TestAPhoneThatWatchesIsToldOfAProgramThatComesWithoutAWord(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, n *node.Node) {
		path, read := recorder(t)
		at, waits := waiting(t)
		id := interactive(t, n, "$ ")
		reply(t, n, id, "clear; head -c 1 "+at+" >/dev/null; head -n 1 >"+path)
		goOn, seen := waits(), errors.New("seen")
		before, shown := "", ""
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		err := n.Local().Live(ctx, id, func(frame grid.Frame) error {
			shown = frame.Screen
			switch now := screenNow(t, n, id); {
			case shown != now:
			case before == "": // of the first program
				before = now
				goOn()
			case shown != before:
				return seen
			}
			return nil
		})
		if !errors.Is(err, seen) {
			t.Fatal(err)
		}
		if _, err := n.Local().Reply(asPixel(t), id, api.Reply{Text: "hello", Submit: true, Screen: shown}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the line", func() bool { return read() == "hello\n" })
	})
}
