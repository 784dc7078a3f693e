package holder

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain makes the test binary the holder, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "_hold" {
		os.Exit(Main(os.Stdin, os.Stdout))
	}
	if len(os.Args) == 5 && os.Args[1] == "intrude" {
		os.Exit(intrude(os.Args[2], os.Args[3], os.Args[4]))
	}
	// The race detector would hold up the end of each process for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

const patience = 20 * time.Second

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A testPane is a holder of its own and a connection to it that is served.
type testPane struct {
	*Conn
	dir    string
	states <-chan State // closed when the connection ended
}

func startPane(t *testing.T, spec Spec) testPane {
	t.Helper()
	spec.ID, spec.Dir, spec.Cols, spec.Rows, spec.Cwd = "p1", filepath.Join(t.TempDir(), "panes"), 80, 24, "/"
	spec.Env = append(spec.Env, "PATH="+os.Getenv("PATH"))
	must(t, os.Mkdir(spec.Dir, 0o700))
	must(t, Start(t.Context(), []string{"/proc/self/exe", "_hold"}, os.Environ(), spec))
	conn, err := Dial(t.Context(), spec.Dir, spec.ID)
	must(t, err)
	states, over := make(chan State, 100), make(chan struct{})
	go func() {
		defer close(over)
		defer close(states)
		_ = conn.Serve(func(s State) { states <- s })
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = conn.ClosePane(ctx)
		select {
		case <-over:
		case <-ctx.Done():
			t.Error("the holder never ended")
		}
		conn.Close()
		<-over
	})
	return testPane{conn, spec.Dir, states}
}
