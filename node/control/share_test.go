package control_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"collie/node/api"
	"collie/node/caller"
	"collie/node/control"
	"collie/node/state"
	"collie/node/trust"
)

func TestSilentConnectionsAreBoundedAndShutOutNobody(t *testing.T) {
	t.Parallel()
	client, _, dir := serve(t, operator, io.Discard, echo)
	var silent []net.Conn
	for range 1000 {
		conn, err := state.DialUnix(t.Context(), dir, control.SocketName)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
	}
	if err := client.Call(deadline(t), http.MethodPost, "/echo", control.PaneSend{}, nil); err != nil {
		t.Error(err)
	}
	if n, err := silent[0].Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the oldest of 1000 reads %d, %v", n, err)
	}
}

func TestAnAgentThatWaitsForMuchShutsOutNobodyElse(t *testing.T) {
	t.Parallel()
	const share = 32
	var calls atomic.Int64
	who := func(context.Context, caller.Credentials) (caller.Caller, error) {
		switch n := calls.Add(1); {
		case n <= share+1:
			return caller.Caller{Level: trust.Participant, Pane: "p1"}, nil
		case n == share+2:
			return caller.Caller{Level: trust.Participant, Pane: "p2"}, nil
		}
		return caller.Caller{Level: trust.Operator}, nil
	}
	waiting, end := make(chan struct{}), make(chan struct{})
	client, _, _ := serve(t, who, io.Discard,
		control.Route{Method: http.MethodGet, Path: "/wait", Anyone: true, Handle: func(context.Context, *control.Call) (any, error) {
			waiting <- struct{}{}
			<-end
			return struct{}{}, nil
		}},
		control.Route{Method: http.MethodGet, Path: "/x", Anyone: true, Handle: func(context.Context, *control.Call) (any, error) { return struct{}{}, nil }})
	var all sync.WaitGroup
	for range share {
		all.Go(func() {
			if err := client.Call(t.Context(), http.MethodGet, "/wait", nil, nil); err != nil {
				t.Error(err)
			}
		})
		<-waiting
	}
	ask := func() error { return client.Call(deadline(t), http.MethodGet, "/x", nil, nil) }
	if err := ask(); !errors.Is(err, api.ErrTooManyCalls) {
		t.Errorf("one more of that pane: %v", err)
	}
	if err := ask(); err != nil {
		t.Errorf("another pane: %v", err)
	}
	if err := ask(); err != nil {
		t.Errorf("the operator: %v", err)
	}
	close(end)
	all.Wait()
}
