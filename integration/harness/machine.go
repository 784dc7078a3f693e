// Package harness runs real nodes for tests: each is a process of the real
// program with folders of its own on free loopback ports, driven over its
// command line and its HTTP API like by any script. The folders of a test that
// failed are kept, logs and all, and named in its output.
package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Patience is the deadline of everything that a test waits for. It is not a
// limit on how fast the product is; it ends a test that hangs.
const Patience = 30 * time.Second

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "collie-program-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "collie")
	output, err := exec.Command("go", "build", "-o", program, "collie/cmd/collie").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return program, nil
})

// Program returns the path of the program under test, built once.
func Program(t testing.TB) string {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// RemoveProgram deletes the built program; TestMain calls it at the end.
func RemoveProgram() {
	if program, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(program))
	}
}

// A Machine is one node and its folders.
type Machine struct {
	Name    string
	Home    string // HOME of the node and of its commands
	State   string
	URL     string // of the front door, once started
	environ []string
	host    *Host // nil for this machine's own network
	disk    *Disk // of its own, or nil

	t       testing.TB
	process *exec.Cmd
	ended   chan struct{}
}

// New makes the folders of a machine; settings are NAME=value pairs. Its ports
// are free ones, unless a setting says otherwise.
func New(t testing.TB, name string, settings ...string) *Machine {
	t.Helper()
	home, err := os.MkdirTemp("", "collie-"+name+"-")
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{Name: name, Home: home, State: filepath.Join(home, "state"), t: t}
	m.environ = []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/bash", "USER=" + os.Getenv("USER"),
		"COLLIE_STATE_DIR=" + m.State, "COLLIE_CONFIG_DIR=" + filepath.Join(home, "config"),
		"COLLIE_PORT=0", "COLLIE_MESH_LISTEN=127.0.0.1:0",
	}
	m.environ = append(m.environ, settings...)
	// A quiet shell: the same prompt on every machine, no start-up files.
	m.write(".bashrc", "PS1='$ '\n")
	t.Cleanup(m.cleanUp)
	return m
}

func (m *Machine) write(name, text string) {
	m.must(os.WriteFile(filepath.Join(m.Home, name), []byte(text), 0o600))
}

func (m *Machine) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%s: %v", m.Name, err)
	}
}

// On places the machine on a host of a network, before it starts. Its front
// door is then on that host's loopback, and its phones are there as well.
func (m *Machine) On(h *Host) *Machine {
	m.host = h
	return m
}

// Start runs `collie up` and waits until it serves.
func (m *Machine) Start() *Machine {
	m.t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		m.t.Fatal(err)
	}
	defer read.Close()
	log, err := os.OpenFile(m.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.process = exec.Command(Program(m.t), "up", "--ready-fd", "3")
	m.process.Env, m.process.Dir = m.environ, m.Home
	m.process.Stdout, m.process.Stderr = log, log
	m.process.ExtraFiles = []*os.File{write}
	m.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	start := m.process.Start
	if m.host != nil {
		start = func() error { return m.host.space.do(m.process.Start) }
	}
	if err := start(); err != nil {
		m.t.Fatal(err)
	}
	_ = write.Close()
	ended := make(chan struct{})
	m.ended = ended
	process := m.process
	go func() { // ends with the process, which cleanUp ends
		defer close(ended)
		_ = process.Wait()
	}()
	_ = read.SetReadDeadline(time.Now().Add(Patience))
	line, err := bufio.NewReader(read).ReadBytes('\n')
	if err != nil {
		m.t.Fatalf("%s did not become ready: %v\n%s", m.Name, err, m.Log())
	}
	var status struct {
		HTTP struct{ URL string }
	}
	if err := json.Unmarshal(line, &status); err != nil {
		m.t.Fatalf("%s said %q when it was ready: %v", m.Name, line, err)
	}
	m.URL = status.HTTP.URL
	return m
}

// Kill ends the node with SIGKILL and waits until it is gone.
func (m *Machine) Kill() { m.signal(syscall.SIGKILL) }

// Stop ends the node with SIGTERM, waits, and returns its exit code.
func (m *Machine) Stop() int {
	m.signal(syscall.SIGTERM)
	return m.process.ProcessState.ExitCode()
}

