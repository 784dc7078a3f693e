package control_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"collie/node/control"
	"collie/node/state"
)

func TestCloseEndsReadsAtOnceAndLetsAWriteComeToItsAnswer(t *testing.T) {
	t.Parallel()
	began, finish := make(chan string, 2), make(chan struct{})
	client, server, dir := serve(t, operator, io.Discard,
		control.Route{Method: http.MethodGet, Path: "/wait", Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			began <- "read"
			<-ctx.Done()
			close(finish) // only then the write may end
			return control.OK{}, nil
		}},
		control.Route{Method: http.MethodPost, Path: "/write", Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			began <- "write"
			select {
			case <-finish:
				return control.OK{OK: true}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}},
	)
	ctx := deadline(t)
	read, write := make(chan error, 1), make(chan error, 1)
	var written control.OK
	go func() { read <- client.Call(ctx, http.MethodGet, "/wait", nil, nil) }()
	go func() { write <- client.Call(ctx, http.MethodPost, "/write", struct{}{}, &written) }()
	<-began
	<-began
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-read; err != nil {
		t.Errorf("the read ended with %v", err)
	}
	if err := <-write; err != nil || !written.OK {
		t.Errorf("the write ended with %+v, %v", written, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, control.SocketName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if err := client.Call(ctx, http.MethodGet, "/wait", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("after it: %v", err)
	}
}

func TestCloseEndsAWriteThatGoesOn(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	client, server, _ := serve(t, operator, io.Discard, control.Route{
		Method: http.MethodPost, Path: "/write",
		Handle: func(ctx context.Context, _ *control.Call) (any, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	done := make(chan error, 1)
	go func() { done <- client.Call(context.Background(), http.MethodPost, "/write", struct{}{}, nil) }()
	<-began
	start := time.Now()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 4500*time.Millisecond {
		t.Errorf("the close took %v", took)
	}
	if err := <-done; !errors.Is(err, control.ErrNoAnswer) {
		t.Errorf("the write ended with %v", err)
	}
}

func TestASecondServerOnTheSocketIsRefused(t *testing.T) {
	t.Parallel()
	folder := open(t)
	log := slog.New(slog.DiscardHandler)
	first, err := control.Listen(folder, operator, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := control.Listen(folder, operator, nil, log); !errors.Is(err, state.ErrSocketInUse) {
		t.Errorf("a second one: %v", err)
	}
	if err := first.Close(); err != nil { // nothing was served
		t.Error(err)
	}
	second, err := control.Listen(folder, operator, nil, log)
	if err != nil {
		t.Fatalf("after the first one: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
