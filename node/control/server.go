// Package control is the node's own socket: how the commands on this machine,
// and the agents in its panes, speak to the running node.
//
// The socket is 0600 in a 0700 folder. Who is calling is read from the kernel
// for every connection, never from what the caller says, and placed in the
// process tree for every request. One gate stands before the routes: a route
// that is the operator's answers nobody else, and a caller that cannot be
// placed gets no answer at all. Connections, bodies, waits and the end of all
// of them are bounded; see limits.go.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/share"
	"collie/node/state"
	"collie/node/trust"
)

// SocketName is the socket's name in the state folder.
const SocketName = "control.sock"

// A Route is one thing that can be asked over the socket.
type Route struct {
	Method, Path string
	// Anyone lets a participant call it too; every other route is the
	// operator's alone.
	Anyone bool
	// Waits says that the call may take long, and ends when the server closes, as
	// a read does.
	Waits bool
	// Handle answers with a document, or with an *api.Error.
	Handle func(ctx context.Context, call *Call) (any, error)
	// Stream stands instead of Handle where a call goes on as a stream: it
	// refuses the call, or returns what then serves the stream until ctx ends.
	Stream func(ctx context.Context, call *Call) (serve func(*Stream), err error)
}

// A Call is one request.
type Call struct {
	Caller caller.Caller
	PID    int // of the caller
	Query  url.Values
	params httprouter.Params
	body   []byte
}

// Param returns a part of the path.
func (c *Call) Param(name string) string { return c.params.ByName(name) }

// Body parses the strict JSON document that came with the request.
func (c *Call) Body(v any) error { return api.ParseStrict(c.body, v) }

// Operator reports whether the caller is the operator of this machine.
func (c *Call) Operator() bool { return c.Caller.Level == trust.Operator }

// Resolve places a caller in the process tree, for which it may wait until ctx ends.
type Resolve func(context.Context, caller.Credentials) (caller.Caller, error)

// A Server answers on the socket until it is closed.
type Server struct {
	socket   *state.Socket
	listener net.Listener // of the socket, with a bound
	http     *http.Server
	resolve  Resolve
	calls    share.Table // of participants
	log      *slog.Logger

	closing chan struct{} // closed with Close: waits end
	stop    func()        // closes closing, once

	mu       sync.Mutex // guards what follows
	ended    bool       // no further call begins
	handlers sync.WaitGroup
}

// Listen opens the socket in the state folder and serves the routes.
func Listen(folder *state.Folder, resolve Resolve, routes []Route, log *slog.Logger) (*Server, error) {
	socket, err := state.ListenUnix(folder.Dir(), SocketName)
	if err != nil {
		return nil, err
	}
	s := &Server{
		socket: socket, listener: limit(socket.UnixListener, maxConnections), resolve: resolve, log: log, closing: make(chan struct{}),
	}
	s.stop = sync.OnceFunc(func() { close(s.closing) })
	s.http = &http.Server{
		Handler:           s.handler(routes),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	return s, nil
}

// Serve answers until Close.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the control socket ended: %w", err)
	}
	return nil
}

// Close ends reads at once, lets a change come to its answer for a moment, then
// ends it too, and removes the socket. It returns within five seconds; an error
// says that a call has not ended even then.
func (s *Server) Close() error {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	var err error
	if s.http.Shutdown(ctx) != nil {
		err = s.http.Close()
	}
	_ = s.listener.Close() // it is closed already, unless nothing was served
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() { // ends with the last call
		s.handlers.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(abandonTimeout):
		err = errors.Join(err, errors.New("a call on the control socket did not end"))
	}
	return errors.Join(err, s.socket.Remove())
}

type connKey struct{}

func (s *Server) handler(routes []Route) http.Handler {
	refuse := func(refusal *api.Error) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { api.WriteError(w, refusal) })
	}
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath, router.HandleOPTIONS = false, false, false
	router.NotFound, router.MethodNotAllowed = refuse(api.ErrNotFound), refuse(api.ErrMethodNotAllowed)
	router.PanicHandler = func(w http.ResponseWriter, r *http.Request, reason any) {
		s.log.Error("a call on the control socket panicked", "method", r.Method, "path", r.URL.Path, "panic", reason, "stack", string(debug.Stack()))
		api.WriteError(w, api.ErrInternal)
	}
	for _, route := range routes {
		router.Handle(route.Method, route.Path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			if !s.begin() {
				return // its connection is closed
			}
			defer s.handlers.Done()
			answer, err := s.answer(w, r, route, params)
			if errors.Is(err, errHijacked) {
				return
			}
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout)) // a caller that does not read loses its place
			if err != nil {
				api.WriteError(w, err)
				return
			}
			api.WriteJSON(w, answer)
		})
	}
	return router
}

// begin counts a call, unless the server is closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.handlers.Add(1)
	}
	return !s.ended
}

// answer is the gate, and behind it the route. A caller that the gate refuses
// gets neither its body read nor the route run.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, route Route, params httprouter.Params) (any, error) {
	call := &Call{Query: r.URL.Query(), params: params}
	on := r.Context().Value(connKey{}).(*conn)
	defer on.asking()()
	err := on.peer.err
	if err == nil {
		call.PID = on.peer.credentials.PID
		call.Caller, err = s.place(r.Context(), on.peer.credentials)
	}
	if err != nil {
		s.log.Warn("a caller on the control socket was refused", "error", err)
		return nil, api.ErrNotAllowed.With(err.Error())
	}
	if !route.Anyone && !call.Operator() {
		return nil, api.ErrNotAllowed.With("this process " + call.Caller.Why)
	}
	if !call.Operator() { // so that no agent shuts out the others, and all of them not the operator
		done, ok := s.calls.Take(share.Share{Name: "", Most: maxCallsOfAgents}, share.Share{Name: "pane " + call.Caller.Pane, Most: maxCallsOfPane})
		if !ok {
			return nil, api.ErrTooManyCalls
		}
		defer done()
	}
	if call.body, err = readBody(w, r); err != nil {
		return nil, err
	}
	if route.Stream != nil {
		return nil, s.stream(w, r, route, call)
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if r.Method == http.MethodGet || route.Waits {
		defer s.whenClosing(cancel)()
	}
	answer, err := route.Handle(ctx, call)
	if err != nil && api.AsError(err) == api.ErrInternal && ctx.Err() == nil {
		s.log.Error("a call on the control socket failed", "method", route.Method, "path", route.Path, "error", err)
	}
	return answer, err
}

// place finds out where a caller stands, and waits for nothing once the server closes.
func (s *Server) place(ctx context.Context, c caller.Credentials) (caller.Caller, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.whenClosing(cancel)()
	return s.resolve(ctx, c)
}

// whenClosing calls end once the server closes, until stop is called.
func (s *Server) whenClosing(end func()) (stop func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-s.closing:
			end()
		case <-done:
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// readBody reads a body within its bounds of size and time.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, api.MaxRequestBytes+1))
	switch {
	case err != nil:
		return nil, api.ErrBadRequest.With("the body could not be read")
	case len(body) > api.MaxRequestBytes:
		return nil, api.ErrTooLarge
	}
	return body, control.SetReadDeadline(time.Time{}) // the call may take longer
}
