// Package control is the node's own socket: how the commands on this machine,
// and the agents in its panes, speak to the running node.
//
// The socket is 0600 in a 0700 folder. Who is calling is read from the kernel
// for every connection, never from what the caller says, and placed in the
// process tree for every request. One gate stands before the routes: a route
// that is the operator's answers nobody else.
package control

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/state"
	"collie/node/trust"
)

// SocketName is the socket's name in the state folder.
const SocketName = "control.sock"

// Bounds of the socket.
const (
	maxConnections = 256
	maxHeaderBytes = 16 << 10
	headerTimeout  = 5 * time.Second
	stopTimeout    = 2 * time.Second
)

// A Route is one thing that can be asked over the socket.
type Route struct {
	Method, Path string
	// Anyone lets a participant call it too; every other route is the
	// operator's alone.
	Anyone bool
	// Handle answers with a document, or with an *api.Error.
	Handle func(ctx context.Context, call *Call) (any, error)
}

// A Call is one request.
type Call struct {
	Caller caller.Caller
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

// Resolve places a caller in the process tree.
type Resolve func(caller.Credentials) (caller.Caller, error)

// A Server answers on the socket until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	log      *slog.Logger
}

// Listen opens the socket in the state folder and serves the routes.
func Listen(folder *state.Folder, resolve Resolve, routes []Route, log *slog.Logger) (*Server, error) {
	socket, err := state.ListenUnix(folder.Dir(), SocketName)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: limit(socket, maxConnections), log: log}
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath, router.HandleOPTIONS = false, false, false
	router.NotFound = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { api.WriteError(w, api.ErrNotFound) })
	router.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { api.WriteError(w, api.ErrMethodNotAllowed) })
	for _, route := range routes {
		router.Handle(route.Method, route.Path, s.gate(resolve, route))
	}
	s.http = &http.Server{
		Handler:           router,
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, peerKey{}, c.(*conn).peer)
		},
	}
	return s, nil
}

// Serve answers until Close.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close lets running calls end for a moment, then ends them.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		return s.http.Close()
	}
	return nil
}

type peerKey struct{}

func (s *Server) gate(resolve Resolve, route Route) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		who, _ := r.Context().Value(peerKey{}).(peer)
		call := &Call{Query: r.URL.Query(), params: params}
		err := who.err
		if err == nil {
			call.Caller, err = resolve(who.credentials)
		}
		if err != nil {
			s.log.Warn("a caller on the control socket was refused", "error", err)
			api.WriteError(w, api.ErrNotAllowed)
			return
		}
		if !route.Anyone && !call.Operator() {
			api.WriteError(w, api.ErrNotAllowed.With(call.Caller.Why))
			return
		}
		call.body, err = io.ReadAll(io.LimitReader(r.Body, api.MaxRequestBytes+1))
		if err == nil && len(call.body) > api.MaxRequestBytes {
			err = api.ErrTooLarge
		}
		var answer any
		if err == nil {
			answer, err = route.Handle(r.Context(), call)
		}
		if err != nil {
			if api.AsError(err) == api.ErrInternal && r.Context().Err() == nil {
				s.log.Error("a call on the control socket failed", "method", route.Method, "path", route.Path, "error", err)
			}
			api.WriteError(w, err)
			return
		}
		api.WriteJSON(w, answer)
	}
}
