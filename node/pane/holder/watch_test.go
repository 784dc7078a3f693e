package holder

import (
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"collie/node/grid"
)

// watched serves a watcher of a hold without a program, and returns the node's
// end of the connection.
func watched(t *testing.T) (*hold, *link) {
	t.Helper()
	h := idle(t)
	var ends [2]*net.UnixConn
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "socket")
		conn, err := net.FileConn(file)
		must(t, err)
		must(t, file.Close())
		ends[i] = conn.(*net.UnixConn)
	}
	s := &server{hold: h}
	s.workers.Go(func() { s.watch(newLink(ends[0], maxRequestBytes)) })
	t.Cleanup(func() {
		ends[1].Close()
		s.workers.Wait()
	})
	return h, newLink(ends[1], maxAnswerBytes)
}

func receive(t *testing.T, l *link) grid.Frame {
	t.Helper()
	k, body, err := l.readSoon(patience)
	must(t, err)
	if k != kindFrame {
		t.Fatalf("kind %d to a watcher", k)
	}
	frame, err := decodeFrame(body)
	must(t, err)
	return frame
}

func echo(t *testing.T, terminal tty, on bool) {
	t.Helper()
	must(t, terminal.control(func(fd int) error {
		termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		termios.Lflag &^= unix.ECHO
		if on {
			termios.Lflag |= unix.ECHO
		}
		return unix.IoctlSetTermios(fd, unix.TCSETS, termios)
	}))
}

// Turning the echo off makes no output; the promise must still be taken back.
func TestEchoIsTakenBackWithoutOutput(t *testing.T) {
	t.Parallel()
	h, l := watched(t)
	if first := receive(t, l); !first.Echo || len(first.Lines) != 24 {
		t.Fatalf("the first frame has %d lines, echo %v", len(first.Lines), first.Echo)
	}
	echo(t, h.tty, false)
	must(t, l.write(kindSeen, nil))
	if second := receive(t, l); second.Echo || len(second.Lines) != 0 {
		t.Errorf("the second frame has %d lines, echo %v", len(second.Lines), second.Echo)
	}
}

func TestOnlyChangedRowsFollow(t *testing.T) {
	t.Parallel()
	h, l := watched(t)
	first := receive(t, l)
	h.view.Write([]byte("a\r\n"))
	h.view.Write([]byte("\r\nb")) // merged: the first was not seen yet
	must(t, l.write(kindSeen, nil))
	second := receive(t, l)
	if len(second.Lines) != 2 || second.Lines[0].Text() != "a" || second.Lines[1].Text() != "b" ||
		second.Cursor != (grid.Cursor{Row: 2, Col: 1, Visible: true}) || second.Seq <= first.Seq {
		t.Errorf("after two writes: %+v", second)
	}
	must(t, l.write(kindSeen, nil))
	h.view.Write([]byte("c"))
	if third := receive(t, l); len(third.Lines) != 1 || third.Lines[0].I != 2 || third.Lines[0].Text() != "bc" {
		t.Errorf("after one more: %+v", third)
	}
	must(t, l.write(kindSeen, nil))
	must(t, h.view.Resize(40, 5, func() error { return nil }))
	if fourth := receive(t, l); fourth.Cols != 40 || fourth.Rows != 5 || len(fourth.Lines) != 5 {
		t.Errorf("after a new size: %+v", fourth)
	}
}

func TestTextThatScrolledAwayComesWithItsRest(t *testing.T) {
	t.Parallel()
	h := idle(t)
	must(t, h.view.Resize(4, 2, func() error { return nil }))
	h.view.Write([]byte("x\r\n0123456789abcdef"))
	frame := h.view.Whole()
	if len(frame.Above) != 2 || frame.Above[0].Text() != "0123" || frame.Above[1].Text() != "4567" {
		t.Errorf("above %v is %v, want the two rows that wrap into it", frame.Lines, frame.Above)
	}
	h.view.Write([]byte("\x1b[?1049h"))
	if frame := h.view.Whole(); len(frame.Above) != 0 {
		t.Errorf("above the alternate screen is %v", frame.Above)
	}
	h.view.Write([]byte("\x1b[?1049l\r\n" + strings.Repeat("y", 4*(grid.MaxAbove+10))))
	if frame := h.view.Whole(); len(frame.Above) != grid.MaxAbove || frame.Check() != nil {
		t.Errorf("%d rows above, want at most %d", len(frame.Above), grid.MaxAbove)
	}
}

func TestAPrivateKeyThatIsBeingPrintedComesWithItsBeginning(t *testing.T) {
	t.Parallel()
	h := idle(t)
	must(t, h.view.Resize(40, 2, func() error { return nil }))
	h.view.Write([]byte("x\r\n-----BEGIN PRIVATE KEY-----\r\nMII\r\nabc\r\ndef"))
	if frame := h.view.Whole(); len(frame.Above) != 2 || frame.Above[0].Text() != "-----BEGIN PRIVATE KEY-----" {
		t.Errorf("above is %v, want the rows from BEGIN on", frame.Above)
	}
	got := h.view.History(2, 1)
	if len(got.Rows) != 1 || len(got.Above) != 1 || got.Total != 3 {
		t.Errorf("one row of the key is %+v, want it with the row above", got)
	}
	h.view.Write([]byte("\r\n-----END PRIVATE KEY-----\r\ny\r\nz"))
	if frame := h.view.Whole(); len(frame.Above) != 0 {
		t.Errorf("above is %v behind a key that has ended", frame.Above)
	}
}
