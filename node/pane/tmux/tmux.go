// Package tmux keeps panes in a real tmux: sessions are workspaces, windows are
// tabs and panes are panes. Every session of the one tmux server is shown, also
// those that somebody began at the desk, and what tmux refuses is refused with
// tmux's own reason.
//
// There is one control client (tmux -C) for each session, as long as the server
// has the open files for it. It never counts as a person: it has no say in sizes
// and leaves the session's environment alone.
// What happens is told by tmux, nothing is polled: the tree of sessions is read
// again after a notice, and a server that comes back is heard of by its socket.
//
// Each pane has a screen of Collie's own (package view), fed with what the pane
// writes and begun with what tmux has captured of it. A pane that floods is
// paused and captured now and then: it costs the node no more than any other.
//
// Text is pasted by tmux itself, which alone knows whether the program asked for
// brackets, out of memory and not out of a line with a limit.
//
// Bounds are in limits.go.
package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"collie/mesh/notify"
	"collie/node/pane"
	"collie/node/pane/origin"
)

// A Config is what the multiplexer needs. All but Socket and
// MaxPanes must be set.
type Config struct {
	// Socket is where the tmux server is: an absolute path, a name as for
	// tmux -L, or empty for the default one.
	Socket string
	// ControlSocket is the value of COLLIE_SOCKET in panes that Collie opens.
	ControlSocket string
	// Environ is the node's environment, Origin what it took from its process.
	Environ []string
	Origin  origin.Origin
	// MaxPanes is how many panes are shown; 0: 500.
	MaxPanes int
	Log      *slog.Logger
}

// Mux is the multiplexer.
type Mux struct {
	config   Config
	server   server
	changes  notify.Hub
	openings pane.Openings
	reread   notify.Hub // signalled after each reading of the tree
	ctx      context.Context
	cancel   context.CancelCauseFunc
	running  sync.WaitGroup
	pastes   atomic.Uint64
	dirty    chan struct{} // holds a signal when the tree has to be read again
	looked   chan struct{} // closed after the first look

	// connecting is held while a control client starts, and while this node makes a
	// session. A server of 3.3 ends, with every session, when a session comes
	// between the first and the last word with which a control client introduces
	// itself. Of the sessions of others only a pause says that none comes.
	connecting sync.Mutex

	// starting is held while New starts a server, until there is another session
	// than the one that this takes.
	starting sync.Mutex
	// changing is held while a pane is made or ended: servers up to 3.3 end, with
	// every session, when too much of that comes at once.
	changing sync.Mutex

	mu       sync.Mutex // guards what follows, and what is in panes
	clients  map[string]*client
	panes    map[pane.ID]*tmuxPane
	order    []*tmuxPane // as tmux orders them
	persons  []person
	trouble  string
	crowded  bool // the server has no room for a client that a session needs
	detached bool
	movedAt  time.Time         // when a session came or went last
	own      map[string]string // sessions that this node has just made, with their folder
}

var _ pane.Multiplexer = (*Mux)(nil)

// Open looks for the server and its sessions. No server is no error: then there
// are no panes until there is one.
func Open(ctx context.Context, config Config) (*Mux, error) {
	config.MaxPanes = cmp.Or(config.MaxPanes, maxPanes)
	s, err := newServer(ctx, config.Socket, pane.Inherited(config.Environ), config.Origin)
	if err != nil {
		return nil, err
	}
	m := &Mux{
		config: config, server: s, dirty: make(chan struct{}, 1), looked: make(chan struct{}),
		clients: map[string]*client{}, panes: map[pane.ID]*tmuxPane{}, own: map[string]string{},
	}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	watched, err := watchSocket(s.socket)
	if err != nil {
		return nil, fmt.Errorf("watch the socket of tmux: %w", err)
	}
	m.running.Go(func() { m.attend(watched) })
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	select {
	case <-m.looked:
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), m.Detach())
	}
	return m, nil
}

// Detach lets go of tmux, whose panes live on.
func (m *Mux) Detach() error {
	m.mu.Lock()
	m.detached = true
	m.mu.Unlock()
	m.cancel(pane.ErrDetached)
	m.running.Wait()
	return nil
}

// Capabilities implements [pane.Multiplexer].
func (m *Mux) Capabilities() pane.Capabilities {
	return pane.Capabilities{
		Name: "tmux", Shared: true, Version: m.server.version.String(),
		ExitStatus: pane.Own,
	}
}

// Trouble implements [pane.Multiplexer].
func (m *Mux) Trouble() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.trouble
}

// Opening implements [pane.Multiplexer].
func (m *Mux) Opening(started uint64) (over <-chan struct{}) { return m.openings.Over(started) }

