package site

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestIdleConnectionsMakeRoomForANewOne(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}), make(chan struct{})
	p := NewPlaces(inner, 3)
	server := &http.Server{ConnState: p.State, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-release
		}
		fmt.Fprint(w, "here")
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(p) }()
	defer func() { _ = server.Close(); <-served }()

	dial := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // a test that hangs ends
		return conn
	}
	ask := func(conn net.Conn, path string) error {
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
			return err
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	busy := dial()
	answered := make(chan error, 1)
	go func() { answered <- ask(busy, "/slow") }()
	<-entered
	first, silent := dial(), dial()
	if err := ask(first, "/"); err != nil {
		t.Fatal(err)
	}
	// All three places are taken: one by a request, one by a connection that
	// waits for its next one, one by a connection that never said a word.
	for range 5 {
		if err := ask(dial(), "/"); err != nil {
			t.Fatalf("a new connection is kept out by idle ones: %v", err)
		}
	}
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("the silent connection was answered")
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the request in progress was cut: %v", err)
	}
}
