package pane_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"collie/node/pane"
	"collie/node/pane/holder"
	"collie/node/state"
)

// A logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestAHolderThatCrashesLeavesATraceInTheLogAndNothingOfThePane(t *testing.T) {
	t.Parallel()
	folder, log := newFolder(t), &logged{}
	b := openIn(t, folder)
	must(t, b.Detach())
	next := func() *pane.Builtin { return openWith(t, configOf(folder, slog.New(slog.NewTextHandler(log, nil)))) }
	b = next()
	for crashes, attached := range []bool{true, false} {
		info := start(t, b, "sh", "-c", "echo sekret-text; cat")
		await(t, b, info.ID, shows("sekret-text"))
		if !attached { // it crashes while no node is there
			must(t, b.Detach())
		}
		must(t, syscall.Kill(info.HolderPID, syscall.SIGABRT))
		eventually(t, "the end of the holder", func() bool { return !alive(info.HolderPID) })
		if !attached {
			b = next()
		}
		eventually(t, "its trace in the log", func() bool {
			return strings.Count(log.String(), "crashed") == crashes+1 && strings.Contains(log.String(), string(info.ID)) && strings.Contains(log.String(), "holder.(*hold).live")
		})
		eventually(t, "the pane leaves the list", func() bool { return len(b.List()) == 0 })
		if strings.Contains(log.String(), "sekret") {
			t.Errorf("the log has text of the pane:\n%s", log.String())
		}
	}
	eventually(t, "the end of every file", func() bool {
		left, err := filepath.Glob(filepath.Join(folder.Path(state.Panes), "*"))
		must(t, err)
		return len(left) == 0
	})
}

func TestOnlyTheRuntimesOwnWordsOfACrashAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]string{
		"": "",
		"panic: sekret [recovered]\n\tpanic: runtime error: index out of range [5] with length 3\n\ngoroutine 7 [running]:\nmain.f(0x1)\n": "goroutine 7 [running]:\nmain.f(0x1)\n",
		"panic: runtime error: index out of range [5] with length 3\n\ngoroutine 7 [running]:\nmain.f(0x1)\n":                              "panic: runtime error: index out of range [5] with length 3\ngoroutine 7 [running]:\nmain.f(0x1)\n",
		"fatal error: concurrent map writes\n": "fatal error: concurrent map writes",
	} {
		must(t, os.WriteFile(filepath.Join(dir, "p1"+holder.CrashSuffix), []byte(text), 0o600))
		if got, err := holder.TakeTrace(dir, "p1"); err != nil || got != want {
			t.Errorf("of %q is kept %q, %v", text, got, err)
		}
	}
	if got, err := holder.TakeTrace(dir, "p1"); err != nil || got != "" {
		t.Errorf("without a file: %q, %v", got, err)
	}
}
