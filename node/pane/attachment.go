package pane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"collie/node/pane/draft"
	"collie/node/pane/holder"
	"collie/node/state"
)

// An attachment is a pane as its holder described it last. The Builtin's lock
// guards it.
type attachment struct {
	id          ID
	conn        *holder.Conn // nil while the holder is away
	pane        holder.Pane
	state       holder.State
	holderPID   int
	holderStart uint64
	gone        chan struct{} // closed when the holder is no more
	typed       draft.Tracker // what this node typed, for a holder that does not count
	// until is when a holder that has never answered would have been there.
	until time.Time
}

func (p *attachment) info() Info {
	folder := sha256.Sum256([]byte(p.pane.Cwd))
	info := Info{
		ID: p.id, Workspace: "w" + hex.EncodeToString(folder[:6]), Tab: string(p.id),
		WorkspaceLabel: p.state.Workspace, TabLabel: p.state.Tab,
		Instance: fmt.Sprintf("%d.%d.%d", p.holderPID, p.holderStart, p.pane.PID),
		Title:    p.state.Title, Label: p.state.Label, Harness: p.pane.Harness,
		Status: Unknown, Since: p.pane.StartedAt, ActiveAt: p.state.ActiveAt,
		Cols: p.state.Cols, Rows: p.state.Rows,
		Command: slices.Clone(p.pane.Command), Cwd: p.pane.Cwd, Root: p.pane.Cwd, PID: p.pane.PID,
		HolderPID: p.holderPID, HolderStart: p.holderStart,
		OpenedByOperator: p.pane.OpenedByOperator,
	}
	if p.pane.Harness == "" {
		info.Status = Shell
	}
	if exited := p.state.Exited; exited != nil {
		code := *exited
		info.Status, info.Since, info.Exited = Done, p.state.ExitedAt, &code
	}
	return info
}

// dial reaches a pane's holder. One that is no more is ErrNotFound, and its
// socket is removed; but one that may yet start, until until, only does not
// answer: between a socket's name and the first call that it takes lies a moment.
func (b *Builtin) dial(ctx context.Context, id ID, until time.Time) (*holder.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	conn, err := holder.Dial(ctx, b.dir, string(id))
	if !ended(err) || time.Now().Before(until) {
		return conn, err
	}
	if errors.Is(err, unix.ECONNREFUSED) {
		b.noteKilled(id)
	}
	if err := state.RemoveUnix(b.dir, holder.SocketName(string(id))); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("pane %s: %w", id, ErrNotFound)
}

// ended says that nobody holds a pane any more.
func ended(err error) bool {
	return errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ENOENT)
}

// follow starts the goroutine that keeps one pane attached. conn may be nil: then
// the holder is tried until it answers or is gone, which it is not before until.
func (b *Builtin) follow(id ID, conn *holder.Conn, until time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.detached {
		if conn != nil {
			conn.Close()
		}
		return false
	}
	p := &attachment{id: id, gone: make(chan struct{}), until: until}
	if conn != nil {
		b.attach(p, conn)
	}
	b.attending.Go(func() { b.attend(p, conn) })
	return true
}

// attach enters a pane that answers into the list. The lock is held.
func (b *Builtin) attach(p *attachment, conn *holder.Conn) {
	p.conn, p.pane, p.state = conn, conn.Pane, conn.State
	p.until = time.Time{} // it has answered
	p.holderPID, p.holderStart = conn.HolderPID, conn.HolderStart
	b.panes[p.id] = p
	b.changes.Signal()
}

// attend keeps a pane attached until its holder is gone or the Builtin detaches.
func (b *Builtin) attend(p *attachment, conn *holder.Conn) {
	retry, brief := firstRetry, false
	for {
		if conn != nil {
			began := time.Now()
			stop := context.AfterFunc(b.ctx, conn.Close)
			err := conn.Serve(func(s holder.State) { b.observe(p, s) })
			stop()
			b.mu.Lock()
			p.conn = nil
			b.mu.Unlock()
			b.config.Log.Debug("a pane's connection ended", "pane", p.id, "error", err)
			if brief = time.Since(began) < briefly; !brief {
				retry = firstRetry
			}
		}
		var err error
		conn, err = b.dial(b.ctx, p.id, p.until)
		switch {
		case b.ctx.Err() != nil:
			if conn != nil {
				conn.Close()
			}
			return
		case errors.Is(err, ErrNotFound):
			b.forget(p)
			return
		case err == nil && !brief:
			b.mu.Lock()
			b.attach(p, conn)
			b.mu.Unlock()
			continue
		case err == nil: // it lives, and may end the next connection at once, too
			conn.Close()
			conn, brief = nil, false
		}
		select {
		case <-b.ctx.Done():
			return
		case <-time.After(retry):
			retry = min(2*retry, lastRetry)
		}
	}
}

// reportCrash writes the trace that a holder left of its crash into the log.
func (b *Builtin) reportCrash(id ID) {
	trace, err := holder.TakeTrace(b.dir, string(id))
	if err != nil {
		b.config.Log.Warn("what the holder of a pane left behind cannot be read", "pane", id, "error", err)
	}
	if trace != "" {
		b.config.Log.Error("the holder of a pane crashed, and its program with it", "pane", id, "trace", trace)
	}
}

func (b *Builtin) observe(p *attachment, s holder.State) {
	b.mu.Lock()
	p.state = s
	b.mu.Unlock()
	b.changes.Signal()
}

func (b *Builtin) forget(p *attachment) {
	b.reportCrash(p.id)
	b.mu.Lock()
	if b.panes[p.id] == p {
		delete(b.panes, p.id)
	}
	b.mu.Unlock()
	close(p.gone)
	b.changes.Signal()
}

// reach returns a pane and the connection to its holder.
func (b *Builtin) reach(id ID) (*attachment, *holder.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.panes[id]
	switch {
	case b.detached:
		return nil, nil, ErrDetached
	case !ok:
		return nil, nil, fmt.Errorf("pane %s: %w", id, ErrNotFound)
	case p.conn == nil:
		return nil, nil, fmt.Errorf("pane %s: %w", id, ErrAway)
	}
	return p, p.conn, nil
}
