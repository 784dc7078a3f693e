// Package link is what lead and member share of the crew link above mesh: the
// table of routes that a role serves, with the grade that may call each, and
// the calls that either side makes.
//
// What a table does not list, and what the caller's grade may not call, gets
// one and the same bare 401 before any handler, so that a peer learns nothing
// from what it may not do.
package link

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// Prefix is the path below which every route on the link stands.
const Prefix = "/crew/v1"

// A Route is one row of a role's table.
type Route struct {
	Method, Path string        // below Prefix, in httprouter's form
	Grades       []trust.Grade // that may call it
	Handle       httprouter.Handle
}

// Handler serves a role's table.
func Handler(routes []Route) http.Handler {
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath = false, false
	router.HandleOPTIONS, router.HandleMethodNotAllowed = false, false
	router.NotFound = http.HandlerFunc(unauthorized)
	for _, route := range routes {
		router.Handle(route.Method, Prefix+route.Path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			peer, known := mesh.PeerFrom(r.Context())
			if !known || !slices.Contains(route.Grades, peer.Grade) {
				unauthorized(w, r)
				return
			}
			route.Handle(w, r, params)
		})
	}
	return router
}

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, `{"error":"unauthorized"}`) // a peer that went away is nobody to tell
}

// Exchange is a route that takes one strict document and answers another. What
// is not the caller's fault goes to log; the caller is told no more than that
// something went wrong.
func Exchange[In, Out any](log *slog.Logger, do func(context.Context, In) (Out, error)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		var in In
		err := api.ReadBody(r, &in)
		var out Out
		if err == nil {
			out, err = do(r.Context(), in)
		}
		if err != nil {
			if errors.Is(api.AsError(err), api.ErrInternal) && r.Context().Err() == nil {
				log.Error("a request on the crew link failed", "path", r.URL.Path, "error", err)
			}
			api.WriteError(w, err)
			return
		}
		api.WriteJSON(w, out)
	}
}
