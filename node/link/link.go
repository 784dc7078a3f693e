// Package link is what lead and member share of the crew link above mesh: the
// table of routes that a role serves, with the grade that may call each, and
// one call from either side.
//
// What a table does not list, and what the caller's grade may not call, gets
// one and the same bare 401 before any handler, so that a peer learns nothing
// from what it may not do.
package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
)

// Prefix is the path below which every route on the link stands.
const Prefix = "/crew/v1"

// ErrAnswer says that the other side answered something that is not an answer.
var ErrAnswer = errors.New("the other side's answer cannot be read")

// A Route is one row of a role's table.
type Route struct {
	Method, Path string // below Prefix, in httprouter's form
	Grade        trust.Grade
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
			if !known || peer.Grade != route.Grade {
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

// Exchange is a route that takes one strict document and answers another.
func Exchange[In, Out any](do func(context.Context, In) (Out, error)) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		var in In
		err := api.ReadBody(r, &in)
		var out Out
		if err == nil {
			out, err = do(r.Context(), in)
		}
		if err != nil {
			api.WriteError(w, err)
			return
		}
		api.WriteJSON(w, out)
	}
}

// Call makes one exchange over a link. Its errors match mesh.ErrUnreachable
// when nothing was sent, and *api.Error for a refusal.
func Call(ctx context.Context, transport http.RoundTripper, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, api.WriteBudget)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://crew"+Prefix+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, api.MaxAnswerBytes+1))
	switch {
	case err != nil:
		return err
	case len(data) > api.MaxAnswerBytes:
		return ErrAnswer
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the other side answered %s: %w", response.Status, api.ReadRefusal(data))
	}
	if err := json.Unmarshal(data, out); err != nil {
		return ErrAnswer
	}
	return nil
}
