package tmux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"collie/node/pane"
	"collie/node/trust"
)

// errClientGone says that a control client ended before it answered.
var errClientGone = errors.New("the connection to tmux ended")

// A client is one control client: it is attached to one session, hears what
// happens there, and runs commands.
type client struct {
	command *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *bounded
	on      func(*client, line) // for each notice, in the reading goroutine
	ready   chan struct{}       // closed when it is attached
	ended   chan struct{}       // closed when it has ended

	writing sync.Mutex // guards writes to stdin; may be held while tmux is slow

	mu      sync.Mutex // guards what follows; held for a moment, also with writing
	session string
	waiting []func(reply) // in the order of the commands
	gone    bool
}

// A reply is what a command answered.
type reply struct {
	text string
	err  error // tmux's refusal, or errClientGone
}

// bounded keeps the beginning of what is written to it.
type bounded struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept.Write(p[:min(len(p), max(0, maxLinger-b.kept.Len()))])
	return len(p), nil
}

func (b *bounded) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.TrimSpace(b.kept.String())
}

// newClient starts a control client on a session; "" is the one that tmux picks.
// read must be called once, and returns when the client has ended.
func newClient(s server, session string, on func(*client, line)) (*client, error) {
	// -N: to look for a server is not to start one. -E: the environment of the
	// session stays that of the person's terminal.
	arguments := []string{"-N", "-C", "attach-session", "-E", "-f", "ignore-size,pause-after=1"}
	if session != "" {
		arguments = append(arguments, "-t", session)
	}
	c := &client{command: s.command(arguments...), stderr: &bounded{}, on: on, ready: make(chan struct{}), ended: make(chan struct{})}
	c.command.Stderr = c.stderr
	if err := c.start(); err != nil {
		return nil, fmt.Errorf("start tmux: %w", err)
	}
	go c.read()
	return c, nil
}

