package tmux

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A socketWatch hears when a file of one name is made in a folder: a tmux server
// that starts makes its socket anew.
type socketWatch struct {
	file    *os.File
	changed <-chan struct{}
	done    chan struct{}
}

func watchSocket(path string) (*socketWatch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	// The descriptor does not block, so the poller takes it and Close ends a Read.
	file := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, filepath.Dir(path), unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ATTRIB|unix.IN_ONLYDIR); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Dir(path), err), file.Close())
	}
	changed := make(chan struct{}, 1)
	w := &socketWatch{file: file, changed: changed, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		buffer := make([]byte, 16<<10)
		for {
			n, err := file.Read(buffer)
			if err != nil {
				return
			}
			if names(buffer[:n], filepath.Base(path)) {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		}
	}()
	return w, nil
}

// names reports whether one of the events is about this name, or some were lost.
func names(events []byte, wanted string) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		mask := binary.NativeEndian.Uint32(events[4:])
		length := int(binary.NativeEndian.Uint32(events[12:]))
		events = events[unix.SizeofInotifyEvent:]
		if length > len(events) {
			return false
		}
		if name := bytes.TrimRight(events[:length], "\x00"); string(name) == wanted || mask&unix.IN_Q_OVERFLOW != 0 {
			return true
		}
		events = events[length:]
	}
	return false
}

func (w *socketWatch) close() {
	_ = w.file.Close()
	<-w.done
}
