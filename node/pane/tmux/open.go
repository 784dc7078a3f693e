package tmux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/node/pane"
	"collie/node/shell"
)

// ErrManualSize refuses what would end a tmux of before 3.7, with every session.
var ErrManualSize = fmt.Errorf("%w: its window-size is manual, with which this version ends at a new session or window; set -g window-size latest", pane.ErrRefused)

// New opens a window: in the session of that folder, or in a new one.
func (m *Mux) New(ctx context.Context, spec pane.Spec) (pane.Info, error) {
	sized := spec.Cols != 0 || spec.Rows != 0
	spec, err := pane.Complete(spec, m.config.Environ)
	if err != nil {
		return pane.Info{}, err
	}
	if _, err := exec.LookPath(spec.Command[0]); err != nil {
		return pane.Info{}, fmt.Errorf("%w: %w", pane.ErrStart, err)
	}
	defer m.openings.Begin()()
	for m.full() {
		if !m.giveWay(ctx) {
			return pane.Info{}, fmt.Errorf("%w: %d", pane.ErrTooMany, m.config.MaxPanes)
		}
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	id, ready, err := m.placed(ctx, spec)
	if errors.Is(err, errClientGone) && m.nothingMade(ctx, err) { // a server ends with its last session
		ready()
		id, ready, err = m.placed(ctx, spec)
	}
	defer func() { ready() }()
	if err != nil {
		return pane.Info{}, err
	}
	_, c, err := m.reach(ctx, id)
	if err != nil {
		return pane.Info{}, err
	}
	before, err := m.Get(id)
	if err != nil {
		return pane.Info{}, err
	}
	if err := m.run(ctx, c, id, spec); err != nil {
		_, _ = c.ask(context.WithoutCancel(ctx), "kill-pane -t "+string(id))
		return pane.Info{}, err
	}
	err = m.until(ctx, func() bool { return m.panes[id] == nil || m.panes[id].row.pid != before.PID })
	if err != nil {
		return pane.Info{}, fmt.Errorf("pane %s: %w", id, err)
	}
	if sized {
		if err := m.Resize(ctx, id, spec.Cols, spec.Rows); err != nil && !errors.Is(err, pane.ErrOpen) {
			return pane.Info{}, err
		}
	}
	return m.Get(id)
}

// placed finds a server, or starts one, makes the window there and waits until it is
// followed: what a program asks its terminal for is known from its first byte then.
// ready has to be called once the pane is there. Of an error that is errClientGone
// no program has run.
func (m *Mux) placed(ctx context.Context, spec pane.Spec) (id pane.ID, ready func(), err error) {
	c, ready, err := m.someServer(ctx)
	if err != nil {
		return "", ready, err
	}
	if err = m.takes(ctx, c, spec); err == nil {
		id, err = m.place(ctx, c, spec)
	}
	if errors.Is(err, errClientGone) {
		<-c.ended // its pipes are closed
	}
	if err != nil {
		return "", ready, err
	}
	gone := false
	err = m.until(ctx, func() bool {
		gone = m.empty()
		return gone || m.panes[id] != nil && m.clients[m.panes[id].row.session] != nil
	})
	switch {
	case err != nil:
		return "", ready, fmt.Errorf("pane %s: %w", id, err)
	case gone:
		return "", ready, fmt.Errorf("%w: %w", pane.ErrAway, errClientGone)
	}
	return id, ready, nil
}

// takes refuses a server that would end at a new window, or whose new session could
// not be followed.
func (m *Mux) takes(ctx context.Context, c *client, spec pane.Spec) error {
	replies, err := c.ask(ctx, "show-options -gwv window-size")
	switch {
	case errors.Is(err, errClientGone):
		return fmt.Errorf("%w: %w", pane.ErrAway, errClientGone) // nothing was asked for yet
	case err != nil:
		return fmt.Errorf("%w: tmux does not answer", pane.ErrAway)
	case replies[0] == "manual" && !m.server.version.atLeast(3, 7):
		return ErrManualSize
	case m.sessionOf(spec.Cwd) == "" && m.room(1) == 0:
		return fmt.Errorf("%w: %w", pane.ErrTooMany, errNoRoom)
	}
	return nil
}

// nothingMade reports whether what ended with the connection to tmux is known to
// have made nothing: it was not begun, or its server is gone.
func (m *Mux) nothingMade(ctx context.Context, err error) bool {
	if !errors.Is(err, pane.ErrOutcomeUnknown) {
		return true
	}
	gone := false
	err = m.until(ctx, func() bool {
		gone = m.empty()
		for _, c := range m.clients {
			if !c.over() {
				return true // it lives, and may have made it
			}
		}
		return gone
	})
	return err == nil && gone
}

// empty reports whether there is no server. The lock is held.
func (m *Mux) empty() bool { return len(m.order) == 0 && len(m.clients) == 0 }

// someServer returns a client of the server, which it starts if there is none.
// ready has to be called once the pane is there.
func (m *Mux) someServer(ctx context.Context) (c *client, ready func(), err error) {
	m.starting.Lock()
	c, err = m.anyone()
	if !errors.Is(err, pane.ErrAway) {
		m.starting.Unlock()
		return c, func() {}, err
	}
	ready = func() {
		m.endStarter()
		m.starting.Unlock()
	}
	err = m.startServer()
	if errors.Is(err, pane.ErrRefused) { // one that ends has taken the call; the next finds none
		err = m.startServer()
	}
	if err == nil {
		err = m.until(ctx, func() bool { return len(m.clients) > 0 })
	}
	if err == nil {
		c, err = m.anyone()
	}
	return c, ready, err
}

func (m *Mux) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.panes) >= m.config.MaxPanes
}

