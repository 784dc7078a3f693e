package holder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"collie/node/pane/view"
)

// A tty is a pane's terminal: the holder's side, and the program's side, which
// the holder keeps open so that a program may close it and open it again.
type tty struct{ master, slave *os.File }

// startOnTTY starts a program as the leader of a new session whose terminal it
// is given.
func startOnTTY(program *exec.Cmd, s size) (tty, error) {
	t, err := openTTY()
	if err != nil {
		return tty{}, err
	}
	if err := errors.Join(t.setSize(s), t.speakUTF8()); err != nil {
		t.hangup()
		return tty{}, err
	}
	program.Stdin, program.Stdout, program.Stderr = t.slave, t.slave, t.slave
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.hangup()
		return tty{}, err
	}
	return t, nil
}

// openTTY opens a terminal of its own. The program's side is opened by the kernel
// and not by its name: a library that asked for the name got it wrong now and then,
// since the address that it gave to the kernel was that of a stack which had moved,
// and then a program wrote into another pane. The master does not block, so that it
// is taken by the poller and Close ends a Read.
func openTTY() (tty, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return tty{}, fmt.Errorf("open a terminal: %w", err)
	}
	t := tty{master: master}
	err = t.control(func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return fmt.Errorf("unlock a terminal: %w", err)
		}
		// Its argument is a number, and no address.
		slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
		if errno != 0 {
			return fmt.Errorf("open the program's side of a terminal: %w", errno)
		}
		t.slave = os.NewFile(slave, "tty")
		return nil
	})
	if err != nil {
		return tty{}, errors.Join(err, master.Close())
	}
	return t, nil
}

// programEnded lets the terminal end once its output was read.
func (t tty) programEnded() { t.slave.Close() }

// hangup ends the terminal; the kernel sends SIGHUP to the program.
func (t tty) hangup() {
	t.slave.Close()
	t.master.Close()
}

// control runs do with the descriptor without taking it from the poller. Of one that
// was closed the poller says so in an error of its own, which is no os.ErrClosed.
func (t tty) control(do func(fd int) error) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return err
	}
	var doErr error
	if err := raw.Control(func(fd uintptr) { doErr = do(int(fd)) }); err != nil {
		return fmt.Errorf("%w: %w", os.ErrClosed, err)
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
