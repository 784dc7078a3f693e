package api

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/share"
)

// Handlers are the routes of a Machine. They are served twice: to the phone
// below /api, and to the lead below /crew/v1.
type Handlers struct {
	// Machine picks the machine that a request is about.
	Machine func(*http.Request) (Machine, error)
	// Here is the one word for the machine that a host names: empty for this one, also
	// under its own id. It is nil where there is no other.
	Here func(host string) string
	// Beat is how often a stream that has nothing to say says so.
	Beat time.Duration
	// Mask hides the secrets of every answer, whatever the machine did about
	// them; nil hides nothing. Frames pass: a mirror masked them.
	Mask *mask.Mask
	// ETagKey keys the ETags, since a plain hash of masked text would let a
	// phone guess what the marks hide. Version is the mask's.
	ETagKey []byte
	Version string
	// Link says that these routes serve a lead and no phone: the rows above a
	// screen and the receipts of messages are for nobody else.
	Link bool
	// Log is told what is not the caller's fault; it may be nil.
	Log func(r *http.Request, err error)

	streams share.Table // of what is being served
}

// A Route is one row of a route table.
type Route struct {
	Method string
	Path   string // below the prefix, in httprouter's form
	Handle httprouter.Handle
}

// Routes is the route table, to be registered by whoever owns the listener.
func (h *Handlers) Routes() []Route {
	return append([]Route{
		{http.MethodGet, "/snapshot", h.snapshot},
		{http.MethodGet, "/events", h.events},
		{http.MethodGet, "/pane/:id", h.pane},
		{http.MethodGet, "/pane/:id/live", h.live},
		{http.MethodGet, "/pane/:id/history", h.history},
		{http.MethodGet, "/pane/:id/chat", h.chat},
		{http.MethodPost, "/pane/:id/reply", h.reply},
		{http.MethodPost, "/pane/:id/keys", h.keys},
		{http.MethodPost, "/pane/:id/rename", h.rename},
		{http.MethodPost, "/pane/:id/resize", h.resize},
		{http.MethodPost, "/pane/:id/close", h.close},
		{http.MethodPost, "/tab", h.tab},
		{http.MethodPost, "/workspace", h.workspace},
		{http.MethodGet, "/walky", h.walky},
		{http.MethodPost, "/walky/send", h.walkySend},
	}, slices.Concat(
		h.fileRoutes(),
		h.blobRoutes(),
		h.changesRoutes(),
		h.uploadRoutes(),
		h.sentRoutes(),
		h.launchRoutes(),
		h.loadRoutes(),
		h.promptRoutes(),
	)...)
}

func (h *Handlers) snapshot(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Snapshot, error) { return m.Snapshot(ctx) })
}

func (h *Handlers) pane(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Pane, error) {
		pane, err := m.Pane(ctx, p.ByName("id"))
		pane.Frame = h.shown(pane.Frame)
		return pane, err
	})
}

func (h *Handlers) history(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	from, fromOK := number(r, "from", 0)
	count, countOK := number(r, "count", defaultHistoryRows)
	if !fromOK || !countOK || from < 0 || count < 1 || count > MaxHistoryRows {
		WriteError(w, ErrBadRequest.With("from and count are whole numbers; count is at most "+strconv.Itoa(MaxHistoryRows)))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (History, error) {
		history, err := m.History(ctx, p.ByName("id"), from, count)
		if history.Rows == nil {
			history.Rows = []grid.Row{}
		}
		if !h.Link {
			history.Above, history.Below = nil, nil
		}
		return history, err
	})
}

func (h *Handlers) walky(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Walky, error) { return m.Walky(ctx, r.URL.Query().Get("pane")) })
}

func (h *Handlers) reply(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Reply) (Replied, error) {
		return m.Reply(ctx, p.ByName("id"), body)
	})
}

func (h *Handlers) keys(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Keys) (Done, error) {
		return Done{true}, m.Keys(ctx, p.ByName("id"), body)
	})
}

func (h *Handlers) rename(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Rename) (Done, error) {
		return Done{true}, m.Rename(ctx, p.ByName("id"), body)
	})
}

func (h *Handlers) close(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, _ struct{}) (Done, error) {
		return Done{true}, m.Close(ctx, p.ByName("id"))
	})
}

func (h *Handlers) walkySend(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body WalkySend) (WalkySent, error) {
		return m.WalkySend(ctx, body)
	})
}

// shown is what of a frame is for the other side.
func (h *Handlers) shown(frame grid.Frame) grid.Frame {
	if !h.Link {
		frame.Above, frame.Ends = nil, nil
	}
	return frame
}

// number reads a whole number of the query.
func number(r *http.Request, name string, absent int) (n int, ok bool) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return absent, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
