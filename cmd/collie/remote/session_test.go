package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dial opens a session with a shell of this machine in the place of ssh.
func dial(t *testing.T, script string) *session {
	t.Helper()
	s, err := open(t.Context(), []string{"/bin/sh", "-c", script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

func TestAnAnswerIsWhatStandsBetweenTheMarks(t *testing.T) {
	t.Parallel()
	// What a start-up file prints, also without a line end, belongs to no answer.
	s := dial(t, `printf 'Welcome\r\n\033]0;owned\007{"version": 9}'; exec sh`)
	for script, want := range map[string]answer{
		"echo one; echo two >&2":    {"one\ntwo", 0},
		"printf no-line-end":        {"no-line-end", 0},
		"echo bad; (exit 7)":        {"bad", 7},
		"true":                      {"", 0},
		"cat":                       {"", 0}, // it has no input, and sees none of ours
		"echo 'it'\\''s'\necho 'x'": {"it's\nx", 0},
	} {
		if got, err := s.do(order{script: script, within: answerTimeout}); err != nil || got != want {
			t.Errorf("%q: %+v, %v", script, got, err)
		}
	}
}

func TestInputGoesToTheScriptAndNeverToTheShell(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"dash", "bash"} {
		s := dial(t, "exec "+shell)
		input := strings.Repeat("echo owned\n", 50_000)
		var told int64
		got, err := s.do(order{
			script: "head -c 550000 | cksum | cut -d' ' -f2", input: strings.NewReader(input),
			sent: func(bytes int64) { told = bytes }, within: answerTimeout,
		})
		if err != nil || got != (answer{"550000", 0}) || told != 550_000 {
			t.Errorf("%s: %+v, %v, told of %d", shell, got, err, told)
		}
		got, err = s.do(order{script: "IFS= read -r secret", input: strings.NewReader("tokén.with$odd'bytes\n"), within: answerTimeout})
		if err != nil || got != (answer{}) {
			t.Errorf("%s: %+v, %v", shell, got, err)
		}
		if got, err = s.do(order{script: `echo "$secret"`, within: answerTimeout}); err != nil || got.output != "tokén.with$odd'bytes" {
			t.Errorf("%s: %+v, %v", shell, got, err)
		}
		// A script that fails may leave input, which the shell would run: it
		// goes first.
		ran := filepath.Join(t.TempDir(), "ran")
		got, err = s.do(order{script: "false", input: strings.NewReader(": >" + ran + "\n"), within: answerTimeout})
		if err != nil || got.exit != 1 {
			t.Errorf("%s: %+v, %v", shell, got, err)
		}
		if got, err = s.do(order{script: "true", within: answerTimeout}); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %+v, %v", shell, got, err)
		}
		if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: input was run: %v", shell, err)
		}
	}
}

func TestHostileOutputIsBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		reason error
	}{
		"lines without an end":          {"yes noise", ErrTooMuch},
		"one line without an end":       {"tr '\\0' x </dev/zero", ErrTooMuch},
		"a flood on stderr":             {"yes noise >&2", ErrSilent},
		"nothing at all":                {"exec sleep 60", ErrSilent},
		"an end at once":                {"echo 'motd'; echo \"permission\033[31m denied\" >&2; exit 255", ErrUnreachable},
		"a shell that keeps its orders": {"cat >/dev/null", ErrSilent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := dial(t, c.script)
			began := time.Now()
			_, err := s.do(order{script: "true", within: time.Second})
			var failed *Failure
			if !errors.As(err, &failed) || failed.Reason != c.reason || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 2*maxSaid {
				t.Errorf("%q", err)
			}
			if c.reason == ErrUnreachable && failed.What != "permission[31m denied" {
				t.Errorf("%q", failed.What)
			}
			s.close()
			if took := time.Since(began); took > 4*endTimeout {
				t.Errorf("it took %v", took)
			}
			if kept := len(s.stderr.String()); kept > maxErrorOutput {
				t.Errorf("%d bytes of stderr are kept", kept)
			}
		})
	}
}

func TestHostileAnswersAreBounded(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"lines":                 "yes noise",
		"a line":                "tr '\\0' x </dev/zero",
		"a mark of another":     `echo "$0+1 0"; exec yes noise`,
		"more than is promised": "head -c 400000 /dev/zero | tr '\\0' '\\n'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := dial(t, "exec sh")
			if got, err := s.do(order{script: script, within: answerTimeout}); !errors.Is(err, ErrTooMuch) {
				t.Errorf("%d bytes, %v", len(got.output), err)
			}
		})
	}
}

func TestAnInputThatIsNotTakenStalls(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := open(ctx, []string{"/bin/sh"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	// The person gives up while the pipe is full.
	_, err = s.do(order{script: "exec sleep 60", input: endless{}, within: answerTimeout, sent: func(bytes int64) {
		if bytes == copyPiece {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestWithoutSSHTheReasonIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := open(t.Context(), []string{"/nonexistent/ssh"}); !errors.Is(err, ErrNoSSH) {
		t.Errorf("%v", err)
	}
}
