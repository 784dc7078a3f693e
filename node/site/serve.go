package site

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve answers on a listener until ctx ends, and closes it. Requests have the values
// of ctx, and not its end: those that run then have within to come to theirs, before
// they and their connections are cut.
func Serve(ctx context.Context, server *http.Server, listener net.Listener, within time.Duration) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server.BaseContext = func(net.Listener) context.Context { return requests }
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with server, which is closed below
	select {
	case err := <-served:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	grace, done := context.WithTimeout(requests, within)
	defer done()
	if server.Shutdown(grace) != nil {
		cut()
		_ = server.Close() // what is left is cut; there is nothing more to do
	}
	<-served
	return nil
}
