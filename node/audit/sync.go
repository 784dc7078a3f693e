package audit

import (
	"errors"
	"os"
)

// flush returns when the line of a number is on the disk. Whoever waited for a sync
// to end finds most often that the next one took its line along.
func (l *Log) flush(number uint64) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	l.mu.Lock()
	current, added, ends, failed := l.current, l.added, l.ends, l.failed.Load()
	done := number <= l.synced
	l.mu.Unlock()
	if done {
		return nil
	}
	err := errClosed
	if current != nil {
		err = l.take(current, failed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if number <= l.synced { // by a rotation, which may have closed that file, or by Write
		return nil
	}
	if err == nil {
		l.synced = added
		l.saveEnds(ends)
	}
	l.behind = err != nil
	return l.outcome(err)
}

// sync has the disk take every line so far, and records the ends of the chain.
func (l *Log) sync() error { return l.syncSince(l.failed.Load()) }

// syncSince is sync of lines that were put when so many syncs had failed.
func (l *Log) syncSince(failed uint64) error {
	if l.added == l.synced {
		return nil
	}
	if l.current == nil {
		return errClosed
	}
	if err := l.take(l.current, failed); err != nil {
		return err
	}
	l.synced = l.added
	l.saveEnds(l.ends)
	return nil
}

// take has the disk take what a file of the log has. A sync that failed since so many
// had may have been the only one that was told about these lines.
func (l *Log) take(f file, failed uint64) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	err := f.Sync()
	switch {
	case errors.Is(err, os.ErrClosed): // by a rotation, which had it synced
	case err != nil:
		l.failed.Add(1)
	case l.failed.Load() != failed:
		err = errBeside
	}
	return err
}
