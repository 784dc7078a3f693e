package webhook

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serving serves a desk on a port of its own until the test ends.
func serving(t *testing.T, d *Desk) (address string) {
	t.Helper()
	listener, err := Listen(t.Context(), "127.0.0.1", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func TestSlowBodiesKeepNoSignedDeliveryOut(t *testing.T) {
	t.Parallel()
	box := &mailbox{}
	d := newDesk(t.TempDir(), box)
	addBoth(t, d)
	address := serving(t, d)
	for range 2 * maxConnections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		// The server asks for the body once the request is in its hands.
		fmt.Fprint(conn, "POST /hook/ci HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 100"))); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/hook/ci", strings.NewReader(standardBody))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = standardHeader()
	request.Close = true
	began := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusAccepted || len(box.list()) != 1 {
		t.Fatalf("answered %s, posted %+v", answer.Status, box.list())
	}
	if took := time.Since(began); took >= readTimeout {
		t.Errorf("it waited %v, until the slow ones were cut", took)
	}
}

func TestAStrangerWritesNoLogWhileTheChannelsCannotBeRead(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	d := newDesk(t.TempDir(), &mailbox{})
	d.config.Log, d.broken = slog.New(slog.NewTextHandler(&log, nil)), ErrUnavailable
	request := request(http.MethodPost, "/hook/"+strings.Repeat("x", 4096), nil, strings.NewReader("x"))
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, request)
	if w.Code != http.StatusServiceUnavailable || log.Len() != 0 {
		t.Fatalf("answered %d and logged %d bytes", w.Code, log.Len())
	}
}
