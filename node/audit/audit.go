// Package audit keeps the record of every write: who did what to which pane
// from where, one JSON line each, in a file of mode 0600 that only grows.
//
// A caller writes the entry before the effect, and refuses the effect when that
// fails; when the effect then fails it writes a second entry with that outcome.
// Write returns once the line is on the disk. Where somebody waits for the
// effect, Add returns once the line outlives this process, and the caller has it
// synced before it answers: only a machine that loses power in between can lose
// a line whose effect took place, and nobody was told that it did.
//
// Each line carries its number and the hash of the line before, over all
// files, and the two ends of the chain are kept in a file beside the log. So
// Verify finds a line that was edited or removed, the last one too. Where the ends
// had to be taken from the lines, the log says so in a line of its own (Rebuilt), and
// so does Verify. It is no proof against somebody who may write the state folder and
// recomputes all of it. A line that a crash left half is dropped by Open, which says so; it
// belonged to no write that was allowed.
//
// The log never holds a typed character (see Typed), and with None no content
// at all. A file that reaches its size, or is a week old, is rotated to PATH.1,
// PATH.2, … and kept 90 days. One process has a log open at a time. The bounds
// are in limits.go.
package audit

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"collie/mesh/notify"
)

// ErrUnavailable is wrapped by every failure of Write: the entry is not in the
// log, so its write must be refused.
var ErrUnavailable = errors.New("audit log cannot be written")

var (
	errClosed = errors.New("it is closed")
	errBeside = errors.New("another line could not be synced meanwhile")
)

// Options of a log.
type Options struct {
	// Content is Preview or None.
	Content Content
	// Hide masks what was sent before its preview is cut; nil leaves it. The log
	// is kept for long, and a preview is no place for a secret.
	Hide func(text string) string
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// MaxBytes is the size at which a file is rotated; DefaultMaxBytes when 0.
	MaxBytes int64
	// Log is told of what Open mends and of files that cannot be removed.
	Log *slog.Logger

	layer layer
}

// A Log is an open audit log. It is safe for concurrent use.
type Log struct {
	path      string
	options   Options
	additions notify.Hub

	// flushing is held while lines that Add took are synced: one sync at a time,
	// which lets others add meanwhile, for the sync after it. It is taken before mu.
	flushing sync.Mutex

	// syncing is held for one sync of the log, the innermost of the three locks: the
	// system tells one caller that a file could not be written, and the next that all
	// is well. failed counts the syncs that failed.
	syncing sync.Mutex
	failed  atomic.Uint64

	// mu guards everything below. It is held while a line is written, because the
	// lines have one order, and while Write syncs one, which may have to go again.
	mu      sync.Mutex
	closed  bool
	current file      // nil after a rotation that could not open the next file
	size    int64     // of what is valid in current
	began   time.Time // when the first line of current was written
	dirty   bool      // current may hold bytes of a failed write after size
	added   uint64    // lines so far
	synced  uint64    // those of them that are on the disk
	behind  bool      // the disk refused to take some of them
	refused error     // why the last line was not taken, or nil
	chain   file
	ends    ends
	owed    *Entry // the line about the record of the ends that is not written yet
	pruned  time.Time
}

// Open opens or creates the log at path, drops a torn last line, and removes
// rotated files that are past their time.
func Open(path string, options Options) (*Log, error) {
	if options.Content != Preview && options.Content != None {
		return nil, fmt.Errorf("audit content %q is neither %q nor %q", options.Content, Preview, None)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.layer == nil {
		options.layer = disk{}
	}
	l := &Log{path: path, options: options}
	if err := l.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open audit log: %w", err), l.closeFiles())
	}
	if now := options.Now(); !l.isOld(now) {
		l.prune(now)
	} else if err := l.rotate(now); err != nil { // the first write tries again
		options.Log.Warn("audit log: old lines not moved aside", "error", err)
	}
	return l, nil
}

func (l *Log) open() error {
	if err := l.openCurrent(); err != nil {
		return err
	}
	chain, err := l.options.layer.open(l.path + chainSuffix)
	if err != nil {
		return err
	}
	l.chain = chain
	if err := l.dropTorn(); err != nil {
		return err
	}
	return l.resume()
}

