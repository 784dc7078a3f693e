package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sync/errgroup"

	"collie/node/api/sse"
	"collie/node/grid"
)

// Handlers are the routes of a Machine. They are served twice: to the phone
// below /api, and to the lead below /crew/v1.
type Handlers struct {
	// Machine picks the machine that a request is about.
	Machine func(*http.Request) (Machine, error)
	// Beat is how often a stream that has nothing to say says so.
	Beat time.Duration
	// ETagKey keys the ETags, since a plain hash of masked text would let a
	// phone guess what the marks hide. Version is the mask's.
	ETagKey []byte
	Version string
	// Log is told what is not the caller's fault.
	Log func(r *http.Request, err error)
}

// A Route is one row of a route table.
type Route struct {
	Method string
	Path   string // below the prefix, in httprouter's form
	Handle httprouter.Handle
}

// Routes is the route table, to be registered by whoever owns the listener.
func (h *Handlers) Routes() []Route {
	return []Route{
		{http.MethodGet, "/snapshot", h.snapshot},
		{http.MethodGet, "/events", h.events},
		{http.MethodGet, "/pane/:id", h.pane},
		{http.MethodGet, "/pane/:id/live", h.live},
		{http.MethodGet, "/pane/:id/history", h.history},
		{http.MethodPost, "/pane/:id/reply", h.reply},
		{http.MethodPost, "/pane/:id/keys", h.keys},
		{http.MethodPost, "/pane/:id/rename", h.rename},
		{http.MethodPost, "/pane/:id/close", h.close},
		{http.MethodGet, "/walky", h.walky},
		{http.MethodPost, "/walky/send", h.walkySend},
	}
}

func (h *Handlers) snapshot(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Snapshot, error) { return m.Snapshot(ctx) })
}

func (h *Handlers) pane(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	read(h, w, r, func(ctx context.Context, m Machine) (Pane, error) { return m.Pane(ctx, p.ByName("id")) })
}

func (h *Handlers) history(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	from, err := number(r, "from", -1)
	count, err2 := number(r, "count", 200)
	if err = errors.Join(err, err2); err != nil || count < 1 || count > MaxHistoryRows {
		WriteError(w, ErrBadRequest.With("from and count are whole numbers; count is at most "+strconv.Itoa(MaxHistoryRows)))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (History, error) {
		return m.History(ctx, p.ByName("id"), from, count)
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

// read answers a GET with what the machine says, and an ETag.
func read[T any](h *Handlers, w http.ResponseWriter, r *http.Request, do func(context.Context, Machine) (T, error)) {
	m, err := h.Machine(r)
	var answer T
	if err == nil {
		answer, err = do(r.Context(), m)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	body, err := json.Marshal(answer)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	mac := hmac.New(sha256.New, h.ETagKey)
	_, _ = io.WriteString(mac, h.Version)
	_, _ = mac.Write(body)
	etag := `"` + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18]) + `"`
	w.Header().Set("ETag", etag)
	w.Header().Set("Cache-Control", "private, no-store")
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that went away is nobody to tell
}

// write answers a POST once the machine has done it.
func write[B, T any](h *Handlers, w http.ResponseWriter, r *http.Request, do func(context.Context, Machine, B) (T, error)) {
	var body B
	err := ReadBody(r, &body)
	var m Machine
	if err == nil {
		m, err = h.Machine(r)
	}
	var answer T
	if err == nil {
		answer, err = do(r.Context(), m, body)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	WriteJSON(w, answer)
}

func (h *Handlers) fail(w http.ResponseWriter, r *http.Request, err error) {
	if AsError(err) == ErrInternal && h.Log != nil && r.Context().Err() == nil {
		h.Log(r, err)
	}
	WriteError(w, err)
}

func (h *Handlers) events(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	h.stream(w, r, func(ctx context.Context, m Machine, out *sse.Writer) error {
		return m.Events(ctx, func(e Event) error {
			switch {
			case e.Snapshot != nil:
				return send(out, "snapshot", 0, e.Snapshot)
			case e.Change != nil:
				return send(out, "change", 0, e.Change)
			case e.Gone != nil:
				return send(out, "gone", 0, e.Gone)
			default:
				return send(out, "receipt", 0, e.Receipt)
			}
		})
	})
}

func (h *Handlers) live(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	h.stream(w, r, func(ctx context.Context, m Machine, out *sse.Writer) error {
		err := m.Live(ctx, p.ByName("id"), func(f grid.Frame) error { return send(out, "frame", f.Seq, f) })
		if out.Started() && (errors.Is(err, ErrPaneNotFound) || errors.Is(err, ErrPaneGone)) {
			return send(out, "gone", 0, AsError(err))
		}
		return err
	})
}

// stream answers with events until do ends.
func (h *Handlers) stream(w http.ResponseWriter, r *http.Request, do func(context.Context, Machine, *sse.Writer) error) {
	m, err := h.Machine(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	out := sse.NewWriter(w)
	group, ctx := errgroup.WithContext(r.Context())
	ended := errors.New("stream has ended")
	group.Go(func() error {
		return out.Beat(ctx, h.Beat, func() []byte {
			return []byte(`{"at":` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `}`)
		})
	})
	group.Go(func() error {
		if err := do(ctx, m, out); err != nil {
			return err
		}
		return ended
	})
	err = group.Wait()
	if r.Context().Err() != nil || errors.Is(err, ended) {
		return
	}
	refused := AsError(err)
	if refused == ErrInternal && h.Log != nil {
		h.Log(r, err)
	}
	if !out.Started() {
		WriteError(w, refused)
		return
	}
	_ = send(out, "error", 0, refused) // the stream ends either way
}

func send(out *sse.Writer, name string, id uint64, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return out.Send(name, id, data)
}

// WriteJSON answers 200 with a document.
func WriteJSON(w http.ResponseWriter, v any) { writeJSON(w, http.StatusOK, v) }

// ReadBody parses a strict JSON request: one document, no unknown field, at
// most MaxRequestBytes. An empty body is an empty document.
func ReadBody(r *http.Request, v any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxRequestBytes+1))
	switch {
	case err != nil:
		return ErrBadRequest.With("the body could not be read")
	case len(data) > MaxRequestBytes:
		return ErrTooLarge
	}
	return ParseStrict(data, v)
}

// ParseStrict parses one JSON document that has no unknown field. Nothing is
// an empty document.
func ParseStrict(data []byte, v any) error {
	text := strings.TrimSpace(string(data))
	if text == "" {
		text = "{}"
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return ErrBadRequest.With(err.Error())
	}
	if _, err := decoder.Token(); err != io.EOF {
		return ErrBadRequest.With("bytes after the document")
	}
	return nil
}

func number(r *http.Request, name string, absent int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	return strconv.Atoi(text)
}
