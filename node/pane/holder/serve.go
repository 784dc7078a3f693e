package holder

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"collie/node/caller"
	"collie/node/state"
)

// A server answers on a pane's socket.
type server struct {
	hold     *hold
	over     chan struct{} // closed by close
	accepted chan struct{} // closed when accept returned
	workers  sync.WaitGroup

	mu    sync.Mutex // guards conns
	conns map[*net.UnixConn]struct{}
}

func serve(h *hold) *server {
	s := &server{
		hold: h, over: make(chan struct{}), accepted: make(chan struct{}),
		conns: make(map[*net.UnixConn]struct{}),
	}
	go func() {
		defer close(s.accepted)
		s.accept()
	}()
	return s
}

// accept serves connections until close is called.
func (s *server) accept() {
	for {
		conn, err := s.hold.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of descriptors: the pane lives on and tries again
			select {
			case <-s.over:
				return
			case <-time.After(time.Second):
				continue
			}
		}
		s.mu.Lock()
		busy := len(s.conns) >= maxConnections
		if !busy {
			s.conns[conn] = struct{}{}
		}
		s.mu.Unlock()
		if busy {
			// A few bytes always fit into a new socket.
			_ = newLink(conn, maxRequestBytes).writeJSON(kindRefusal, ErrBusy)
			conn.Close()
			continue
		}
		s.workers.Go(func() {
			s.serve(conn)
			s.mu.Lock()
			delete(s.conns, conn)
			s.mu.Unlock()
		})
	}
}

// close removes the socket, ends every connection and waits for what serves
// them: whoever loses a connection finds that the socket is gone.
func (s *server) close() {
	close(s.over)
	// Before nobody answers on it: a socket without an answer tells of a holder that
	// was killed. One that cannot be removed is the next node's to remove.
	_ = s.hold.listener.Remove()
	s.hold.listener.Close()
	<-s.accepted
	s.mu.Lock()
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()
	s.workers.Wait()
}

func (s *server) serve(conn *net.UnixConn) {
	defer conn.Close()
	peer, err := caller.FromConn(conn)
	if err != nil { // another account, or gone already
		return
	}
	l := newLink(conn, maxRequestBytes)
	var role string
	if err = s.admit(peer); err == nil {
		role, err = s.greet(l)
	}
	if err != nil {
		_ = refuse(l, err)
		return
	}
	switch role {
	case roleControl:
		s.control(l)
	case roleWatch:
		s.watch(l)
	}
}

// admit lets in the node alone: the process that holds the state folder. Whoever
// came straight to this socket would type unseen, past the node, which knows who
// may and writes it down. While nobody is seen to hold the folder, because a file
// system does not show it, whoever is in a pane is refused by that.
func (s *server) admit(peer caller.Credentials) error {
	nodes, err := state.Owners(filepath.Dir(s.hold.dir))
	if err != nil || slices.Contains(nodes, peer.PID) {
		return err
	}
	inside, err := peer.InPane()
	if err == nil && (inside || len(nodes) > 0) {
		err = ErrNotNode
	}
	return err
}

// greet reads a node's hello and answers it.
func (s *server) greet(l *link) (role string, err error) {
	k, body, err := l.readSoon(helloTimeout)
	if err != nil {
		return "", err
	}
	if k != kindHello {
		return "", fmt.Errorf("%w: kind %d as a greeting", ErrMessage, k)
	}
	h, err := decode[hello](body)
	if err != nil {
		return "", err
	}
	number, err := h.agree()
	if err != nil {
		return "", err
	}
	if h.Role != roleControl && h.Role != roleWatch {
		return "", ErrRequest
	}
	return h.Role, l.writeJSON(kindWelcome, welcome{number, s.hold.pane, s.hold.now()})
}

func refuse(l *link, err error) error {
	refusal := &Refusal{}
	if !errors.As(err, &refusal) {
		refusal = &Refusal{Code: ErrFailed.Code, Message: err.Error()}
	}
	return l.writeJSON(kindRefusal, refusal)
}

// control answers requests in their order and sends states between the answers.
func (s *server) control(l *link) {
	var writing sync.Mutex // guards writes to l
	over := make(chan struct{})
	var pusher sync.WaitGroup
	pusher.Go(func() { s.pushStates(l, &writing, over) })
	defer pusher.Wait()
	defer close(over)
	defer l.conn.Close() // before the wait: it ends a blocked write
	for {
		k, body, err := l.read()
		if err != nil {
			return
		}
		answer, err := s.hold.answer(k, body)
		var text []byte
		if err == nil && answer != nil {
			if text, err = json.Marshal(answer); err == nil && len(text) > maxAnswerBytes {
				err = fmt.Errorf("an answer of %d bytes is too large", len(text))
			}
		}
		writing.Lock()
		if err != nil {
			err = refuse(l, err)
		} else {
			err = l.write(kindDone, text)
		}
		writing.Unlock()
		if err != nil {
			return
		}
	}
}

// pushStates sends the newest state whenever it changed, each at least
// stateInterval after the last.
func (s *server) pushStates(l *link, writing *sync.Mutex, over <-chan struct{}) {
	changed, stop := s.hold.changed.Watch()
	defer stop()
	for {
		// The first one closes the gap between the greeting and Subscribe.
		writing.Lock()
		err := l.writeJSON(kindState, s.hold.now())
		writing.Unlock()
		if err != nil {
			l.conn.Close()
			return
		}
		select {
		case <-over:
			return
		case <-time.After(stateInterval):
		}
		select {
		case <-over:
			return
		case <-changed:
		}
	}
}

// answer does what a request asks for. Its result is sent as JSON, nil as nothing.
func (h *hold) answer(k kind, body []byte) (any, error) {
	switch k {
	case kindInput:
		h.view.Typed()
		return nil, h.typeIn(body)
	case kindResize:
		to, err := decode[size](body)
		if err == nil {
			err = to.check()
		}
		if err == nil {
			err = h.view.Resize(to.Cols, to.Rows, func() error { return h.tty.setSize(to) })
		}
		if err == nil {
			h.update(func(s *State) { s.Cols, s.Rows = to.Cols, to.Rows })
		}
		return nil, err
	case kindRename:
		return nil, h.rename(body, func(s *State) *string { return &s.Label })
	case kindTab:
		return nil, h.rename(body, func(s *State) *string { return &s.Tab })
	case kindGroup:
		return nil, h.rename(body, func(s *State) *string { return &s.Workspace })
	case kindScreen:
		return h.view.Whole(), nil
	case kindHistory:
		from, err := decode[historyRange](body)
		if err != nil {
			return nil, err
		}
		return h.view.History(from.From, from.Count), nil
	case kindModes:
		modes := h.view.Modes()
		modes.Line = h.line()
		return modes, nil
	case kindClose:
		select {
		case h.closes <- struct{}{}:
		default: // one waits already
		}
		return nil, nil
	}
	return nil, ErrRequest
}

// rename changes one of the operator's labels.
func (h *hold) rename(body []byte, label func(*State) *string) error {
	to, err := decode[rename](body)
	if err == nil {
		err = CheckLabel(to.Label)
	}
	if err == nil {
		h.update(func(s *State) { *label(s) = to.Label })
	}
	return err
}
