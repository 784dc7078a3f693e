package control_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/control"
	"collie/node/state"
)

func TestNoNodeIsToldFromOtherTroubles(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "none")
	if err := control.Dial(absent).Call(deadline(t), http.MethodGet, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) || !strings.Contains(err.Error(), absent) {
		t.Errorf("without a folder: %v", err)
	}
	folder := open(t)
	client := control.Dial(folder.Dir())
	if err := client.Call(deadline(t), http.MethodPost, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("without a socket: %v", err)
	}
	stale, err := state.ListenUnix(folder.Dir(), control.SocketName)
	if err != nil {
		t.Fatal(err)
	}
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	if err := client.Call(deadline(t), http.MethodPost, "/x", nil, nil); !errors.Is(err, control.ErrNoNode) {
		t.Errorf("with a socket that nobody listens on: %v", err)
	}
	if err := os.Chmod(folder.Path(control.SocketName), 0o666); err != nil {
		t.Fatal(err)
	}
	err = client.Call(deadline(t), http.MethodPost, "/x", nil, nil)
	if !errors.Is(err, state.ErrSocketMode) || errors.Is(err, control.ErrNoNode) || errors.Is(err, control.ErrNoAnswer) {
		t.Errorf("with a socket that others may use: %v", err)
	}
}

// answerWith is a socket that answers each connection with fixed bytes.
func answerWith(t *testing.T, answer string) *control.Client {
	t.Helper()
	folder := open(t)
	listener, err := state.ListenUnix(folder.Dir(), control.SocketName)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return control.Dial(folder.Dir())
}

func TestAnAnswerThatIsNoneSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", api.MaxAnswerBytes)
	for name, test := range map[string]struct {
		answer      string
		read, write error
	}{
		"no answer":      {"", nil, control.ErrNoAnswer},
		"half an answer": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", nil, control.ErrNoAnswer},
		"no document":    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", control.ErrAnswer, control.ErrAnswer},
		"no refusal":     {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\n{}", control.ErrAnswer, control.ErrAnswer},
		"too much":       {fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%q", len(long)+2, long), control.ErrAnswer, control.ErrAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := answerWith(t, test.answer)
			var out any
			read := client.Call(deadline(t), http.MethodGet, "/x", nil, &out)
			if read == nil || errors.Is(read, control.ErrNoAnswer) || (test.read != nil && !errors.Is(read, test.read)) {
				t.Errorf("a read: %v", read)
			}
			if write := client.Call(deadline(t), http.MethodPost, "/x", struct{}{}, &out); !errors.Is(write, test.write) {
				t.Errorf("a write: %v", write)
			}
			if strings.Contains(read.Error(), "http://") {
				t.Errorf("the error names an address that nobody typed: %v", read)
			}
		})
	}
}
