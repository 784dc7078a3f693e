package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/api"
	"collie/node/site"
	"collie/node/walky"
)

// What a request to a channel is refused with.
var (
	errUnauthorized = api.Refusal(http.StatusUnauthorized, "webhook_not_signed", "the signature is not right")
	errOld          = api.Refusal(http.StatusUnauthorized, "webhook_stale", errStale.Error())
	errBusy         = api.Refusal(http.StatusTooManyRequests, "webhook_busy", "the channel gets more than it takes")
	errTooLarge     = api.Refusal(http.StatusRequestEntityTooLarge, "webhook_too_large", "the body is larger than a channel takes")
	errNotTaken     = api.Refusal(http.StatusServiceUnavailable, "webhook_not_taken", "the message could not be taken now")
)

// answer is the document of a delivery that was taken.
type answer struct {
	ID    string `json:"id,omitempty"`
	State string `json:"state"`
}

// Handler answers POST /hook/NAME. Everything else is not found.
func (d *Desk) Handler() http.Handler {
	router := &httprouter.Router{NotFound: http.HandlerFunc(notFound), MethodNotAllowed: http.HandlerFunc(notFound)}
	var tries site.Tries
	router.POST("/hook/:name", func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		d.serve(w, r, p.ByName("name"), &tries)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		router.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }

func (d *Desk) serve(w http.ResponseWriter, r *http.Request, name string, tries *site.Tries) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBodyBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		api.WriteError(w, errTooLarge)
		return
	case err != nil:
		api.WriteError(w, api.ErrBadRequest)
		return
	}
	receipt, err := d.Deliver(r.Context(), name, r.Header, body)
	switch {
	case errors.Is(err, errRepeated):
		api.WriteJSON(w, answer{State: "repeated"})
	case errors.Is(err, errSignature):
		// Those that are not signed are counted, and only they: what a stranger
		// sends takes no channel's share.
		if !tries.Allow(site.HostOf(site.AddressOf(r.RemoteAddr)), d.config.Now()) {
			w.Header().Set("Retry-After", "60")
			api.WriteError(w, site.ErrRateLimited)
			return
		}
		api.WriteError(w, errUnauthorized)
	case errors.Is(err, errStale):
		api.WriteError(w, errOld)
	case errors.Is(err, errRate):
		d.busy(w, time.Second)
	case errors.Is(err, ErrUnavailable): // was logged when the channels were opened
		api.WriteError(w, errNotTaken)
	case err != nil:
		d.config.Log.Error("a webhook was not taken", "channel", name, "error", err)
		api.WriteError(w, errNotTaken)
	case receipt.State == walky.Refused && receipt.Wait > 0:
		d.busy(w, receipt.Wait)
	case receipt.State == walky.Refused:
		api.WriteError(w, errNotTaken.With(receipt.Reason))
	default:
		api.WriteStatus(w, http.StatusAccepted, answer{receipt.ID, string(receipt.State)})
	}
}

func (d *Desk) busy(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	api.WriteError(w, errBusy)
}

// Listen opens the port of the channels; see site.Listen.
func Listen(ctx context.Context, host string, port int, beyond bool) (net.Listener, error) {
	listener, err := site.Listen(ctx, host, port, beyond)
	if err != nil {
		return nil, fmt.Errorf("webhooks are not heard, COLLIE_HOOKS_HOST and COLLIE_HOOKS_PORT say where: %w", err)
	}
	return listener, nil
}

// Serve answers on a listener until ctx ends, and closes it.
func (d *Desk) Serve(ctx context.Context, listener net.Listener) error {
	places := site.NewPlaces(listener, maxConnections)
	server := &http.Server{
		Handler:                      untilRead(places, d.Handler()),
		DisableGeneralOptionsHandler: true,
		MaxHeaderBytes:               maxHeaderBytes,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ConnContext:                  withConn,
		ConnState:                    places.State,
		ErrorLog:                     slog.NewLogLogger(d.config.Log.Handler(), slog.LevelDebug),
	}
	if err := site.Serve(ctx, server, places, stopTimeout); err != nil {
		return fmt.Errorf("webhooks: %w", err)
	}
	return nil
}
