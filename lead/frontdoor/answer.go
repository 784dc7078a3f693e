package frontdoor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"collie/node/api"
)

// answer knows whether an answer has begun.
type answer struct {
	http.ResponseWriter
	started bool
}

func (a *answer) WriteHeader(status int) {
	a.started = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(data []byte) (int, error) {
	a.started = true
	return a.ResponseWriter.Write(data)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// recoverPanic answers 500 for a handler that panicked, or cuts an answer that
// has begun. The log gets the place, and the message only when it is the
// runtime's: any other may hold what a handler was working on.
func (d *Door) recoverPanic(w *answer, r *http.Request) {
	reason := recover()
	if reason == nil {
		return
	}
	if err, ok := reason.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	what := fmt.Sprintf("a value of type %T", reason)
	if err, ok := reason.(runtime.Error); ok {
		what = err.Error()
	}
	d.parts.Log.Error("a handler panicked", "method", r.Method, "path", r.URL.Path, "panic", what, "stack", string(debug.Stack()))
	if w.started {
		panic(http.ErrAbortHandler)
	}
	api.WriteError(w, api.ErrInternal)
}

// bound gives a request a deadline for its body and for a plain answer.
func bound(w http.ResponseWriter, r *http.Request) {
	control, until := http.NewResponseController(w), time.Now().Add(exchangeTimeout)
	_ = control.SetWriteDeadline(until) // not every writer has deadlines
	if r.ContentLength != 0 {
		_ = control.SetReadDeadline(until)
	}
}

// servingKey is the context key of the context of Serve.
type servingKey struct{}

// follow serves a call that passed the gates. A read of the API ends as soon as
// its device does, the door closes, or the node gets a lead, also when it waits
// for a phone that takes nothing. A write goes on to its answer.
func (d *Door) follow(w http.ResponseWriter, c *call, next http.Handler) {
	ctx, cancel := context.WithCancel(c.Context())
	var ended, closing <-chan struct{}
	if c.device != nil {
		ctx = context.WithValue(api.WithDevice(ctx, c.device.Label), deviceKey{}, *c.device)
		ended = c.device.Ended()
	}
	if serving, ok := ctx.Value(servingKey{}).(context.Context); ok {
		closing = serving.Done()
	}
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	if c.api && c.read && !c.health {
		watch.Go(func() {
			if d.outlived(ctx, ended, closing) && ctx.Err() == nil { // an answer that is complete goes out
				cancel()
				_ = http.NewResponseController(w).SetWriteDeadline(time.Now()) // not every writer has deadlines
			}
		})
	}
	next.ServeHTTP(w, c.WithContext(ctx))
}

// outlived waits until a read must end, or has ended by itself.
func (d *Door) outlived(ctx context.Context, ended, closing <-chan struct{}) bool {
	look := time.NewTicker(modeCheckEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ended:
			return true
		case <-closing:
			return true
		case <-look.C:
			if d.parts.Mode().shut() {
				return true
			}
		}
	}
}
