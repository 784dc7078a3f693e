package holder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"collie/node/caller"
	"collie/node/grid"
	"collie/node/state"
)

// Errors of a connection to a holder.
var (
	// ErrLost says that the connection ended before an answer came.
	ErrLost = errors.New("connection to the pane's holder is lost")
	// ErrOutcomeUnknown says that a write was sent and no answer came: it may
	// or may not have happened.
	ErrOutcomeUnknown = errors.New("outcome is unknown")
	// ErrCrowded says that too many requests wait already.
	ErrCrowded = errors.New("too many requests wait for the pane's holder")
)

// A Conn is a node's control connection to one holder. Serve must run for as
// long as it is used; everything else may be called by any goroutine.
type Conn struct {
	link *link

	// Protocol is the number that both ends agreed on.
	Protocol int
	// Pane and State are what the holder said first.
	Pane  Pane
	State State
	// HolderPID is the holder's process as the kernel knows it, and HolderStart
	// when that started, in clock ticks after the system's start.
	HolderPID   int
	HolderStart uint64

	writing sync.Mutex // guards writes to link; may be held while the holder is slow

	mu      sync.Mutex    // guards what follows; held for a moment, also with writing
	waiting []chan answer // in the order of the writes
	lost    bool
}

type answer struct {
	kind kind
	body []byte
}

// SocketName returns the name of a pane's socket in the panes folder.
func SocketName(id string) string { return id + ".sock" }

// Dial connects to the holder of pane id in folder dir. A holder that is no
// more answers with an error that is ECONNREFUSED or ENOENT.
func Dial(ctx context.Context, dir, id string) (*Conn, error) {
	l, greeting, peer, err := dial(ctx, dir, id, roleControl)
	if err != nil {
		return nil, err
	}
	return &Conn{
		link: l, Protocol: greeting.Protocol, Pane: greeting.Pane, State: greeting.State,
		HolderPID: peer.PID, HolderStart: peer.StartTime,
	}, nil
}