// start runs the program with pipes of our own: tmux hands their other ends to
// its server, which may hang with them.
func (c *client) start() error {
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	c.command.Stdin, c.command.Stdout = theirIn, theirOut
	err = errors.Join(c.command.Start(), theirIn.Close(), theirOut.Close())
	if err != nil {
		return errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	c.stdin, c.stdout = ourIn, ourOut
	return nil
}

// read follows the client to its end.
func (c *client) read() {
	defer close(c.ended)
	c.follow(bufio.NewReaderSize(c.stdout, 64<<10))
	c.kill() // it speaks no longer, or not as it should
	_ = c.command.Wait()
	c.mu.Lock()
	waiting := c.waiting
	c.waiting, c.gone = nil, true
	c.mu.Unlock()
	for _, done := range waiting {
		done(reply{err: errClientGone})
	}
}

func (c *client) follow(from *bufio.Reader) {
	for {
		text, err := readLine(from)
		if err != nil {
			return
		}
		switch l := parse(text); l.kind {
		case begin:
			if !c.block(from, l) {
				return
			}
		case exit:
			return
		case other, end, failed:
		default:
			if l.kind == attached {
				c.mu.Lock()
				first := c.session == ""
				c.session = l.session
				c.mu.Unlock()
				if first {
					close(c.ready)
				}
			}
			c.on(c, l)
		}
	}
}

// block reads a reply to its end, and hands it to whoever asked.
func (c *client) block(from *bufio.Reader, head line) bool {
	var text strings.Builder
	for {
		next, err := readLine(from)
		if err != nil {
			return false
		}
		l := parse(next)
		if (l.kind == end || l.kind == failed) && l.block == head.block && l.own == head.own {
			r := reply{text: strings.TrimSuffix(text.String(), "\n")}
			if l.kind == failed {
				r = reply{err: refusal(r.text)}
			}
			c.answered(head.own, r)
			return true
		}
		if text.Len()+len(next) > maxReplyBytes {
			return false
		}
		text.Write(next)
		text.WriteByte('\n')
	}
}

// answered hands a reply on. The first block is the answer to the attaching
// itself, which is no command of ours.
func (c *client) answered(own bool, r reply) {
	if !own {
		return
	}
	c.mu.Lock()
	var done func(reply)
	if len(c.waiting) > 0 {
		done, c.waiting = c.waiting[0], c.waiting[1:]
	}
	c.mu.Unlock()
	if done != nil {
		done(r)
	}
}

func readLine(from *bufio.Reader) ([]byte, error) {
	part, err := from.ReadSlice('\n')
	if err == nil {
		return bytes.TrimSuffix(part, []byte("\n")), nil
	}
	whole := bytes.Clone(part)
	for errors.Is(err, bufio.ErrBufferFull) && len(whole) <= maxLineBytes {
		part, err = from.ReadSlice('\n')
		whole = append(whole, part...)
	}
	if err == nil && len(whole) > maxLineBytes {
		err = bufio.ErrTooLong
	}
	return bytes.TrimSuffix(whole, []byte("\n")), err
}

// refusal is tmux's own reason.
func refusal(reason string) error {
	reason = trust.Clean(strings.Join(strings.FieldsFunc(reason, func(r rune) bool { return r == '\n' || r == '\r' }), "; "), maxReasonBytes)
	if strings.HasPrefix(reason, "can't find pane") || strings.HasPrefix(reason, "can't find window") || strings.HasPrefix(reason, "can't find session") {
		return fmt.Errorf("%w: %s", pane.ErrNotFound, reason)
	}
	return fmt.Errorf("%w: %s", pane.ErrRefused, reason)
}

// A command is one line to tmux, and what to do with its reply, in the reading
// goroutine: it must not wait.
type command struct {
	text string
	done func(reply)
}

// send writes commands so that tmux runs one after the other with nothing
// between them. A tmux that takes none of it in time loses the client.
func (c *client) send(commands ...command) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	if c.gone || len(c.waiting)+len(commands) > maxWaiting {
		gone := c.gone
		c.mu.Unlock()
		if gone {
			return fmt.Errorf("%w: %w", pane.ErrAway, errClientGone)
		}
		return fmt.Errorf("%w: too many commands wait", pane.ErrAway)
	}
	var lines strings.Builder
	for _, each := range commands {
		lines.WriteString(each.text)
		lines.WriteByte('\n')
		done := each.done
		if done == nil {
			done = func(reply) {}
		}
		c.waiting = append(c.waiting, done)
	}
	c.mu.Unlock()
	_ = c.stdin.SetWriteDeadline(time.Now().Add(requestTimeout))
	if _, err := io.WriteString(c.stdin, lines.String()); err != nil {
		c.kill() // part of a line may be out
		return fmt.Errorf("%w: %w: %w", pane.ErrOutcomeUnknown, errClientGone, err)
	}
	return nil
}

// ask runs commands in one go and returns their replies. Once the first was sent
// and no answer came, the outcome is unknown.
func (c *client) ask(ctx context.Context, texts ...string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	answers := make(chan reply, len(texts))
	commands := make([]command, len(texts))
	for i, text := range texts {
		commands[i] = command{text: text, done: func(r reply) { answers <- r }}
	}
	if err := c.send(commands...); err != nil {
		return nil, err
	}
	replies := make([]string, len(texts))
	var refused error
	for i := range texts {
		select {
		case r := <-answers:
			if errors.Is(r.err, errClientGone) {
				return nil, fmt.Errorf("%w: %w", pane.ErrOutcomeUnknown, r.err)
			}
			replies[i] = r.text
			if refused == nil {
				refused = r.err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", pane.ErrOutcomeUnknown, ctx.Err())
		}
	}
	return replies, refused
}

func (c *client) attachedTo() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// over reports whether the client has ended.
func (c *client) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// close lets go; the session lives on.
func (c *client) close() {
	_ = c.stdin.Close()
	select {
	case <-c.ended:
	case <-time.After(closeTimeout):
		c.kill()
		<-c.ended
	}
}

// kill ends the program, and the pipes to it as well: of a server that hangs they
// would stay open.
func (c *client) kill() {
	_ = c.command.Process.Kill()
	_ = c.stdin.Close()
	_ = c.stdout.Close()
}
