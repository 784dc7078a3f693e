package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"collie/node/attach"
	"collie/node/control"
)

func (a *app) paneAttach() *cobra.Command {
	var keys string
	command := &cobra.Command{
		Use: "attach PANE", Short: "Have a pane in this terminal",
		Long: "Have a pane in this terminal, in its size, until the program in it ends or you let go with the detach keys.\n" +
			"Nothing that runs in the pane notices that you come or go. While you have it open, no phone changes its size.",
		Example: "  collie pane attach p3\n  collie pane attach p3 --detach-keys Ctrl+P,Ctrl+Q", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			detach, err := attach.NewDetach(keys)
			if err != nil {
				return usage(command, err)
			}
			in, inOK := a.stdin.(*os.File)
			out, outOK := a.stdout.(*os.File)
			if !inOK || !outOK || !fromTerminal(a.stdin) || !toTerminal(a.stdout) {
				return usage(command, errors.New("attach needs a terminal; collie pane show prints the screen"))
			}
			t := &terminal{in: in, out: out, detach: detach}
			end, err := t.attach(command.Context(), a, args[0])
			if err != nil {
				return err
			}
			switch {
			case end == nil:
				fmt.Fprintf(a.stderr, "detached from %s; it goes on\n", args[0])
			case end.Exited != nil:
				fmt.Fprintf(a.stderr, "the program in %s has ended with exit code %d\n", args[0], *end.Exited)
			default:
				return &stated{error: errors.New(oneLine(end.Reason)), code: exitUnreachable}
			}
			return nil
		},
	}
	command.Flags().StringVar(&keys, "detach-keys", attach.DefaultDetach, "keys that let go of the pane, with commas between")
	return command
}

// A terminal is the person's, while it shows a pane.
type terminal struct {
	in, out *os.File
	detach  *attach.Detach
	stream  *control.Stream

	mu      sync.Mutex // guards writes to out, and painter
	painter *attach.Painter
}

// attach shows the pane until somebody lets go; an end says that the node did.
// The terminal is as it was before, however this ends.
func (t *terminal) attach(ctx context.Context, a *app, id string) (*attach.End, error) {
	size, err := t.size()
	if err == nil {
		err = aPane(id)
	}
	if err != nil {
		return nil, err
	}
	client, err := a.node()
	if err != nil {
		return nil, err
	}
	if unknown(size) { // of a terminal that nobody gave one, such as that of script: the pane keeps its own
		var screen control.PaneScreen
		if err := client.Call(ctx, http.MethodGet, panePath(id, "screen"), nil, &screen); err != nil {
			return nil, err
		}
		size = attach.Size{Cols: screen.Cols, Rows: screen.Rows}
	}
	if t.stream, err = client.Stream(ctx, panePath(id, "attach"), size); err != nil {
		return nil, err
	}
	defer t.stream.Close()
	t.painter = attach.NewPainter(size)
	before, err := term.MakeRaw(int(t.in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("take the terminal: %w", err)
	}
	defer func() {
		t.write([]byte(attach.Leave))
		_ = term.Restore(int(t.in.Fd()), before)
	}()
	t.write([]byte(attach.Enter))
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	defer stop()
	return t.follow(ctx)
}

// follow carries both ways until one end lets go.
func (t *terminal) follow(ctx context.Context) (*attach.End, error) {
	type end struct {
		why *attach.End
		err error
	}
	ends := make(chan end, 2)
	go func() { // ends with the stream
		why, err := t.show()
		ends <- end{why, err}
	}()
	go func() { // on any other end it is left behind; the program ends then
		ends <- end{nil, t.typed()}
	}()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	for {
		select {
		case e := <-ends:
			return e.why, e.err
		case <-ctx.Done():
			return nil, nil
		case <-resized:
			if err := t.resize(); err != nil {
				return nil, err
			}
		}
	}
}

// show paints what the node sends.
func (t *terminal) show() (*attach.End, error) {
	for {
		var to attach.ToTerminal
		if err := t.stream.Read(attach.MaxLineBytes, &to); err != nil {
			return &attach.End{Reason: "the node has gone; the pane goes on"}, nil
		}
		switch {
		case to.End != nil:
			return to.End, nil
		case to.Frame != nil:
			t.mu.Lock()
			picture, err := t.painter.Paint(*to.Frame)
			if err == nil {
				_, err = t.out.Write(picture)
			}
			t.mu.Unlock()
			if err != nil {
				return nil, err
			}
			if err := t.stream.Write(attach.FromTerminal{Seen: true}); err != nil {
				continue // the end may still be there to be read
			}
		}
	}
}

// typed sends what the person types; nil when that was to let go.
func (t *terminal) typed() error {
	chunk := make([]byte, 32<<10)
	for {
		n, err := t.in.Read(chunk)
		send, detach := t.detach.Feed(chunk[:n])
		if len(send) > 0 {
			if err := t.stream.Write(attach.FromTerminal{Input: send}); err != nil {
				return fmt.Errorf("send what was typed: %w", err)
			}
		}
		switch {
		case detach, errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the terminal: %w", err)
		}
	}
}

func (t *terminal) resize() error {
	size, err := t.size()
	if err == nil && unknown(size) {
		return nil
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	_, err = t.out.Write(t.painter.Resize(size))
	t.mu.Unlock()
	if err != nil {
		return err
	}
	return t.stream.Write(attach.FromTerminal{Size: &size})
}

func unknown(size attach.Size) bool { return size.Cols == 0 || size.Rows == 0 }

func (t *terminal) size() (attach.Size, error) {
	cols, rows, err := term.GetSize(int(t.out.Fd()))
	if err != nil {
		return attach.Size{}, fmt.Errorf("ask the terminal for its size: %w", err)
	}
	return attach.Size{Cols: cols, Rows: rows}, nil
}

func (t *terminal) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.out.Write(p)
}
