package node_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"collie/node"
	"collie/node/caller"
	"collie/node/control"
	"collie/node/pane"
	"collie/node/trust"
)

// askCommand makes the test binary a program whose first act is a command to the
// node of a state folder, with the pane that it was told it is in.
const askCommand = "_ask"

func ask(args []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := control.Dial(args[0]).Call(ctx, http.MethodGet, "/where/"+url.PathEscape(os.Getenv("COLLIE_PANE")), nil, nil); err != nil {
		return 1
	}
	return 0
}

// An asked is a caller as the node placed it.
type asked struct {
	caller.Caller
	told string // the pane that it was told it is in
}

// serveAsked lets a node answer on its control socket where a caller is.
func serveAsked(t *testing.T, n *node.Node) <-chan asked {
	t.Helper()
	all := make(chan asked, 100)
	server, err := control.Listen(n.Folder, n.Resolve, []control.Route{{
		Method: http.MethodGet, Path: "/where/:pane", Anyone: true, Handle: func(_ context.Context, call *control.Call) (any, error) {
			all <- asked{call.Caller, call.Param("pane")}
			return control.OK{OK: true}, nil
		},
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	t.Cleanup(func() {
		if err := errors.Join(server.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return all
}

func next(t *testing.T, all <-chan asked) asked {
	t.Helper()
	select {
	case one := <-all:
		return one
	case <-time.After(patience):
		t.Fatal("a program never came to ask")
		return asked{}
	}
}

func openAsking(t *testing.T, in, of *node.Node) {
	t.Helper()
	if _, err := in.Panes.New(t.Context(), pane.Spec{
		Command: []string{os.Args[0], askCommand, of.Folder.Dir()}, OpenedByOperator: true, Env: []string{"GORACE=atexit_sleep_ms=0"},
	}); err != nil {
		t.Error(err)
	}
}

func TestTheFirstCommandOfAPaneIsPlacedOnItEachTime(t *testing.T) {
	t.Parallel()
	n := open(t)
	all := serveAsked(t, n)
	const rounds, atOnce = 3, 4
	for range rounds {
		var opens sync.WaitGroup
		for range atOnce {
			opens.Go(func() { openAsking(t, n, n) })
		}
		for range atOnce {
			one := next(t, all)
			if one.Level != trust.Operator || one.Pane == "" || one.Pane != one.told {
				t.Errorf("the first command of pane %s is placed as %+v", one.told, one.Caller)
			}
		}
		opens.Wait()
	}
}

func TestTheFirstCommandOfAPaneInTmuxIsAParticipantsOfThatPane(t *testing.T) {
	t.Parallel()
	n := openTmux(t).node()
	all := serveAsked(t, n)
	for range 4 {
		openAsking(t, n, n)
		one := next(t, all)
		if one.Level != trust.Participant || one.Pane == "" || one.Pane != one.told {
			t.Errorf("the first command of pane %s is placed as %+v", one.told, one.Caller)
		}
	}
}

func TestWhoeverKeepsOpeningPanesChangesNothingForACallerFromAnotherNodesPane(t *testing.T) {
	t.Parallel()
	n, other := open(t), open(t)
	all := serveAsked(t, n)
	script := `while :; do "$0" ` + askCommand + ` "$1" || exit; read next; done`
	info, err := other.Panes.New(t.Context(), pane.Spec{Command: []string{"/bin/sh", "-c", script, os.Args[0], n.Folder.Dir()}, OpenedByOperator: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		one := next(t, all)
		if one.Level != trust.Participant || one.Pane != "" || one.told != string(info.ID) {
			t.Errorf("a caller from elsewhere is placed as %+v", one.Caller)
		}
		openAsking(t, n, n)
		if one := next(t, all); one.Level != trust.Operator || one.Pane != one.told {
			t.Errorf("the first command of a pane is placed as %+v", one.Caller)
		}
		if err := other.Panes.Input(t.Context(), info.ID, []byte("\n")); err != nil {
			t.Fatal(err)
		}
	}
}
