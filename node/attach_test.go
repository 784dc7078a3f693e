package node_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/attach"
	"collie/node/caller"
	"collie/node/control"
	"collie/node/grid"
	"collie/node/pane"
	"collie/node/trust"
)

// serve lets a node answer the operator on its control socket.
func serve(t *testing.T, n *node.Node) *control.Client {
	t.Helper()
	operator := func(context.Context, caller.Credentials) (caller.Caller, error) {
		return caller.Caller{Level: trust.Operator}, nil
	}
	server, err := control.Listen(n.Folder, operator, n.Routes(), slog.New(slog.DiscardHandler))
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
	return control.Dial(n.Folder.Dir())
}

// A desk is a terminal that shows a pane, without the terminal.
type desk struct {
	stream *control.Stream
	ended  chan *attach.End
	screen chan string // what it shows, once for each frame
}

func attachTo(t *testing.T, client *control.Client, id string, size attach.Size) *desk {
	t.Helper()
	stream, err := client.Stream(t.Context(), "/panes/"+id+"/attach", size)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{stream: stream, ended: make(chan *attach.End, 1), screen: make(chan string, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		var screen grid.Screen
		for {
			var to attach.ToTerminal
			if err := stream.Read(attach.MaxLineBytes, &to); err != nil {
				return
			}
			if to.End != nil {
				d.ended <- to.End
				return
			}
			if _, err := screen.Apply(*to.Frame); err != nil {
				t.Error(err)
			}
			d.screen <- textOf(&screen)
			_ = stream.Write(attach.FromTerminal{Seen: true})
		}
	}()
	t.Cleanup(func() { stream.Close(); <-read })
	return d
}

func (d *desk) shows(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	last := ""
	for !strings.Contains(last, text) {
		select {
		case last = <-d.screen:
		case <-ctx.Done():
			t.Fatalf("never shown: %q; it shows %q", text, last)
		}
	}
}

func TestNoPhoneResizesAPaneThatSomebodyHasOpen(t *testing.T) {
	t.Parallel()
	n := open(t)
	client := serve(t, n)
	id := run(t, n, pane.Spec{}, "stty -echo; trap 'stty size' WINCH; echo begun; while :; do read line && echo \"got $line\"; done", "begun")
	phone := api.Resize{Cols: 44, Rows: 18}
	if err := n.Local().Resize(t.Context(), id, phone); err != nil {
		t.Fatal(err) // nobody has it open
	}
	waitFor(t, n, id, "18 44")

	first := attachTo(t, client, id, attach.Size{Cols: 101, Rows: 31})
	first.shows(t, "31 101")
	if err := n.Local().Resize(t.Context(), id, phone); !errors.Is(err, api.ErrPaneOpen) {
		t.Errorf("a phone's size while a terminal has the pane: %v", err)
	}
	second := attachTo(t, client, id, attach.Size{Cols: 90, Rows: 28})
	first.shows(t, "28 90") // the last one counts
	if err := second.stream.Write(attach.FromTerminal{Input: []byte("typed\r")}); err != nil {
		t.Fatal(err)
	}
	first.shows(t, "got typed")
	second.stream.Close()
	first.shows(t, "got typed\n31 101") // and the one that is left after it
	first.stream.Close()
	eventually(t, "a phone's size once nobody has it open", func() bool { return n.Local().Resize(t.Context(), id, phone) == nil })
}

func TestATerminalIsToldThatTheProgramEnded(t *testing.T) {
	t.Parallel()
	n := open(t)
	client := serve(t, n)
	id := run(t, n, pane.Spec{}, "echo begun; read line; echo last words; exit 7", "begun")
	d := attachTo(t, client, id, attach.Size{Cols: 80, Rows: 24})
	d.shows(t, "begun")
	if err := d.stream.Write(attach.FromTerminal{Input: []byte("\r")}); err != nil {
		t.Fatal(err)
	}
	d.shows(t, "last words")
	if end := <-d.ended; end.Exited == nil || *end.Exited != 7 {
		t.Errorf("the end is %+v", end)
	}
	for name, attaching := range map[string]struct {
		id   string
		size attach.Size
		want *api.Error
	}{
		"no such pane": {"p1", attach.Size{Cols: 80, Rows: 24}, api.ErrPaneNotFound},
		"no size":      {id, attach.Size{}, api.ErrBadRequest},
	} {
		if _, err := client.Stream(t.Context(), "/panes/"+attaching.id+"/attach", attaching.size); !errors.Is(err, attaching.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