// Freeze stops the node in its tracks (SIGSTOP); Thaw has it go on.
func (m *Machine) Freeze() { _ = m.process.Process.Signal(syscall.SIGSTOP) }

// Thaw ends what Freeze began.
func (m *Machine) Thaw() { _ = m.process.Process.Signal(syscall.SIGCONT) }

// PID returns the process id of the node.
func (m *Machine) PID() int { return m.process.Process.Pid }

func (m *Machine) signal(signal syscall.Signal) {
	m.t.Helper()
	_ = m.process.Process.Signal(signal)
	select {
	case <-m.ended:
	case <-time.After(Patience):
		m.t.Fatalf("%s did not end after %s", m.Name, signal)
	}
}

// LogPath is where the node's output goes.
func (m *Machine) LogPath() string { return filepath.Join(m.Home, "node.log") }

// Log returns all that the node has said so far.
func (m *Machine) Log() string {
	text, _ := os.ReadFile(m.LogPath())
	return string(text)
}

// A Result is what a command did.
type Result struct {
	Stdout, Stderr string
	Exit           int
}

// Run runs a command of this machine's program, with text on its stdin.
func (m *Machine) Run(stdin string, args ...string) Result {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	command := exec.CommandContext(ctx, Program(m.t), args...)
	command.Env, command.Dir = m.environ, m.Home
	command.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%s: collie %s: %v", m.Name, strings.Join(args, " "), err)
	}
	return Result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// Terminal runs a command with a terminal of its own and returns all that is
// shown there.
func (m *Machine) Terminal(t testing.TB, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	line := Program(t)
	for _, arg := range args {
		line += " '" + arg + "'"
	}
	command := exec.CommandContext(ctx, "script", "-qec", line, "/dev/null")
	command.Env, command.Dir = m.environ, m.Home
	shown, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %s: %v\n%s", m.Name, line, err, shown)
	}
	return string(shown)
}

// CLI runs a command that must succeed and returns what it printed.
func (m *Machine) CLI(args ...string) string {
	m.t.Helper()
	result := m.Run("", args...)
	if result.Exit != 0 {
		m.t.Fatalf("%s: collie %s: exit %d\n%s\nlog:\n%s", m.Name, strings.Join(args, " "), result.Exit, result.Stderr, m.Log())
	}
	return result.Stdout
}

// JSON runs a command with --json that must succeed and parses its document.
func JSON[T any](m *Machine, args ...string) T {
	m.t.Helper()
	var v T
	text := m.CLI(append([]string{"--json"}, args...)...) // before a "--"
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		m.t.Fatalf("%s: collie %s printed %q: %v", m.Name, strings.Join(args, " "), text, err)
	}
	return v
}

// Eventually waits until a condition holds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never came: %s", what)
		}
		time.Sleep(20 * time.Millisecond) // the condition decides, not the pause
	}
}

// FreePort returns a UDP and TCP port number that nobody uses.
func FreePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// cleanUp ends the node and its panes. What a failed test leaves is kept.
func (m *Machine) cleanUp() {
	if m.process != nil {
		_ = m.process.Process.Kill()
		<-m.ended
	}
	m.endHolders()
	if m.disk != nil {
		m.must(m.disk.remove())
	}
	if m.t.Failed() {
		m.t.Logf("%s: kept %s; the end of its log:\n%s", m.Name, m.Home, tail(m.Log(), 40))
		return
	}
	if err := os.RemoveAll(m.Home); err != nil {
		m.t.Errorf("%s: %v", m.Name, err)
	}
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Processes returns the processes of this machine whose command line has an
// argument: all that run with its home.
func (m *Machine) Processes(argument string) []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err != nil || !bytes.Contains(environ, []byte("HOME="+m.Home+"\x00")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if argument == "" || slices.Contains(strings.Split(string(line), "\x00"), argument) {
			found = append(found, pid)
		}
	}
	return found
}

// endHolders kills the holders of this machine's panes, which outlive its node
// by design, and with them their programs.
func (m *Machine) endHolders() {
	for _, pid := range m.Processes("") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