func (l *Log) openCurrent() error {
	f, err := l.options.layer.open(l.path)
	if err != nil {
		return err
	}
	size, err := f.Size()
	if err == nil {
		err = l.options.layer.SyncFolder(filepath.Dir(l.path))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.current, l.size, l.dirty, l.began = f, size, false, time.Time{}
	return nil
}

// dropTorn cuts what a crash left after the last newline.
func (l *Log) dropTorn() error {
	end, err := scan(l.current, l.size, func(s scanned) error {
		if l.began.IsZero() && s.err == nil {
			l.began = s.line.time()
		}
		return nil
	})
	if err != nil || end == l.size {
		return err
	}
	l.options.Log.Warn("audit log: torn last line dropped", "file", l.path, "bytes", l.size-end)
	if err := l.current.Truncate(end); err != nil {
		return err
	}
	l.size = end
	return l.current.Sync()
}

// Write adds an entry and returns when it is on the disk. Any error wraps
// ErrUnavailable, and leaves no line.
func (l *Log) Write(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed := l.failed.Load()
	undo, err := l.add(e)
	if err == nil {
		if err = l.syncSince(failed); err != nil {
			err = errors.Join(err, undo())
		}
	}
	if err == nil {
		l.additions.Signal()
	}
	return l.outcome(err)
}

// Add adds an entry and returns before it is on the disk: the line outlives this
// process at once, and the machine once sync has returned nil. Any error wraps
// ErrUnavailable; after one of sync nothing more is added until the lines so far
// are on the disk.
func (l *Log) Add(e Entry) (sync func() error, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.add(e); err != nil {
		return nil, l.outcome(err)
	}
	number := l.added
	l.additions.Signal()
	return func() error { return l.flush(number) }, nil
}

// outcome keeps what became of the last line. mu is held.
func (l *Log) outcome(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	l.refused = err
	return err
}

// Refused is why the last line was not taken; nil when it was.
func (l *Log) Refused() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused
}

// add is put for every line but those that the log writes about itself.
func (l *Log) add(e Entry) (undo func() error, err error) {
	if err := l.settle(); err != nil {
		return nil, err
	}
	return l.put(e)
}

// put puts a line after the valid part of the current file, and returns how to
// take it away again. A failure leaves that part as it was.
func (l *Log) put(e Entry) (undo func() error, err error) {
	now := l.options.Now()
	e.What = e.What.hidden(l.options.Hide)
	line, err := e.line(now, l.options.Content, l.ends.last)
	if err != nil {
		return nil, err
	}
	data, err := line.encode()
	if err != nil {
		return nil, err
	}
	if err := l.makeRoom(int64(len(data)), now); err != nil {
		return nil, err
	}
	if _, err := l.current.WriteAt(data, l.size); err != nil {
		l.dirty = true
		return nil, errors.Join(err, l.mend())
	}
	size, last := l.size, l.ends.last
	if l.began.IsZero() {
		l.began = now
	}
	l.size += int64(len(data))
	l.added++
	l.ends.last = linkOf(line, data[:len(data)-1])
	return func() error {
		l.size, l.ends.last, l.dirty = size, last, true
		l.added--
		return l.mend()
	}, nil
}

// makeRoom readies the current file for so many bytes more.
func (l *Log) makeRoom(bytes int64, now time.Time) error {
	if l.closed {
		return errClosed
	}
	if l.behind {
		if err := l.sync(); err != nil {
			return err
		}
		l.behind = false
	}
	if err := l.mend(); err != nil {
		return err
	}
	if l.size > 0 && l.size+bytes > l.options.MaxBytes || l.isOld(now) {
		return l.rotate(now)
	}
	if now.Sub(l.pruned) > pruneEvery {
		l.prune(now)
	}
	return nil
}

// isOld says that the current file has lines that are due to be moved aside.
func (l *Log) isOld(now time.Time) bool {
	return l.size > 0 && !l.began.IsZero() && now.Sub(l.began) > maxAge
}

// mend undoes what an earlier failure left behind.
func (l *Log) mend() error {
	if l.current == nil {
		return l.openCurrent()
	}
	if !l.dirty {
		return nil
	}
	if err := l.current.Truncate(l.size); err != nil {
		return err
	}
	l.dirty = false
	return nil
}

// saveEnds records the ends of the chain, of lines that are on the disk. They are
// not synced with each line: the line is, and Open walks on from an older record.
func (l *Log) saveEnds(e ends) {
	if l.owed != nil {
		return
	}
	if _, err := l.chain.WriteAt(e.encode(), 0); err != nil {
		l.options.Log.Warn("audit log: ends of the chain not recorded", "error", err)
	}
}

// Close closes the files. Later writes are refused.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	err := l.sync()
	l.closed = true
	return errors.Join(err, l.closeFiles())
}

func (l *Log) closeFiles() error {
	var errs []error
	for _, f := range []file{l.current, l.chain} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
