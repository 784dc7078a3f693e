// Package netchange tells when an address or a route of this machine changes, by
// the kernel's own word (rtnetlink). What changed is not said: whoever listens
// has to look in any case. Changes that come together are told once.
package netchange

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// settle is how long changes are gathered after the first: a cable that is
// plugged in brings a dozen.
const settle = 250 * time.Millisecond

// A Watcher hears of changes. Its methods are for one goroutine.
type Watcher struct {
	socket *os.File
}

// Open begins to listen.
func Open() (*Watcher, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the kernel about network changes: %w", err)
	}
	socket := os.NewFile(uintptr(fd), "netlink")
	err = unix.Bind(fd, &unix.SockaddrNetlink{
		Family: unix.AF_NETLINK,
		Groups: unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR | unix.RTMGRP_IPV4_ROUTE | unix.RTMGRP_IPV6_ROUTE,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot hear of network changes: %w", err), socket.Close())
	}
	return &Watcher{socket}, nil
}

// Run calls changed after each bout of changes, until ctx ends or listening
// fails. It closes the watcher.
func (w *Watcher) Run(ctx context.Context, changed func()) error {
	defer context.AfterFunc(ctx, func() { _ = w.socket.Close() })()
	defer func() { _ = w.socket.Close() }() // twice is once
	for {
		if err := w.hear(time.Time{}); err != nil {
			return err
		}
		for until := time.Now().Add(settle); ; {
			if err := w.hear(until); errors.Is(err, os.ErrDeadlineExceeded) {
				break
			} else if err != nil {
				return err
			}
		}
		changed()
	}
}

// hear waits for one message. That the kernel had too many of them to keep says
// enough as well.
func (w *Watcher) hear(until time.Time) error {
	if err := w.socket.SetReadDeadline(until); err != nil {
		return err
	}
	var message [4096]byte // what is longer is cut off
	_, err := w.socket.Read(message[:])
	if errors.Is(err, unix.ENOBUFS) {
		return nil
	}
	return err
}