// giveWay closes the pane of this node's whose program ended first, and reports
// whether one is gone. Ended panes of others are theirs to close.
func (m *Mux) giveWay(ctx context.Context) bool {
	m.mu.Lock()
	ended := slices.DeleteFunc(slices.Clone(m.order), func(p *tmuxPane) bool { return !p.row.dead || p.row.command == "" })
	slices.SortStableFunc(ended, func(p, q *tmuxPane) int { return p.since.Compare(q.since) })
	m.mu.Unlock()
	for _, p := range ended {
		if err := m.Close(ctx, p.id); err != nil && !errors.Is(err, pane.ErrNotFound) {
			m.config.Log.Debug("an ended pane does not give way", "pane", p.id, "error", err)
			continue
		}
		// It may be gone before the tree that has it was read again.
		if m.until(ctx, func() bool { return m.panes[p.id] != p }) == nil {
			m.config.Log.Info("an ended pane gave way to a new one", "pane", p.id)
			return true
		}
	}
	return false
}

// place makes a window whose program does nothing yet, so that the pane has its
// number and its options before the real one runs.
func (m *Mux) place(ctx context.Context, c *client, spec pane.Spec) (pane.ID, error) {
	made := fmt.Sprintf(` -P -F "#{pane_id} #{session_id}" -c %s -- sleep %s`, literal(spec.Cwd), placeholder)
	m.connecting.Lock()
	defer m.connecting.Unlock()
	session := m.sessionOf(spec.Cwd)
	var replies []string
	var err error
	if session != "" {
		replies, err = c.ask(ctx, "new-window -d -t "+quote(session+":")+made)
	}
	if session == "" || errors.Is(err, pane.ErrNotFound) { // it has ended meanwhile
		m.mu.Lock()
		delete(m.own, session)
		m.mu.Unlock()
		name := literal(m.freeName(spec.Cwd))
		replies, err = c.ask(ctx, fmt.Sprintf("new-session -d -s %s -x %d -y %d", name, spec.Cols, spec.Rows)+made)
	}
	if err != nil {
		return "", err
	}
	id, in, _ := strings.Cut(replies[0], " ")
	if !isID(id, '%') {
		return "", fmt.Errorf("%w: it does not say which pane it made", pane.ErrOutcomeUnknown)
	}
	m.mu.Lock()
	m.own[in] = spec.Cwd
	m.mu.Unlock()
	return pane.ID(id), nil
}

