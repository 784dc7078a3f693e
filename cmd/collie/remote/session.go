package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A session is one ssh connection with a shell of POSIX at its other end, which
// carries out one order after the other. One connection for all of it means
// that a person is asked for a passphrase once.
//
// Each order's output stands between two lines that nobody can guess, so what a
// machine says of its own accord (a greeting, a start-up file) is no part of any
// answer. It is used by one goroutine.
type session struct {
	ssh    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	lines  *bufio.Scanner
	stderr *tail
	nonce  string
	orders int

	caller  context.Context
	ctx     context.Context // of the whole session: the caller's, until close
	cancel  context.CancelFunc
	closing sync.Once
	ended   error // of ssh, once close has waited for it
}

// An order is a script and the input that it reads, if any. A script reads
// exactly what it is given: the shell would take the rest for its next order.
type order struct {
	script string
	input  io.Reader
	sent   func(bytes int64) // told as the input is taken
	within time.Duration
}

// An answer is what an order wrote, to both of its streams, and how it ended.
type answer struct {
	output string
	exit   int
}

// open starts the program ssh, which connects in its own time. The session ends
// with ctx at the latest.
func open(ctx context.Context, ssh []string) (*session, error) {
	input, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	stdout, output, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer output.Close()
	s := &session{stdin: stdin, stdout: stdout, lines: bufio.NewScanner(stdout), stderr: &tail{}, nonce: rand.Text(), caller: ctx}
	s.lines.Buffer(nil, maxLine)
	s.ctx, s.cancel = context.WithCancel(ctx)
	context.AfterFunc(s.ctx, s.shut) // a read or write that waits ends with it
	s.ssh = exec.CommandContext(s.ctx, ssh[0], ssh[1:]...)
	s.ssh.Stdin, s.ssh.Stdout, s.ssh.Stderr = input, output, s.stderr
	s.ssh.WaitDelay = endTimeout // a connection that ssh shares may keep stderr open
	if err := s.ssh.Start(); err != nil {
		s.cancel()
		return nil, &Failure{Reason: ErrNoSSH, What: err.Error(), Next: "install the OpenSSH client"}
	}
	return s, nil
}

func (s *session) shut() {
	s.stdin.Close()
	s.stdout.Close()
}

// close ends the session: the shell sees the end of its orders, and ssh goes.
func (s *session) close() {
	s.closing.Do(func() {
		s.shut()
		impatient := time.AfterFunc(endTimeout, s.cancel)
		defer impatient.Stop()
		s.ended = s.ssh.Wait()
		s.cancel()
	})
}

// do has an order carried out.
func (s *session) do(o order) (answer, error) {
	deadline := time.Now().Add(o.within)
	_, _ = s.stdout.SetReadDeadline(deadline), s.stdin.SetWriteDeadline(deadline) // they fail on what is closed, as the exchange will
	got, err := s.exchange(o)
	if err != nil && s.caller.Err() != nil {
		return answer{}, context.Cause(s.caller)
	}
	return got, err
}

func (s *session) exchange(o order) (answer, error) {
	s.orders++
	begin, end := fmt.Sprintf("%s-%d", s.nonce, s.orders), fmt.Sprintf("%s+%d ", s.nonce, s.orders)
	// One compound command: the shell has read all of it before it runs any of
	// it, so nothing that follows as input is read as a script. When a script
	// fails that was to read input, some may be left; then the shell goes.
	streams, after := "2>&1 </dev/null", ":"
	if o.input != nil {
		streams, after = "2>&1", "[ $r -eq 0 ] || exit"
	}
	script := fmt.Sprintf("{ echo; echo %s; { %s\n} %s; r=$?; echo; echo '%s'$r; %s; }\n", begin, o.script, streams, end, after)
	if _, err := io.WriteString(s.stdin, script); err != nil {
		return answer{}, s.broken(err)
	}
	left := maxOutput
	if _, _, err := s.until(begin, &left); err != nil {
		return answer{}, err
	}
	if o.input != nil {
		if err := s.send(o); err != nil {
			return answer{}, err
		}
	}
	output, rest, err := s.until(end, &left)
	if err != nil {
		return answer{}, err
	}
	exit, err := strconv.Atoi(rest)
	if err != nil {
		return answer{}, &Failure{Reason: ErrAnswer}
	}
	return answer{strings.TrimRight(output, "\n"), exit}, nil
}

// send hands the input over. The deadlines move on as long as it is taken.
func (s *session) send(o order) error {
	piece := make([]byte, copyPiece)
	var sent int64
	for {
		n, err := o.input.Read(piece)
		if n > 0 {
			_ = s.stdin.SetWriteDeadline(time.Now().Add(stallTimeout))
			switch _, err := s.stdin.Write(piece[:n]); {
			case errors.Is(err, syscall.EPIPE):
				return s.stdout.SetReadDeadline(time.Now().Add(o.within)) // nobody reads on; what was answered says why
			case err != nil:
				return s.broken(err)
			}
			sent += int64(n)
			if o.sent != nil {
				o.sent(sent)
			}
		}
		if errors.Is(err, io.EOF) {
			return s.stdout.SetReadDeadline(time.Now().Add(o.within))
		}
		if err != nil {
			return fmt.Errorf("read what is to be sent: %w", err)
		}
	}
}

// until reads lines up to the one that begins with mark, and returns those
// before it and what stands behind the mark.
func (s *session) until(mark string, left *int) (before, behind string, err error) {
	var kept bytes.Buffer
	for s.lines.Scan() {
		line := s.lines.Text()
		if behind, found := strings.CutPrefix(line, mark); found {
			return kept.String(), behind, nil
		}
		if *left -= len(line) + 1; *left < 0 {
			return "", "", s.broken(bufio.ErrTooLong)
		}
		kept.WriteString(line)
		kept.WriteByte('\n')
	}
	return "", "", s.broken(s.lines.Err())
}

// broken says why an exchange could not go on. The session is over.
func (s *session) broken(err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		s.cancel()
		return &Failure{Reason: ErrTooMuch}
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.cancel()
		return &Failure{Reason: ErrSilent, What: lastLine(s.stderr.String()), Next: "see that ssh to it works by itself, then run this again"}
	case s.caller.Err() != nil:
		return context.Cause(s.caller)
	}
	s.close() // all that ssh says has been said then
	what := lastLine(s.stderr.String())
	if what == "" && s.ended != nil {
		what = s.ended.Error()
	}
	return &Failure{Reason: ErrUnreachable, What: what, Next: "see that ssh to it works by itself, then run this again"}
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte // at most maxErrorOutput
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxErrorOutput):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxErrorOutput):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
