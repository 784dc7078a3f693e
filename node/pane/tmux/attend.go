package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"collie/node/pane"
)

// attend keeps the tree as tmux has it, until the multiplexer lets go.
func (m *Mux) attend(socket *socketWatch) {
	defer socket.close()
	defer m.forgetAll("")
	first := sync.OnceFunc(func() { close(m.looked) })
	for tries, unread := 0, 0; m.ctx.Err() == nil; {
		err := m.look()
		if m.ctx.Err() != nil {
			return
		}
		// tmux looks up a program's name and folder each time that they are named, so a
		// length may be that of the moment before.
		if errors.Is(err, errList) && unread < retries {
			unread++
			continue
		}
		unread = 0
		if err == nil {
			tries = retries
			first()
			select {
			case <-m.dirty:
			case <-m.ctx.Done():
			}
			continue
		}
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errList) { // it is there, and so are its panes
			m.config.Log.Warn("tmux does not answer", "error", err)
			m.hangs()
			first()
			select {
			case <-time.After(retry):
			case <-m.ctx.Done():
			}
			continue
		}
		m.config.Log.Info("there is no tmux server", "reason", err)
		m.forgetAll(err.Error())
		first()
		// Until its socket is made anew there is no server; after that it may take a
		// moment to answer.
		var again <-chan time.Time
		if tries > 0 {
			tries--
			again = time.After(retry)
		}
		select {
		case <-again:
		case <-socket.changed:
			tries = retries
			m.moved()
		case <-m.dirty: // somebody knows of a server
		case <-m.ctx.Done():
		}
	}
}

// hangs notes that the server does not answer.
func (m *Mux) hangs() {
	m.mu.Lock()
	m.trouble = "tmux does not answer on " + m.server.socket
	m.mu.Unlock()
	m.changes.Signal()
}

// moved notes that a server or a session comes or goes.
func (m *Mux) moved() {
	m.mu.Lock()
	m.movedAt = time.Now()
	m.mu.Unlock()
}

// calm waits until nothing has moved for a while, and reports whether the
// multiplexer still runs. This node's own sessions are no reason to wait.
func (m *Mux) calm() bool {
	for {
		m.mu.Lock()
		left := settle - time.Since(m.movedAt)
		own := len(m.own) > 0
		m.mu.Unlock()
		if left <= 0 || own {
			return m.ctx.Err() == nil
		}
		wait := time.NewTimer(left)
		select {
		case <-wait.C:
		case <-m.ctx.Done():
			wait.Stop()
			return false
		}
	}
}

