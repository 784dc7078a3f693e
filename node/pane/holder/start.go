package holder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

// A launch is what one process on the way to a holder reads from its stdin.
type launch struct {
	// Executable starts a holder; set for the first process, which starts the
	// second, reports that it is ready and ends.
	Executable []string `json:"executable,omitempty"`
	Spec       Spec     `json:"spec"`
}

// A report is what it writes to its stdout.
type report struct {
	Ready   bool     `json:"ready"`
	Refusal *Refusal `json:"refusal,omitempty"`
}

// Start starts the holder of a pane and returns when its socket answers and its
// program runs. executable is the command, with its first arguments, that ends
// up in Main; environ is the environment of the holder itself. No child is left.
//
// When no report comes before ctx ends it is ErrOutcomeUnknown: a holder that
// can reach nobody closes its pane, but one that reported already lives.
func Start(ctx context.Context, executable, environ []string, spec Spec) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return run(ctx, executable, environ, launch{Executable: executable, Spec: spec}, func(cmd *exec.Cmd) error {
		_ = cmd.Wait() // it said that the holder is ready; how it ends changes nothing
		return nil
	})
}

// run starts a process of executable, gives it l, and returns what it reports.
// settle is what becomes of it once it has reported that it is ready.
func run(ctx context.Context, executable, environ []string, l launch, settle func(*exec.Cmd) error) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(text) > maxLaunchBytes {
		return &Refusal{Code: ErrStart.Code, Message: fmt.Sprintf("command and environment are %d bytes, at most %d", len(text), maxLaunchBytes)}
	}
	cmd := exec.Command(executable[0], executable[1:]...)
	cmd.Env, cmd.Dir = environ, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a pane's holder: %w", err)
	}
	// Both pipes end when the process does, and the process when ctx does.
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	_, writeErr := stdin.Write(text)
	writeErr = errors.Join(writeErr, stdin.Close())
	said, readErr := io.ReadAll(io.LimitReader(stdout, maxReportBytes))
	inTime := stop()
	var r report
	err = json.Unmarshal(said, &r)
	switch {
	case err == nil && r.Ready:
		return settle(cmd)
	case err == nil && r.Refusal != nil:
		_ = cmd.Wait()
		return r.Refusal
	case !inTime:
		_ = cmd.Wait()
		return fmt.Errorf("start a pane's holder: %w: %w", ErrOutcomeUnknown, context.Cause(ctx))
	}
	_ = cmd.Process.Kill()
	return fmt.Errorf("start a pane's holder: %w: it did not report but said %q: %w",
		ErrOutcomeUnknown, excerpt(said), errors.Join(err, writeErr, readErr, cmd.Wait()))
}

func excerpt(said []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(said[:min(len(said), 200)])), "?")
}

// abandon lets the second process go on without its parent, which ends.
func abandon(cmd *exec.Cmd) error { return cmd.Process.Release() }