// run gives a pane its options and its program. Arguments and variables go
// through the control client, not through a command line that others can read.
func (m *Mux) run(ctx context.Context, c *client, id pane.ID, spec pane.Spec) error {
	option := func(name, value string) string {
		return "set-option -p -t " + string(id) + " " + name + " " + quote(value)
	}
	command, err := json.Marshal(spec.Command)
	if err != nil {
		return err
	}
	lines := []string{option("@collie_command", string(command)), option("remain-on-exit", "on"), option("remain-on-exit-format", "")}
	if spec.Label != "" {
		lines = append(lines, option("@collie_label", spec.Label))
	}
	if spec.Harness != "" {
		lines = append(lines, option("@collie_harness", spec.Harness))
	}
	var start strings.Builder
	start.WriteString("respawn-pane -k -t " + string(id) + " -c " + literal(spec.Cwd))
	for _, variable := range append(spec.Env, "COLLIE_PANE="+string(id), "COLLIE_SOCKET="+m.config.ControlSocket) {
		start.WriteString(" -e " + quote(variable))
	}
	if len(spec.Command) == 1 { // tmux gives a single word to a shell
		start.WriteString(" -- " + quote("exec "+shell.Word(spec.Command[0])))
	} else {
		start.WriteString(" --")
		for _, word := range spec.Command {
			start.WriteString(" " + quote(word))
		}
	}
	_, err = c.ask(ctx, append(lines, start.String())...)
	return err
}

// sessionOf returns the session that was begun in a folder, or nothing. One that
// was only just made is not in the tree yet.
func (m *Mux) sessionOf(cwd string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for session, folder := range m.own {
		if folder == cwd {
			return session
		}
	}
	for _, p := range m.order {
		if p.row.sessionPath == cwd && p.row.sessionName != starter {
			return p.row.session
		}
	}
	return ""
}

// freeName returns a name for a session in a folder that no session has.
func (m *Mux) freeName(cwd string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := map[string]bool{}
	for _, p := range m.order {
		taken[p.row.sessionName] = true
	}
	base := strings.Map(func(r rune) rune {
		if r == ':' || r == '.' {
			return '_'
		}
		return r
	}, filepath.Base(cwd))
	if base == "/" {
		base = "root"
	}
	name := base
	for n := 2; taken[name]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// starter is the session with which a server is started; it goes once there is
// another one.
const starter = "collie-starts"

// startServer starts a tmux server as the node itself was started.
func (m *Mux) startServer() error {
	m.connecting.Lock()
	defer m.connecting.Unlock()
	m.mu.Lock()
	m.own[starter] = "" // until it is gone, nothing else is waited for
	m.mu.Unlock()
	cmd := m.server.command("new-session", "-d", "-s", starter, "-x", "80", "-y", "24", "sleep "+placeholder)
	var said bounded
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, closeTimeout
	err := m.server.origin.Restored(func() error { return cmd.Start() })
	if err != nil {
		return fmt.Errorf("start a tmux server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-time.After(startTimeout):
		_ = cmd.Process.Kill()
		err = errors.Join(errors.New("it does not come up in time"), <-ended)
	}
	if err != nil {
		return fmt.Errorf("%w: a server could not be started: %s", pane.ErrRefused, firstLine(said.text()))
	}
	return nil
}

func (m *Mux) endStarter() {
	m.mu.Lock()
	delete(m.own, starter)
	m.mu.Unlock()
	c, err := m.anyone()
	if err != nil {
		return
	}
	_, _ = c.ask(m.ctx, "kill-session -t ="+starter)
	_ = m.until(m.ctx, func() bool {
		return !slices.ContainsFunc(m.order, func(p *tmuxPane) bool { return p.row.sessionName == starter })
	})
}
