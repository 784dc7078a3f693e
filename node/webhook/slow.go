package webhook

import (
	"context"
	"io"
	"net"
	"net/http"

	"collie/node/site"
)

// connKey is where the connection of a request stands in its context.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// untilRead lets a connection lose its place, as one without a request does,
// until the body of its request is read: slow bodies keep no signed one out.
func untilRead(places *site.Places, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		places.State(conn, http.StateIdle)
		r.Body = watched{r.Body, func() { places.State(conn, http.StateActive) }}
		handler.ServeHTTP(w, r)
	})
}

// A watched body says when it ended.
type watched struct {
	io.ReadCloser
	ended func()
}

func (b watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended()
	}
	return n, err
}