func dial(ctx context.Context, dir, id, role string) (*link, welcome, caller.Credentials, error) {
	var none caller.Credentials
	conn, err := state.DialUnix(ctx, dir, SocketName(id))
	if err != nil {
		return nil, welcome{}, none, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	l := newLink(conn, maxAnswerBytes)
	peer, err := caller.FromConn(conn)
	var greeting welcome
	if err == nil {
		greeting, err = greet(l, id, role)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, welcome{}, none, fmt.Errorf("greet the holder of pane %s: %w", id, err)
	}
	return l, greeting, peer, nil
}

func greet(l *link, id, role string) (welcome, error) {
	// A holder that serves too many says so and closes, perhaps before it heard.
	writeErr := l.writeJSON(kindHello, hello{oldestProtocol, newestProtocol, role})
	k, body, err := l.readSoon(helloTimeout)
	if err != nil {
		return welcome{}, errors.Join(writeErr, err)
	}
	switch k {
	case kindWelcome:
		greeting, err := decode[welcome](body)
		if err == nil && greeting.Pane.ID != id {
			err = fmt.Errorf("%w: it holds pane %q", ErrMessage, greeting.Pane.ID)
		}
		return greeting, err
	case kindRefusal:
		return welcome{}, refused(body)
	}
	return welcome{}, fmt.Errorf("%w: kind %d as a greeting", ErrMessage, k)
}

func refused(body []byte) error {
	refusal, err := decode[*Refusal](body)
	if err != nil {
		return err
	}
	if refusal == nil {
		return fmt.Errorf("%w: empty refusal", ErrMessage)
	}
	return refusal
}

// Serve reads answers and states until the connection ends, and calls onState,
// which must not block, for each state.
func (c *Conn) Serve(onState func(State)) error {
	err := c.serve(onState)
	c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
	for _, waiter := range c.waiting {
		close(waiter)
	}
	c.waiting = nil
	return err
}

func (c *Conn) serve(onState func(State)) error {
	for {
		k, body, err := c.link.read()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
		switch k {
		case kindState:
			state, err := decode[State](body)
			if err != nil {
				return err
			}
			onState(state)
		case kindDone, kindRefusal:
			c.mu.Lock()
			if len(c.waiting) == 0 {
				c.mu.Unlock()
				return fmt.Errorf("%w: answer to no request", ErrMessage)
			}
			waiter := c.waiting[0]
			c.waiting = c.waiting[1:]
			c.mu.Unlock()
			waiter <- answer{k, body}
		default:
			return fmt.Errorf("%w: kind %d from a holder", ErrMessage, k)
		}
	}
}

// Close ends the connection; the holder and its pane live on.
func (c *Conn) Close() { c.link.conn.Close() }

// ask sends a request and waits for its answer.
func (c *Conn) ask(ctx context.Context, k kind, body []byte) ([]byte, error) {
	waiter, err := c.send(k, body)
	if err != nil {
		return nil, err
	}
	select {
	case a, ok := <-waiter:
		switch {
		case !ok:
			return nil, ErrLost
		case a.kind == kindRefusal:
			return nil, refused(a.body)
		}
		return a.body, nil
	case <-ctx.Done():
		return nil, ctx.Err() // the answer is dropped when it comes
	}
}

func (c *Conn) send(k kind, body []byte) (<-chan answer, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	waiter, err := c.enqueue()
	if err != nil {
		return nil, err
	}
	if err := c.link.write(k, body); err != nil {
		c.link.conn.Close() // part of a message may be out; Serve ends
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	return waiter, nil
}

// enqueue makes a place for the answer to what is about to be written.
func (c *Conn) enqueue() (chan answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.lost:
		return nil, errNotSent
	case len(c.waiting) >= maxWaiting:
		return nil, ErrCrowded
	}
	waiter := make(chan answer, 1)
	c.waiting = append(c.waiting, waiter)
	return waiter, nil
}

var errNotSent = fmt.Errorf("nothing was sent: %w", ErrLost)

// tell is ask for what changes something: without an answer nobody knows
// whether it happened.
func (c *Conn) tell(ctx context.Context, k kind, body []byte) error {
	_, err := c.ask(ctx, k, body)
	var refusal *Refusal
	if err == nil || errors.As(err, &refusal) || errors.Is(err, errNotSent) || errors.Is(err, ErrCrowded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}

func askJSON[T any](ctx context.Context, c *Conn, k kind, request any) (T, error) {
	var none T
	body, err := json.Marshal(request)
	if err != nil {
		return none, err
	}
	if body, err = c.ask(ctx, k, body); err != nil {
		return none, err
	}
	return decode[T](body)
}

func (c *Conn) tellJSON(ctx context.Context, k kind, request any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return c.tell(ctx, k, body)
}

// Input queues bytes for the program, in the order of the calls.
func (c *Conn) Input(ctx context.Context, p []byte) error {
	if len(p) > MaxInputBytes {
		return ErrInput
	}
	return c.tell(ctx, kindInput, p)
}

// Resize changes the size of the terminal.
func (c *Conn) Resize(ctx context.Context, cols, rows int) error {
	return c.tellJSON(ctx, kindResize, size{cols, rows})
}

// Rename changes the label.
func (c *Conn) Rename(ctx context.Context, label string) error {
	return c.tellJSON(ctx, kindRename, rename{label})
}

// RenameWorkspace changes the label of the workspace that the pane is in.
func (c *Conn) RenameWorkspace(ctx context.Context, label string) error {
	return c.tellJSON(ctx, kindGroup, rename{label})
}

// RenameTab changes the label of the pane's tab.
func (c *Conn) RenameTab(ctx context.Context, label string) error {
	return c.tellJSON(ctx, kindTab, rename{label})
}

// ClosePane hangs the terminal up; once more, when the pane lingers, it ends
// every process that the holder adopted.
func (c *Conn) ClosePane(ctx context.Context) error { return c.tell(ctx, kindClose, nil) }

// Screen returns the whole screen.
func (c *Conn) Screen(ctx context.Context) (grid.Frame, error) {
	body, err := c.ask(ctx, kindScreen, nil)
	if err != nil {
		return grid.Frame{}, err
	}
	return decodeFrame(body)
}

// History returns lines of scrollback, the oldest being 0.
func (c *Conn) History(ctx context.Context, from, count int) (History, error) {
	return askJSON[History](ctx, c, kindHistory, historyRange{from, count})
}

// Modes returns what the program has asked its terminal for.
func (c *Conn) Modes(ctx context.Context) (Modes, error) {
	return askJSON[Modes](ctx, c, kindModes, struct{}{})
}

// Watch sends the screen of pane id as frames until ctx, the pane or send ends
// it. The first frame is whole. While send runs, changes are merged.
func Watch(ctx context.Context, dir, id string, send func(grid.Frame) error) error {
	l, _, _, err := dial(ctx, dir, id, roleWatch)
	if err != nil {
		return err
	}
	defer l.conn.Close()
	stop := context.AfterFunc(ctx, func() { l.conn.SetDeadline(time.Unix(1, 0)); l.conn.Close() })
	defer stop()
	for {
		k, body, err := l.read()
		if err != nil {
			return watchEnd(ctx, err)
		}
		if k != kindFrame {
			return fmt.Errorf("%w: kind %d to a watcher", ErrMessage, k)
		}
		frame, err := decodeFrame(body)
		if err != nil {
			return err
		}
		if err := send(frame); err != nil {
			return err
		}
		if err := l.write(kindSeen, nil); err != nil {
			return watchEnd(ctx, err)
		}
	}
}

func watchEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

func decodeFrame(body []byte) (grid.Frame, error) {
	frame, err := decode[grid.Frame](body)
	if err == nil {
		err = frame.Check()
	}
	return frame, err
}
