package holder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main is the whole life of the hidden command that is a holder: it reads what
// to do from stdin, reports on stdout, and returns the exit code. It is started
// twice for each pane. The first process starts the second and ends as soon as
// that is ready, so that the holder is nobody's child; the second is the holder.
//
// It owns its process: descriptors 0 to 2, signals, children, umask and limits.
func Main(stdin io.Reader, stdout io.Writer) int {
	// What the node inherited from whoever started it is not for panes.
	_ = unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	text, err := io.ReadAll(io.LimitReader(stdin, maxLaunchBytes+1))
	if err != nil || len(text) > maxLaunchBytes {
		return tell(stdout, &Refusal{Code: ErrStart.Code, Message: "a holder could not read what to hold"})
	}
	var l launch
	if err := json.Unmarshal(text, &l); err != nil {
		return tell(stdout, &Refusal{Code: ErrStart.Code, Message: "a holder is started by collie itself, not by hand"})
	}
	if len(l.Executable) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		defer cancel()
		return tell(stdout, run(ctx, l.Executable, os.Environ(), launch{Spec: l.Spec}, abandon))
	}
	h, err := begin(l.Spec)
	if err != nil {
		return tell(stdout, err)
	}
	if tell(stdout, nil) != 0 {
		h.closes <- struct{}{} // nobody knows of this pane
	}
	letGo()
	h.live()
	forgetTrace(h.dir, h.pane.ID)
	return 0
}

// tell reports err, or that all is ready, and returns the exit code.
func tell(stdout io.Writer, err error) int {
	r := report{Ready: err == nil}
	if err != nil {
		r.Refusal = &Refusal{}
		if !errors.As(err, &r.Refusal) {
			r.Refusal = &Refusal{Code: ErrStart.Code, Message: err.Error()}
		}
	}
	if writeErr := json.NewEncoder(stdout).Encode(r); writeErr != nil || err != nil {
		return 1
	}
	return 0
}

// begin makes this process the holder of a pane and starts its program.
func begin(spec Spec) (*hold, error) {
	// A pane keeps few things busy: more threads and a larger heap are for nothing.
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	debug.SetGCPercent(50)
	// Handled signals are back at their default in the program, whatever the
	// node inherited, and none of them ends the holder.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT,
		syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("become a subreaper: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return nil, err
	}
	h, err := newHold(spec, signals)
	if err != nil {
		return nil, err
	}
	if err := leaveTrace(spec.Dir, spec.ID); err != nil { // the pane does without
		fmt.Fprintln(os.Stderr, err)
	}
	return h, nil
}

// letGo gives up the descriptors of whoever started the holder.
func letGo() {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(null)
	for fd := range 3 {
		_ = unix.Dup3(null, fd, 0)
	}
}