// Changes implements [pane.Multiplexer].
func (m *Mux) Changes() (changed <-chan struct{}, stop func()) { return m.changes.Watch() }

// List returns every pane in the order of tmux.
func (m *Mux) List() []pane.Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	infos := make([]pane.Info, len(m.order))
	for i, p := range m.order {
		infos[i] = m.info(p)
	}
	return infos
}

// Get returns one pane.
func (m *Mux) Get(id pane.ID) (pane.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.panes[id]
	if !ok {
		return pane.Info{}, notFound(id)
	}
	return m.info(p), nil
}

func notFound(id pane.ID) error { return fmt.Errorf("pane %s: %w", id, pane.ErrNotFound) }

// info describes a pane. The lock is held.
func (m *Mux) info(p *tmuxPane) pane.Info {
	r := p.row
	info := pane.Info{
		ID: p.id, Workspace: workspaceID(r.session), WorkspaceLabel: r.sessionName, Tab: r.window, TabLabel: r.tab(),
		Title: r.title, Label: r.label, Harness: r.harness, Status: pane.Unknown, Since: p.since, ActiveAt: p.activeAt,
		Cols: r.cols, Rows: r.rows, Command: r.words(), Cwd: cmp.Or(r.cwd, r.sessionPath), Root: r.sessionPath, PID: r.pid,
		Instance: fmt.Sprintf("%d.%d.%s.%d", r.serverPID, r.serverStart, r.id, r.pid),
		Terminal: r.tty, ServerPID: r.serverPID,
	}
	if info.Title == r.host { // tmux's own word for a pane that has said nothing
		info.Title = ""
	}
	if r.harness == "" {
		info.Status = pane.Shell
	}
	if r.dead && (r.exited != nil || time.Since(p.since) >= tellTimeout) {
		code := pane.ExitUnknown
		if r.exited != nil {
			code = *r.exited
		}
		info.Status, info.Exited = pane.Done, &code
	}
	return info
}

// shown says that a person has the pane's window before them, or may turn to it
// at once: it is their terminal that decides on its size.
func (m *Mux) shown(r row) bool {
	return slices.ContainsFunc(m.persons, func(p person) bool { return p.session == r.session || p.window == r.window })
}

// workspaceID makes an id of a session's that every machine takes.
func workspaceID(session string) string { return "s" + session[1:] }

// reach returns a pane and the client that hears of it, for which a session that
// has just been made is waited for.
func (m *Mux) reach(ctx context.Context, id pane.ID) (*tmuxPane, *client, error) {
	p, c, err := m.reachNow(id)
	if !errors.Is(err, pane.ErrAway) || errors.Is(err, errNoRoom) {
		return p, c, err
	}
	if err := m.until(ctx, func() bool { return m.panes[id] == nil || m.clients[m.panes[id].row.session] != nil }); err != nil {
		return nil, nil, fmt.Errorf("pane %s: %w", id, pane.ErrAway) // nothing was done yet
	}
	return m.reachNow(id)
}

func (m *Mux) reachNow(id pane.ID) (*tmuxPane, *client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.panes[id]
	switch {
	case m.detached:
		return nil, nil, pane.ErrDetached
	case !ok:
		return nil, nil, notFound(id)
	}
	c := m.clients[p.row.session]
	switch {
	case c == nil && m.crowded:
		return nil, nil, fmt.Errorf("pane %s: %w", id, errNoRoom)
	case c == nil:
		return nil, nil, fmt.Errorf("pane %s: %w", id, pane.ErrAway)
	}
	return p, c, nil
}

// anyone returns a client for what is about no pane.
func (m *Mux) anyone() (*client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.detached {
		return nil, pane.ErrDetached
	}
	var starting *client
	for _, p := range m.order {
		c := m.clients[p.row.session]
		if c == nil || c.over() {
			continue
		}
		if p.row.sessionName != starter {
			return c, nil
		}
		starting = c
	}
	if starting != nil {
		return starting, nil
	}
	return nil, fmt.Errorf("%w: %s", pane.ErrAway, m.trouble)
}

// again has the tree read again.
func (m *Mux) again() {
	select {
	case m.dirty <- struct{}{}:
	default:
	}
}

// until waits for a reading of the tree after which holds holds. The lock is held
// while it runs.
func (m *Mux) until(ctx context.Context, holds func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	reread, stop := m.reread.Watch()
	defer stop()
	m.again()
	for {
		m.mu.Lock()
		done, detached := holds(), m.detached
		m.mu.Unlock()
		switch {
		case done:
			return nil
		case detached:
			return pane.ErrDetached
		}
		select {
		case <-reread:
		case <-m.ctx.Done():
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", pane.ErrOutcomeUnknown, ctx.Err())
		}
	}
}
