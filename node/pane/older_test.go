package pane_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"

	"collie/node/pane"
	"collie/node/pane/draft"
	"collie/node/state"
)

// oldHolder is a holder of an earlier build: it speaks protocol 1, knows no
// workspaces, and says so, and does not count what is typed.
func oldHolder(t *testing.T, listener net.Listener) {
	var serving sync.WaitGroup
	t.Cleanup(func() { listener.Close(); serving.Wait() })
	say := func(conn net.Conn, kind byte, v any) {
		body, err := json.Marshal(v)
		must(t, err)
		_, _ = conn.Write(append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind), body...))
	}
	serve := func(conn net.Conn) {
		defer conn.Close()
		var head [5]byte
		for {
			if _, err := io.ReadFull(conn, head[:]); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:4]))); err != nil {
				return
			}
			switch head[4] {
			case 1: // hello
				say(conn, 64, map[string]any{"protocol": 1, "pane": map[string]any{"id": "p1", "cwd": "/old", "pid": 1}, "state": map[string]any{"cols": 80, "rows": 24}})
			case 4: // rename
				say(conn, 67, map[string]any{"label": "named", "cols": 80, "rows": 24})
				say(conn, 66, nil)
			case 2: // input
				say(conn, 66, nil)
			case 7: // modes
				say(conn, 66, map[string]any{"echo": true})
			default:
				say(conn, 65, map[string]any{"code": "request", "message": "unknown"})
			}
		}
	}
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serve(conn) })
		}
	})
}

func TestAHolderOfAnEarlierBuildGoesOnWithWhatItKnows(t *testing.T) {
	t.Parallel()
	folder := newFolder(t)
	listener, err := state.ListenUnix(folder.Path(state.Panes), "p1.sock")
	must(t, err)
	oldHolder(t, listener.UnixListener)
	b, err := pane.OpenBuiltin(t.Context(), configOf(folder, slog.New(slog.DiscardHandler)))
	must(t, err)
	defer func() { must(t, b.Detach()) }()
	info, err := b.Get("p1")
	must(t, err)
	if info.Cwd != "/old" || info.WorkspaceLabel != "" {
		t.Errorf("it is %+v", info)
	}
	must(t, b.Rename(t.Context(), "p1", "named"))
	awaitInfo(t, b, "p1", func(i pane.Info) bool { return i.Label == "named" && i.TabLabel == "" })
	if err := b.RenameTab(t.Context(), info.Tab, "tests"); !errors.Is(err, pane.ErrUnsupported) {
		t.Errorf("a tab that it knows nothing of: %v", err)
	}
	if err := b.RenameWorkspace(t.Context(), info.Workspace, "shop"); !errors.Is(err, pane.ErrUnsupported) {
		t.Errorf("what it does not know: %v", err)
	}
	for _, typed := range []struct {
		bytes string
		want  draft.Line
	}{{"", draft.Unknown}, {"half", draft.Begun}, {"\r", draft.Empty}} {
		must(t, b.Input(t.Context(), "p1", []byte(typed.bytes)))
		modes, err := b.Modes(t.Context(), "p1")
		must(t, err)
		if !modes.Echo || modes.Line != typed.want {
			t.Errorf("after %q its modes are %+v, want the line %q", typed.bytes, modes, typed.want)
		}
	}
}
