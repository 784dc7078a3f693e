package node

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// untilEnded returns a context that ends with a process, and the function that
// stops to look. Nothing is polled: the kernel says when.
func untilEnded(ctx context.Context, pid int) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil { // it has ended, or the kernel is older than 5.10
		cancel()
		return ctx, cancel
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	done := make(chan struct{})
	go func() { // ends when the process does, or the file is closed
		defer close(done)
		defer cancel()
		raw, err := file.SyscallConn()
		if err != nil {
			return
		}
		_ = raw.Read(func(fd uintptr) bool {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(poll, 0)
			return err != nil || n > 0
		})
	}()
	return ctx, func() {
		cancel()
		_ = file.Close()
		<-done
	}
}
