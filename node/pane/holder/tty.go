package holder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"collie/node/pane/view"
)

// A tty is a pane's terminal: the holder's side, and the program's side, which
// the holder keeps open so that a program may close it and open it again.
type tty struct{ master, slave *os.File }

// startOnTTY starts a program as the leader of a new session whose terminal it
// is given.
func startOnTTY(program *exec.Cmd, s size) (tty, error) {
	opened, slave, err := pty.Open()
	if err != nil {
		return tty{}, err
	}
	defer opened.Close()
	master, err := pollable(opened)
	if err != nil {
		slave.Close()
		return tty{}, err
	}
	t := tty{master, slave}
	if err := errors.Join(t.setSize(s), t.speakUTF8()); err != nil {
		t.hangup()
		return tty{}, err
	}
	program.Stdin, program.Stdout, program.Stderr = slave, slave, slave
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.hangup()
		return tty{}, err
	}
	return t, nil
}

// pollable returns a second descriptor of the master. The pty package leaves
// its own in blocking mode, where Close does not end a Read; one that is wrapped
// while it does not block is taken by the poller.
func pollable(master *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("take the terminal: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("take the terminal: %w", err)
	}
	return os.NewFile(uintptr(fd), "ptmx"), nil
}

// programEnded lets the terminal end once its output was read.
func (t tty) programEnded() { t.slave.Close() }

// hangup ends the terminal; the kernel sends SIGHUP to the program.
func (t tty) hangup() {
	t.slave.Close()
	t.master.Close()
}

// control runs do with the descriptor without taking it from the poller.
func (t tty) control(do func(fd int) error) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	var doErr error
	if err := raw.Control(func(fd uintptr) { doErr = do(int(fd)) }); err != nil {
		return err
	}
	return doErr
}

// setSize tells the program's side; a terminal that was hung up has none.
func (t tty) setSize(s size) error {
	err := t.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(s.Cols), Row: uint16(s.Rows)})
	})
	if errors.Is(err, os.ErrClosed) {
		return ErrEnded
	}
	return err
}

// speakUTF8 lets the kernel erase a whole character where it edits the line.
func (t tty) speakUTF8() error {
	return t.control(func(fd int) error {
		termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		termios.Iflag |= unix.IUTF8
		return unix.IoctlSetTermios(fd, unix.TCSETS, termios)
	})
}

// discipline reads it from the master, which shows the program's side. A
// terminal that was hung up has none.
func (t tty) discipline() view.Discipline {
	var d view.Discipline
	_ = t.control(func(fd int) error {
		termios, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil {
			d = view.Discipline{Canonical: termios.Lflag&unix.ICANON != 0, Echo: termios.Lflag&unix.ECHO != 0}
		}
		return err
	})
	return d
}
