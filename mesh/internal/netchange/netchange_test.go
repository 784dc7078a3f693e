package netchange

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"collie/crypto/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAddressThatComesIsTold works in a network of its own, which takes root.
func TestAddressThatComesIsTold(t *testing.T) {
	t.Parallel()
	// The thread is not given back, and ends with the goroutine.
	opened := make(chan *Watcher)
	up := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			failed <- err
			return
		}
		w, err := Open()
		if err != nil {
			failed <- err
			return
		}
		opened <- w
		<-up
		failed <- bringUp("lo")
	}()
	var w *Watcher
	select {
	case w = <-opened:
	case err := <-failed:
		need.Missing(t, fmt.Sprintf("the right to make a network namespace (%v)", err))
	}
	ctx, cancel := context.WithCancel(context.Background())
	changed, done := make(chan struct{}, 100), make(chan error)
	go func() { done <- w.Run(ctx, func() { changed <- struct{}{} }) }()
	close(up)
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Error("nothing is told")
	}
	cancel()
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
	if n := len(changed); n > 0 {
		t.Errorf("it is told %d times more", n)
	}
}

// bringUp gives an interface what it has when it is up: for lo, its addresses.
func bringUp(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_UP)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
	}
	return errors.Join(err, unix.Close(fd))
}

func TestWatchingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w, err := Open()
	if err != nil {
		need.Missing(t, fmt.Sprintf("a netlink socket (%v)", err))
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- w.Run(ctx, func() {}) }()
	cancel()
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("it ended with %v", err)
	}
}
