package holder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"collie/node/grid"
	"collie/node/state"
)

func TestProtocolNumberIsAgreed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		oldest, newest int
		want           int
	}{
		{"same", oldestProtocol, newestProtocol, newestProtocol},
		{"a newer node that still speaks ours", oldestProtocol, newestProtocol + 5, newestProtocol},
		{"a newer node that no longer does", newestProtocol + 1, newestProtocol + 5, 0},
		{"a node from before", 0, oldestProtocol - 1, 0},
		{"upside down", newestProtocol + 1, newestProtocol, 0},
	} {
		got, err := hello{Oldest: tc.oldest, Newest: tc.newest}.agree()
		if got != tc.want || (tc.want == 0) != errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %d, %v, want %d", tc.name, got, err, tc.want)
		}
	}
}

func TestForeignGreetingIsRefused(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"cat"}})
	for name, tc := range map[string]struct {
		kind kind
		body string
		want error
	}{
		"protocol":    {kindHello, `{"oldest":900,"newest":901,"role":"control"}`, ErrProtocol},
		"role":        {kindHello, `{"oldest":1,"newest":1,"role":"admin"}`, ErrRequest},
		"no hello":    {kindInput, `x`, ErrFailed},
		"not json":    {kindHello, `{`, ErrFailed},
		"huge number": {kindHello, `{"oldest":1e400}`, ErrFailed},
	} {
		raw, err := state.DialUnix(t.Context(), p.dir, SocketName("p1"))
		must(t, err)
		l := newLink(raw, maxAnswerBytes)
		must(t, l.write(tc.kind, []byte(tc.body)))
		k, body, err := l.readSoon(patience)
		must(t, err)
		if k != kindRefusal || !errors.Is(refused(body), tc.want) {
			t.Errorf("%s: kind %d, %s, want %v", name, k, body, tc.want)
		}
		if _, _, err := l.readSoon(patience); !errors.Is(err, io.EOF) {
			t.Errorf("%s: the connection goes on: %v", name, err)
		}
		raw.Close()
	}
}

func TestUnknownRequestIsRefusedAndTheConnectionGoesOn(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"cat"}})
	if _, err := p.ask(t.Context(), 63, nil); !errors.Is(err, ErrRequest) {
		t.Errorf("request of a newer node: %v, want ErrRequest", err)
	}
	if _, err := p.Modes(t.Context()); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"cat"}})
	var err error
	for range maxConnections {
		var more *Conn
		if more, err = Dial(t.Context(), p.dir, "p1"); err != nil {
			break
		}
		defer more.Close()
	}
	if !errors.Is(err, ErrBusy) {
		t.Fatalf("connection %d: %v, want ErrBusy", maxConnections+1, err)
	}
	if _, err := p.Modes(t.Context()); err != nil {
		t.Errorf("a connection from before: %v", err)
	}
}

func TestHalfAMessageEndsTheConnection(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"cat"}})
	l, _, _, err := dial(t.Context(), p.dir, "p1", roleControl)
	must(t, err)
	defer l.conn.Close()
	_, err = l.conn.Write(appendMessage(nil, kindModes, []byte("body"))[:headerBytes+1])
	must(t, err)
	for err == nil { // states may come first
		_, _, err = l.readSoon(patience)
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("after half a message: %v, want the end", err)
	}
}

// Both directions are full at once: nobody may wait for the other for ever.
func TestLargeInputAndLargeScreensPassEachOther(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"sh", "-c", "stty raw -echo; yes 0123456789 | tr -d '\\n' | head -c 450000; printf done; exec cat > /dev/null"}})
	must(t, p.Resize(t.Context(), grid.MaxCols, grid.MaxRows))
	found := errors.New("found")
	if err := Watch(t.Context(), p.dir, "p1", func(f grid.Frame) error {
		for _, line := range f.Lines {
			if strings.HasSuffix(line.Text(), "done") {
				return found
			}
		}
		return nil
	}); !errors.Is(err, found) {
		t.Fatal(err)
	}
	var both errgroup.Group
	for range 2 {
		both.Go(func() error {
			for range 2 {
				if _, err := p.Screen(t.Context()); err != nil {
					return fmt.Errorf("screen: %w", err)
				}
			}
			return nil
		})
		both.Go(func() error {
			for sent := 0; sent < 2; {
				err := p.Input(t.Context(), make([]byte, MaxInputBytes))
				if err == nil {
					sent++
				} else if !errors.Is(err, ErrFull) {
					return fmt.Errorf("input: %w", err)
				}
			}
			return nil
		})
	}
	must(t, both.Wait())
}

func TestExitIsKeptForItsTimeOnly(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"sh", "-c", "read x; exit 4"}, ExitKept: 5 * stateInterval})
	must(t, p.Input(t.Context(), []byte("\r")))
	var last State
	timeout := time.After(patience)
	for open := true; open; {
		select {
		case s, more := <-p.states:
			if open = more; more {
				last = s
			}
		case <-timeout:
			t.Fatal("the holder stays beyond its time")
		}
	}
	if last.Exited == nil || *last.Exited != 4 {
		t.Errorf("the last state is %+v, want exit code 4", last)
	}
	if _, err := os.Lstat(filepath.Join(p.dir, SocketName("p1"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket after the end: %v", err)
	}
}

func TestRedrawThatNeverEndsIsShownAnyway(t *testing.T) {
	t.Parallel()
	p := startPane(t, Spec{Command: []string{"sh", "-c", `read x; printf '\033[?2026hhalf'; sleep 1000`}})
	must(t, p.Input(t.Context(), []byte("\r")))
	found := errors.New("found")
	err := Watch(t.Context(), p.dir, "p1", func(f grid.Frame) error {
		for _, line := range f.Lines {
			if strings.Contains(line.Text(), "half") {
				return found
			}
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Errorf("Watch: %v", err)
	}
}

func TestCoreLimitAndUmaskComeBack(t *testing.T) {
	t.Parallel()
	var own unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_CORE, &own))
	spec := Spec{Command: []string{"sh", "-c", "umask; ulimit -c; sleep 1000"}}
	spec.Origin.Taken, spec.Origin.Umask, spec.Origin.CoreSoft, spec.Origin.CoreHard = true, 0o027, min(own.Max, 8*512), own.Max
	p := startPane(t, spec)
	found := errors.New("found")
	screen := new(grid.Screen)
	err := Watch(t.Context(), p.dir, "p1", func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if rows := screen.Rows(); rows[1].Text() != "" {
			if rows[0].Text() != "0027" || rows[1].Text() != "8" && own.Max != 0 {
				t.Errorf("umask %q and core limit %q, want 0027 and 8", rows[0].Text(), rows[1].Text())
			}
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Errorf("Watch: %v", err)
	}
}

func TestNonsenseOnStdinIsReported(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "null", strings.Repeat(" ", maxLaunchBytes+1), `{"spec":{"cols":80,"rows":24}}`} {
		cmd := exec.Command(os.Args[0], "_hold")
		cmd.Stdin = strings.NewReader(text)
		said, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%.20q: %v, want exit code 1", text, err)
		}
		if r, err := decode[report](said); err != nil || r.Ready || r.Refusal == nil || r.Refusal.Code != ErrStart.Code && r.Refusal.Code != ErrSize.Code {
			t.Errorf("%.20q: it reported %q", text, said)
		}
	}
}
