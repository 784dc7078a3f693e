// Package holder is the small process that owns one pane: its program, the real
// terminal that the program runs on, and the emulator that keeps screen and
// scrollback. It outlives the node, which may stop, crash or be upgraded and
// finds every pane again through the holder's socket. What a node needs to know
// of a pane is asked from its holder; there is no file that could say otherwise.
//
// Invariants:
//   - The program's output is always read, with or without a node. A program
//     that floods is slowed by its own terminal, and every connection is served
//     in between: a watcher gets the newest picture, never a backlog.
//   - Input reaches the program whole and in order, or is refused before its
//     first byte.
//   - The holder is a child subreaper: whatever its program leaves behind stays
//     below it, so a caller can always be placed on its pane.
//   - After its program ended, the holder stays until a node closes the pane or an
//     hour went by, and until nothing that it adopted still runs.
//   - Only the same account is served (SO_PEERCRED, both ways), and while a node
//     holds the state folder only that.
//   - Nothing ticks: an idle pane has no timer.
//
// The protocol is length-prefixed messages (message.go) with a number that both
// ends agree on first (protocol.go). Bounds are in limits.go.
package holder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"collie/mesh/notify"
	"collie/node/pane/draft"
	"collie/node/pane/view"
	"collie/node/state"
)

// A hold is a pane in its own process.
type hold struct {
	pane     Pane
	dir      string
	exitKept time.Duration
	tty      tty
	view     *view.View
	input    *input
	listener *state.Socket
	signals  <-chan os.Signal
	closes   chan struct{} // requests to close the pane

	changed notify.Hub // signalled when state changed
	mu      sync.Mutex // guards what follows
	state   State
	typed   draft.Tracker // of what is not the terminal's own answer
}

// newHold binds the socket and starts the program. Nothing is served before live.
func newHold(spec Spec, signals <-chan os.Signal) (*hold, error) {
	if err := errors.Join(size{spec.Cols, spec.Rows}.check(), CheckLabel(spec.Label), CheckLabel(spec.Workspace)); err != nil {
		return nil, err
	}
	if len(spec.Command) == 0 {
		return nil, &Refusal{Code: ErrStart.Code, Message: "there is no command to start"}
	}
	listener, err := state.ListenUnix(spec.Dir, SocketName(spec.ID))
	if err != nil {
		return nil, err
	}
	terminal, pid, err := startProgram(spec)
	if err != nil {
		return nil, errors.Join(err, listener.Close(), listener.Remove())
	}
	now := time.Now()
	return &hold{
		pane: Pane{
			ID: spec.ID, Harness: spec.Harness, OpenedByOperator: spec.OpenedByOperator,
			Command: spec.Command, Cwd: spec.Cwd, PID: pid, StartedAt: now,
		},
		dir: spec.Dir, exitKept: min(spec.ExitKept, MaxExitKept), tty: terminal, view: view.New(spec.Cols, spec.Rows, spec.Scrollback, terminal.discipline),
		input: newInput(), listener: listener, signals: signals, closes: make(chan struct{}, 1),
		state: State{Label: spec.Label, Workspace: spec.Workspace, Cols: spec.Cols, Rows: spec.Rows, ActiveAt: now},
		typed: draft.Begin(draft.Empty),
	}, nil
}

func startProgram(spec Spec) (tty, int, error) {
	// Looked up where the program itself would look.
	for _, entry := range spec.Env {
		if path, found := strings.CutPrefix(entry, "PATH="); found {
			if err := os.Setenv("PATH", path); err != nil {
				return tty{}, 0, err
			}
		}
	}
	program := exec.Command(spec.Command[0], spec.Command[1:]...)
	program.Env, program.Dir = spec.Env, spec.Cwd
	var terminal tty
	err := spec.Origin.Restored(func() error {
		var err error
		terminal, err = startOnTTY(program, size{spec.Cols, spec.Rows})
		return err
	})
	if err != nil {
		return tty{}, 0, &Refusal{Code: ErrStart.Code, Message: fmt.Sprintf("%s could not be started: %v", spec.Command[0], err)}
	}
	// The program is collected by reap, with everything else below the holder.
	pid := program.Process.Pid
	return terminal, pid, program.Process.Release()
}

// live serves the pane until it is over.
func (h *hold) live() {
	var workers sync.WaitGroup
	drained := make(chan struct{})
	workers.Go(func() { h.drain(); close(drained) })
	workers.Go(func() { h.input.run(h.tty.master, h.view.Touch) })
	s := serve(h)
	h.attend(drained)
	s.close()
	workers.Wait()
}

// drain shows the program's output until its terminal ends, which Linux reports
// as EIO.
func (h *hold) drain() {
	chunk := make([]byte, readChunkBytes)
	var title string
	active := h.pane.StartedAt
	for {
		n, err := h.tty.master.Read(chunk)
		if n > 0 {
			replies, newTitle := h.view.Write(chunk[:n])
			if len(replies) > 0 {
				_ = h.input.add(replies, maxQueuedReplies)
			}
			if now := time.Now(); newTitle != title || now.Sub(active) >= activityInterval {
				title, active = newTitle, now
				h.update(func(s *State) { s.Title, s.ActiveAt = newTitle, now })
			}
		}
		if err != nil {
			return
		}
	}
}

// attend follows the life of the program: its end, what it leaves behind, and
// the wish to close the pane.
func (h *hold) attend(drained <-chan struct{}) {
	var (
		exit                     *int
		hungUp, told, read, kill bool
		grace, drainEnd, kept    <-chan time.Time
	)
	for {
		select {
		case sig := <-h.signals:
			if sig == syscall.SIGTERM && !hungUp {
				hungUp, grace = true, h.hangup()
			}
		case <-h.closes:
			kill = kill || (hungUp && told)
			if !hungUp {
				hungUp, grace = true, h.hangup()
			}
		case <-grace:
			_ = killBelow(h.inSession)
		case <-drained:
			drained = nil
		case <-drainEnd:
			drained = nil
		case <-kept:
			read = true
		}
		ended, others := reap()
		for _, e := range ended {
			if e.pid == h.pane.PID {
				exit = &e.code
				h.tty.programEnded()
				drainEnd = time.After(drainTimeout)
			}
		}
		if exit != nil && drained == nil && !told {
			told = true
			h.input.end()
			h.tty.hangup()
			kept = time.After(h.exitKept)
			h.update(func(s *State) { s.Exited, s.ExitedAt = exit, time.Now() })
		}
		if kill {
			_ = killBelow(func(int) bool { return true })
		}
		if told && (hungUp || read) {
			if !others {
				return
			}
			if hungUp {
				h.update(func(s *State) { s.Lingering = true })
			}
		}
	}
}

// inSession says whether a process is in the session of the program.
func (h *hold) inSession(pid int) bool {
	session, err := unix.Getsid(pid)
	return err == nil && session == h.pane.PID
}

// hangup ends the terminal, which the kernel tells the program with SIGHUP. The
// channel says when patience is over.
func (h *hold) hangup() <-chan time.Time {
	h.tty.hangup()
	return time.After(hangupGrace)
}

func (h *hold) update(change func(*State)) {
	h.mu.Lock()
	change(&h.state)
	h.mu.Unlock()
	h.changed.Signal()
}

// typeIn queues what a node types.
func (h *hold) typeIn(p []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.input.add(p, maxQueuedBytes); err != nil {
		return err
	}
	h.typed.Feed(p)
	return nil
}

// line is what is known of the line that is being typed: every byte of it came by
// here, whichever node sent it.
func (h *hold) line() draft.Line {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.typed.Line()
}

func (h *hold) now() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}
