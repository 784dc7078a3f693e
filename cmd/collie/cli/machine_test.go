package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"collie/node/control"
)

// TestMain makes the test binary the program itself, when it is run by the name
// collie.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"collie": func() { os.Exit(Main(os.Args[1:])) }})
}

// patience is how long a condition may take on a loaded machine.
const patience = 30 * time.Second

// A machine is a node in folders of its own, and the commands that speak to it.
type machine struct {
	home    string
	environ []string
	process *exec.Cmd
	ended   chan error
	ready   control.Status
}

// environ is what a node and its commands are run with.
func environ(home string, settings ...string) []string {
	return append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "PS1=$ ", "TMPDIR=" + os.TempDir(),
		"COLLIE_STATE_DIR=" + filepath.Join(home, "state"), "COLLIE_CONFIG_DIR=" + filepath.Join(home, "config"),
		"COLLIE_PORT=0", "COLLIE_MESH_LISTEN=127.0.0.1:0",
		// Under the race detector every process would sleep a second at its end.
		"GORACE=atexit_sleep_ms=0",
	}, settings...)
}

// start runs collie up and waits until it serves.
func start(home string, settings ...string) (*machine, error) {
	m := &machine{home: home, environ: environ(home, settings...), ended: make(chan error, 1)}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(m.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	m.process = exec.Command("collie", "up", "--ready-fd", "3")
	m.process.Env, m.process.Stdout, m.process.Stderr, m.process.ExtraFiles = m.environ, log, log, []*os.File{write}
	err = m.process.Start()
	write.Close()
	if err != nil {
		return nil, err
	}
	go func() { m.ended <- m.process.Wait() }()
	if err := read.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return m, err
	}
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		return m, fmt.Errorf("the node did not start: %w\n%s", err, m.log())
	}
	return m, json.Unmarshal(line, &m.ready)
}

func (m *machine) logPath() string { return filepath.Join(m.home, "log") }

func (m *machine) log() string {
	data, err := os.ReadFile(m.logPath())
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// stop sends SIGTERM and returns an error unless the node ends in time with 0.
func (m *machine) stop() error {
	began := time.Now()
	_ = m.process.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-m.ended:
		m.ended <- err
		if took := time.Since(began); err == nil && took > 5*time.Second {
			err = fmt.Errorf("the stop took %v", took)
		}
		return err
	case <-time.After(patience):
		_ = m.process.Process.Kill()
		return errors.New("the node did not stop")
	}
}

// end closes the panes, which would outlive the test, and stops the node.
func (m *machine) end() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := control.Dial(m.ready.StateDir)
	var panes []control.Pane
	if client.Call(ctx, http.MethodGet, "/panes", nil, &panes) != nil {
		if again, err := start(m.home, m.environ...); err == nil { // it was stopped; its panes go on
			again.end()
		}
		return
	}
	for _, p := range panes {
		_ = client.Call(ctx, http.MethodPost, panePath(p.ID, "close"), struct{}{}, nil)
	}
	_ = m.stop()
}

// begin starts a machine that ends with the test.
func begin(t *testing.T, settings ...string) *machine {
	t.Helper()
	m, err := start(t.TempDir(), settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.end)
	return m
}

// run runs one command and returns what it wrote and its exit code.
func (m *machine) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	command := exec.Command("collie", args...)
	command.Env, command.Stdin, command.Stdout, command.Stderr = m.environ, strings.NewReader(stdin), &out, &errs
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// begin starts a command; what it returns waits for its end and its stdout.
func (m *machine) begin(t *testing.T, args ...string) (end func() string) {
	t.Helper()
	var out, errs bytes.Buffer
	command := exec.Command("collie", args...)
	command.Env, command.Stdout, command.Stderr = m.environ, &out, &errs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		t.Helper()
		if err := command.Wait(); err != nil {
			t.Fatalf("collie %s: %v, %s", strings.Join(args, " "), err, errs.String())
		}
		return out.String()
	}
}

// must runs a command that has to succeed, and returns its document as JSON
// decodes it.
func (m *machine) must(t *testing.T, args ...string) any {
	t.Helper()
	return m.mustWith(t, "", args...)
}

func (m *machine) mustWith(t *testing.T, stdin string, args ...string) any {
	t.Helper()
	stdout, stderr, code := m.run(t, stdin, append([]string{"--json"}, args...)...)
	if code != exitDone {
		t.Fatalf("collie %s: exit %d, %s\n%s", strings.Join(args, " "), code, stderr, m.log())
	}
	return decode(t, stdout)
}

// decode reads stdout that holds one document and nothing else.
func decode(t *testing.T, stdout string) any {
	t.Helper()
	var document any
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("not a document: %v\n%s", err, stdout)
	}
	if rest := strings.TrimSpace(stdout[decoder.InputOffset():]); rest != "" {
		t.Fatalf("after the document stands %q", rest)
	}
	return document
}

// at returns what stands in a document at a path of field names; 0 is the first
// element of a list.
func at[T any](t *testing.T, document any, path ...any) T {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := document.(map[string]any)
			if !ok {
				t.Fatalf("no object at %v: %v", path, document)
			}
			document = object[step]
		case int:
			list, ok := document.([]any)
			if !ok || len(list) <= step {
				t.Fatalf("no element at %v: %v", path, document)
			}
			document = list[step]
		}
	}
	value, ok := document.(T)
	if !ok {
		t.Fatalf("at %v stands %v (%T)", path, document, document)
	}
	return value
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
	}
}
