package chat_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"collie/node/chat"
)

// start runs a process that stands for a harness: with that folder, environment
// and open file, and nothing else.
func start(t *testing.T, harness, cwd, env string, open ...string) chat.Process {
	t.Helper()
	command := exec.Command("sleep", "600")
	command.Dir, command.Env = cwd, []string{"HOME=" + t.TempDir(), env}
	for _, name := range open {
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		must(t, err)
		defer file.Close()
		command.ExtraFiles = append(command.ExtraFiles, file)
	}
	began := time.Now()
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	// Its variables can be read a moment after it was started.
	environ := fmt.Sprintf("/proc/%d/environ", command.Process.Pid)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		data, err := os.ReadFile(environ)
		must(t, err)
		if len(data) > 0 {
			break
		}
		if time.Now().After(deadline) { // one that has ended has none
			t.Fatal("a process shows no environment")
		}
	}
	return chat.Process{Harness: harness, PID: command.Process.Pid, Started: began, Rivals: func(string) int { return 0 }}
}

// put writes a file and the folders above it.
func put(t *testing.T, path, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func found(t *testing.T, p chat.Process, told chat.Told, want string) {
	t.Helper()
	source, err := chat.Find(p, told)
	if err != nil || source.Path != want {
		t.Errorf("found %q, %v; want %q", source.Path, err, want)
	}
}

func TestCodexsLogIsTheOneThatItsProcessHasOpen(t *testing.T) {
	t.Parallel()
	home, cwd := t.TempDir(), t.TempDir()
	name := func(hour int) string {
		return fmt.Sprintf("2026/11/30/rollout-2026-11-30T%02d-00-00-01a22e03-3b15-7032-8676-3b6bcfafb4%02d.jsonl", hour, hour)
	}
	head := fmt.Sprintf(`{"type":"session_meta","payload":{"cwd":%q}}`+"\n", cwd)
	for hour := range 4 {
		put(t, filepath.Join(home, "sessions", name(hour)), head)
	}
	env := "CODEX_HOME=" + home
	one := start(t, "codex", cwd, env, filepath.Join(home, "sessions", name(1)))
	two := start(t, "codex", cwd, env, filepath.Join(home, "sessions", name(2)), filepath.Join(home, "sessions", name(3))) // and an agent that it started
	found(t, one, chat.Told{}, name(1))
	found(t, two, chat.Told{}, name(2))

	// A version that keeps none open: the newest of its folder, when it is alone.
	alone := start(t, "codex", cwd, env)
	late := name(0)
	put(t, filepath.Join(home, "sessions", late), head)
	later := time.Now().Add(time.Minute)
	must(t, os.Chtimes(filepath.Join(home, "sessions", late), later, later))
	found(t, alone, chat.Told{}, late)
	alone.Rivals = func(string) int { return 1 }
	if _, err := chat.Find(alone, chat.Told{}); !errors.Is(err, chat.ErrUnclear) {
		t.Errorf("one of two: %v", err)
	}
}

func TestGeminisLogIsOfItsProject(t *testing.T) {
	t.Parallel()
	home, cwd := t.TempDir(), t.TempDir()
	put(t, filepath.Join(home, ".gemini", "projects.json"), fmt.Sprintf(`{"projects":{%q:"shop"}}`, cwd))
	p := start(t, "gemini", cwd, "GEMINI_CLI_HOME="+home)
	if _, err := chat.Find(p, chat.Told{}); !errors.Is(err, chat.ErrNone) {
		t.Errorf("before anything was said: %v", err)
	}
	put(t, filepath.Join(home, ".gemini/tmp/shop/chats/session-2026-11-30T19-51-930a8375.jsonl"), "{}\n")
	found(t, p, chat.Told{}, "shop/chats/session-2026-11-30T19-51-930a8375.jsonl")
	p.Rivals = func(string) int { return 1 }
	if _, err := chat.Find(p, chat.Told{}); !errors.Is(err, chat.ErrUnclear) {
		t.Errorf("one of two: %v", err)
	}
	found(t, p, chat.Told{Session: "930a8375-d608-4f0f-bb63-5ae3908ca7b7"}, "shop/chats/session-2026-11-30T19-51-930a8375.jsonl")
}

func TestAWordOfAHookOpensNoOtherFile(t *testing.T) {
	t.Parallel()
	config, cwd := t.TempDir(), t.TempDir()
	put(t, filepath.Join(config, "secret.jsonl"), "{}\n")
	must(t, os.MkdirAll(filepath.Join(config, "projects"), 0o700))
	p := start(t, "claude", cwd, "CLAUDE_CONFIG_DIR="+config)
	for _, session := range []string{"../secret", "/etc/passwd", "..", "a/b", "x\x00y"} {
		if source, err := chat.Find(p, chat.Told{Session: session}); err == nil {
			t.Errorf("%q leads to %q", session, source.Path)
		}
	}
	// A file of an earlier process with that number is not believed.
	old := put(t, filepath.Join(config, "sessions", fmt.Sprintf("%d.json", p.PID)), `{"sessionId":"old"}`)
	put(t, filepath.Join(config, "projects", "elsewhere", "old.jsonl"), "{}\n")
	must(t, os.Chtimes(old, time.Unix(1, 0), time.Unix(1, 0)))
	if source, err := chat.Find(p, chat.Told{}); !errors.Is(err, chat.ErrNone) {
		t.Errorf("%q, %v", source.Path, err)
	}
	put(t, old, `{"sessionId":"old"}`) // now it is this one's
	found(t, p, chat.Told{}, "elsewhere/old.jsonl")
	if _, err := chat.Find(chat.Process{Harness: "vi", PID: p.PID}, chat.Told{}); !errors.Is(err, chat.ErrNone) {
		t.Errorf("of no harness: %v", err)
	}
}

// An agent may put a pipe, to which nobody writes, in the place of what is read.
func TestAPipeInThePlaceOfAFileOrAFolderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	pipe := func(path ...string) {
		t.Helper()
		at := filepath.Join(path...)
		must(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must(t, syscall.Mkfifo(at, 0o600))
	}
	config, cwd := t.TempDir(), t.TempDir()
	claude := start(t, "claude", cwd, "CLAUDE_CONFIG_DIR="+config)
	pipe(config, "sessions", fmt.Sprintf("%d.json", claude.PID))
	pipe(config, "projects", strings.ReplaceAll(cwd, "/", "-"))
	home := t.TempDir()
	pipe(home, ".gemini", "projects.json")
	sessions := t.TempDir()
	pipe(sessions, "sessions", "2026", "11")
	pipe(sessions, "sessions", "2025")
	ended := make(chan error, 3)
	for _, p := range []chat.Process{claude, start(t, "gemini", cwd, "GEMINI_CLI_HOME="+home), start(t, "codex", cwd, "CODEX_HOME="+sessions)} {
		go func() { _, err := chat.Find(p, chat.Told{}); ended <- err }()
	}
	for range 3 {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("a log was found")
			}
		case <-time.After(30 * time.Second):
			t.Fatal("somebody waits for a pipe")
		}
	}
}