// look reads the tree and follows what is new in it. An error says that there is
// no server.
func (m *Mux) look() error {
	c, err := m.anyClient()
	if err != nil {
		return err
	}
	replies, err := c.ask(m.ctx, listPanes, listClients)
	if errors.Is(err, errClientGone) { // its session is gone; the next look has another client, or finds no server
		<-c.ended
		m.again()
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := readRows(replies[0])
	if err != nil {
		return err
	}
	m.take(rows, readPersons(replies[1]))
	m.attachNew()
	return nil
}

// anyClient returns a client that lives, or makes one.
func (m *Mux) anyClient() (*client, error) {
	if c, _ := m.dropEnded(); c != nil {
		return c, nil
	}
	if !m.calm() {
		return nil, m.ctx.Err()
	}
	return m.start("")
}

// dropEnded forgets the clients that have ended, and returns one that has not.
func (m *Mux) dropEnded() (left *client, dropped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for session, c := range m.clients {
		switch {
		case c.over():
			delete(m.clients, session)
			dropped = true
		case c.attachedTo() != session: // its own is gone, and tmux has moved it
			delete(m.clients, session)
			m.running.Go(c.close)
			dropped = true
		default:
			left = c
		}
	}
	return left, dropped
}

// start attaches a client to a session and enters it.
func (m *Mux) start(session string) (*client, error) {
	m.connecting.Lock()
	defer m.connecting.Unlock()
	c, err := newClient(m.server, session, m.heard)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(m.ctx, startTimeout)
	defer cancel()
	select {
	case <-c.ready:
	case <-c.ended:
		return nil, fmt.Errorf("tmux does not answer on %s: %s", m.server.socket, cmp.Or(firstLine(c.stderr.text()), "it gave no reason"))
	case <-ctx.Done():
		c.close()
		return nil, fmt.Errorf("tmux does not answer: %w", ctx.Err())
	}
	m.mu.Lock()
	session = c.attachedTo()
	known := m.clients[session] != nil
	if !known {
		m.clients[session] = c
	}
	m.mu.Unlock()
	if known {
		c.close()
		return nil, fmt.Errorf("session %s has a client already", session)
	}
	m.running.Go(func() { // its end is news
		select {
		case <-c.ended:
			m.moved()
			m.again()
		case <-m.ctx.Done():
			c.close()
		}
	})
	if err := c.send(command{text: subscribe}); err != nil {
		return nil, err
	}
	return c, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// attachNew gives each session a client, and takes it from those that are gone.
func (m *Mux) attachNew() {
	sessions := m.unattended()
	sessions = sessions[:min(len(sessions), m.room(len(sessions)))]
	for _, session := range sessions {
		if m.ctx.Err() != nil {
			return
		}
		if _, err := m.start(session); err != nil {
			m.config.Log.Warn("a session of tmux is not followed", "session", session, "error", err)
			continue
		}
		m.seedAll(session)
	}
}

// unattended returns the sessions that have no client and may get one now.
func (m *Mux) unattended() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	early := settle - time.Since(m.movedAt)
	var sessions []string
	seen := map[string]bool{}
	for _, p := range m.order {
		s := p.row.session
		if seen[s] || m.clients[s] != nil || len(m.clients)+len(sessions) >= maxClients {
			continue
		}
		seen[s] = true
		if _, ours := m.own[s]; early > 0 && !ours {
			time.AfterFunc(early, m.again)
			continue
		}
		delete(m.own, s)
		sessions = append(sessions, s)
	}
	return sessions
}

// take makes the list of panes that of tmux.
func (m *Mux) take(rows []row, persons []person) {
	seeds, free := m.enter(rows, persons)
	m.seed(seeds)
	for _, window := range free { // a person has come, whose terminal decides again
		if c, err := m.anyone(); err == nil {
			_ = c.send(
				command{text: "set-option -w -u -t " + window + " window-size"},
				command{text: "set-option -w -u -t " + window + " @collie_sized"})
		}
	}
	m.reread.Signal()
	m.changes.Signal()
}

// enter takes the list over. It returns the panes whose screens have to be
// captured, and the windows whose size is a person's again.
func (m *Mux) enter(rows []row, persons []person) (seeds []*tmuxPane, free []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.trouble, m.persons, m.order = "", persons, nil
	left := map[pane.ID]bool{}
	for _, r := range rows {
		id := pane.ID(r.id)
		if left[id] || len(left) >= m.config.MaxPanes { // a window may be linked into two sessions
			continue
		}
		left[id] = true
		p := m.panes[id]
		if p != nil && p.row.serverPID != r.serverPID { // another server gave the number out again
			p.end()
			p = nil
		}
		if p == nil {
			p = newPane(m, r, now)
			m.panes[id] = p
		}
		if p.row.pid != r.pid || p.row.dead != r.dead {
			p.since = now
			if r.dead && r.exited == nil {
				time.AfterFunc(tellTimeout, m.again)
			}
		}
		resized := p.row.cols != r.cols || p.row.rows != r.rows || p.row.pid != r.pid || p.row.session != r.session ||
			p.row.dead != r.dead // what a program wrote last is told to no client
		p.row = r
		p.typed.meet(r.pid, r.begun)
		m.order = append(m.order, p)
		if resized || !p.asked {
			seeds = append(seeds, p)
		}
		if r.sized && m.shown(r) {
			free = append(free, r.window)
		}
	}
	for id, p := range m.panes {
		if !left[id] {
			p.end()
			delete(m.panes, id)
		}
	}
	return seeds, free
}

// forgetAll empties the list: there is no server.
func (m *Mux) forgetAll(why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, p := range m.panes {
		p.end()
		delete(m.panes, id)
	}
	for session, c := range m.clients {
		delete(m.clients, session)
		m.running.Go(c.close)
	}
	m.order, m.persons = nil, nil
	m.trouble = why
	m.reread.Signal()
	m.changes.Signal()
}

// heard takes a notice, in the goroutine that reads the client.
func (m *Mux) heard(c *client, l line) {
	switch l.kind {
	case changed, attached:
		if l.sessions {
			m.moved()
		}
		m.again()
	case output, paused:
		m.mu.Lock()
		p := m.panes[pane.ID(l.pane)]
		if p != nil && p.row.session != c.attachedTo() {
			p = nil // it is linked into two sessions, and heard of in one
		}
		m.mu.Unlock()
		if p == nil {
			return
		}
		if l.kind == paused {
			p.pausedBy(c)
			return
		}
		p.wrote(c, l.data)
	}
}
