package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// fixed is what every git is told, whatever it is asked: to run nothing, to ask
// nobody, to lock nothing and to talk to nobody. No other GIT_ variable is set.
var fixed = []string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none",
	"GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_ASKPASS=false", "SSH_ASKPASS=false",
	"GIT_SSH_COMMAND=false", "GIT_ATTR_NOSYSTEM=1", "GIT_ALLOC_LIMIT=" + memoryLimit, "GIT_TRACE2=0", "GIT_TRACE2_EVENT=0", "GIT_TRACE2_PERF=0",
}

// overrides win over what a repository configures.
var overrides = []string{
	"--no-pager", "--literal-pathspecs",
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.pager=cat", "-c", "core.editor=false",
	"-c", "core.askPass=false", "-c", "core.sshCommand=false", "-c", "core.gitProxy=", "-c", "credential.helper=",
	"-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false",
	"-c", "safe.bareRepository=explicit", "-c", "commit.gpgSign=false", "-c", "gpg.program=false",
}

// keep returns the variables of an environment that are named.
func keep(environ []string, names ...string) []string {
	var kept []string
	for _, pair := range environ {
		if name, _, ok := strings.Cut(pair, "="); ok && slices.Contains(names, name) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// program finds git the way a shell would, but in absolute folders alone.
func (g *Git) program() (string, error) {
	for _, pair := range g.environ {
		path, ok := strings.CutPrefix(pair, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if !filepath.IsAbs(dir) {
				continue
			}
			name := filepath.Join(dir, "git")
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return name, nil
			}
		}
	}
	return "", ErrNoGit
}

// An exitError says how git ended. What it wrote may hold a path or a text of
// the repository's: it is for the log of this machine.
type exitError struct {
	code int
	said string
}

func (e *exitError) Error() string { return fmt.Sprintf("git ended with %d: %s", e.code, e.said) }
func (e *exitError) Unwrap() error { return ErrGit }

// write runs git for what it writes, with the umask of the account: the node's
// own is tighter, and every process that it starts has that.
func (g *Git) write(ctx context.Context, dir string, env []string, args ...string) (out []byte, cut bool, err error) {
	git, err := g.program()
	if err != nil {
		return nil, false, err
	}
	line := append([]string{"/bin/sh", "-c", `umask "$1" && shift && exec "$@"`, "sh", fmt.Sprintf("%04o", g.umask), git}, overrides...)
	return g.start(ctx, dir, env, maxSmallBytes, append(line, args...))
}

// run runs git in a folder and returns what it said, at most so many bytes; cut
// says that there was more, for which git was stopped.
func (g *Git) run(ctx context.Context, dir string, env []string, most int, args ...string) (out []byte, cut bool, err error) {
	git, err := g.program()
	if err != nil {
		return nil, false, err
	}
	return g.start(ctx, dir, env, most, slices.Concat([]string{git}, overrides, args))
}

func (g *Git) start(ctx context.Context, dir string, env []string, most int, line []string) (out []byte, cut bool, err error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Concat(g.environ, fixed, env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killWait
	said := &bounded{most: maxErrorBytes}
	cmd.Stderr = said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, err
	}
	if err := cmd.Start(); err != nil {
		return nil, false, fmt.Errorf("%w: it does not start: %w", ErrGit, err)
	}
	out, readErr := io.ReadAll(io.LimitReader(pipe, int64(most)+1))
	if len(out) > most {
		out, cut = out[:most], true
		_ = killGroup(cmd.Process.Pid) // it is there until it is waited for
	}
	// Whatever git left running in its group goes with it, before its number may
	// belong to somebody else.
	_ = unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	_ = killGroup(cmd.Process.Pid)
	err = cmd.Wait()
	switch {
	case cut:
		return out, true, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, false, ErrSlow
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case err == nil && readErr == nil:
		return out, false, nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out, false, &exitError{code: exit.ExitCode(), said: strings.TrimSpace(said.String())}
	}
	return nil, false, fmt.Errorf("%w: %w", ErrGit, errors.Join(err, readErr))
}

func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room > 0 {
		_, _ = b.Buffer.Write(p[:min(room, len(p))]) // memory takes everything
	}
	return len(p), nil
}
