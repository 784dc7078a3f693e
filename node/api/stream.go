package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sync/errgroup"

	"collie/node/api/sse"
	"collie/node/grid"
	"collie/node/mask"
	"collie/node/share"
)

// errStreamEnded ends the beat of a stream that has said everything.
var errStreamEnded = errors.New("stream has ended")

func (h *Handlers) events(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	h.stream(w, r, "", func(ctx context.Context, m Machine, out *sse.Writer) error {
		return m.Events(ctx, func(e Event) error {
			e, _ = mask.Answer(h.Mask, e)
			switch {
			case e.Snapshot != nil:
				return send(out, "snapshot", 0, e.Snapshot)
			case e.Change != nil:
				return send(out, "change", 0, e.Change)
			case e.Gone != nil:
				return send(out, "gone", 0, e.Gone)
			case e.Receipt != nil && h.Link:
				return send(out, "receipt", 0, e.Receipt)
			}
			return nil
		})
	})
}

func (h *Handlers) live(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	host := ""
	if h.Here != nil {
		host = h.Here(r.URL.Query().Get("host"))
	}
	pane := host + "/" + p.ByName("id")
	h.stream(w, r, pane, func(ctx context.Context, m Machine, out *sse.Writer) error {
		err := m.Live(ctx, p.ByName("id"), func(f grid.Frame) error { return send(out, "frame", f.Seq, h.shown(f)) })
		if out.Started() && (errors.Is(err, ErrPaneNotFound) || errors.Is(err, ErrPaneGone)) {
			return send(out, "gone", 0, Refused(h.Mask, err))
		}
		return err
	})
}

// stream answers with events until do ends, or with an ordinary refusal when
// nothing was sent yet. A refusal after that is the stream's last event. Those of
// one device have a share of their own, and those that show one pane.
func (h *Handlers) stream(w http.ResponseWriter, r *http.Request, pane string, do func(context.Context, Machine, *sse.Writer) error) {
	shares := []share.Share{{Name: "", Most: maxStreams}}
	if device := Device(r.Context()); device != "" {
		shares = append(shares, share.Share{Name: "device " + device, Most: maxStreamsOfDevice})
	}
	if pane != "" {
		shares = append(shares, share.Share{Name: "pane " + pane, Most: maxStreamsOfPane})
	}
	done, ok := h.streams.Take(shares...)
	if !ok {
		WriteError(w, ErrStreamsExhausted)
		return
	}
	defer done()
	m, err := h.Machine(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	out := sse.NewWriter(w)
	group, ctx := errgroup.WithContext(r.Context())
	group.Go(func() error {
		return out.Beat(ctx, h.Beat, func() []byte {
			return []byte(`{"at":` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `}`)
		})
	})
	group.Go(func() error {
		if err := do(ctx, m, out); err != nil {
			return err
		}
		return errStreamEnded
	})
	err = group.Wait()
	if r.Context().Err() != nil || errors.Is(err, errStreamEnded) {
		return
	}
	if !out.Started() {
		h.fail(w, r, err)
		return
	}
	h.logFailure(r, err)
	_ = send(out, "error", 0, Refused(h.Mask, err)) // the stream ends either way
}

func send(out *sse.Writer, name string, id uint64, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return out.Send(name, id, data)
}
