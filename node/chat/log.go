package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A format makes turns of the lines of one harness's log.
type format interface {
	// line takes a whole line that begins at an offset of the file. It reports
	// whether it could be read.
	line(data []byte, at int64, t *turns) bool
}

// formats are the harnesses whose logs are lines of JSON.
var formats = map[string]func() format{
	"claude": func() format { return claude{} },
	"codex":  func() format { return &codex{} },
	"gemini": func() format { return gemini{} },
}

// A file is one log as far as it was read.
type file struct {
	source Source

	mu      sync.Mutex // guards what follows; held while the file is read
	format  format
	turns   turns
	id      unix.Stat_t // of the file that was read
	offset  int64       // up to which it was read
	tail    []byte      // its last bytes before offset
	carry   []byte      // of a line whose end has not come
	ignore  bool        // the rest of a line that is too long, or began too early
	partial bool        // it is the line in whose middle reading began
	skipped int
	cut     bool
}

func (f *file) of() Source { return f.source }

// page reads what is new and returns a page.
func (f *file) page(ctx context.Context, before string, count int) (Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.refresh(ctx); err != nil {
		return Page{}, err
	}
	list, more := f.turns.page(before, count)
	return Page{Turns: list, More: more, Skipped: f.skipped, Cut: f.cut || f.turns.dropped}, nil
}

// refresh reads what was appended since, or all of another file.
func (f *file) refresh(ctx context.Context) error {
	log, err := f.source.open()
	if err != nil {
		return err
	}
	defer log.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(int(log.Fd()), &stat); err != nil {
		return fmt.Errorf("look at a session log: %w", err)
	}
	if !f.same(log, stat) {
		f.begin(stat)
	}
	f.id = stat
	buffer := make([]byte, chunkBytes)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := log.ReadAt(buffer, f.offset)
		f.take(buffer[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a session log: %w", err)
		}
	}
}

// same reports whether the file is the one that was read, with more at its end.
func (f *file) same(log io.ReaderAt, stat unix.Stat_t) bool {
	if f.format == nil || stat.Dev != f.id.Dev || stat.Ino != f.id.Ino || stat.Size < f.offset {
		return false
	}
	tail := make([]byte, len(f.tail))
	_, err := log.ReadAt(tail, f.offset-int64(len(tail)))
	return (err == nil || errors.Is(err, io.EOF)) && bytes.Equal(tail, f.tail)
}

func (f *file) begin(stat unix.Stat_t) {
	f.format, f.carry, f.tail, f.skipped = formats[f.source.Harness](), nil, nil, 0
	f.turns.reset()
	f.offset = max(0, stat.Size-maxReadBytes)
	f.cut = f.offset > 0
	f.ignore, f.partial = f.cut, f.cut
}

// take reads bytes that follow those before.
func (f *file) take(data []byte) {
	f.keepTail(data)
	for len(data) > 0 {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		at := f.offset - int64(len(f.carry))
		f.offset += int64(len(data) - len(rest))
		data = rest
		switch {
		case f.ignore && whole:
			if !f.partial {
				f.skipped++
			}
			f.ignore, f.partial = false, false
		case f.ignore:
		case len(f.carry)+len(line) > maxLineBytes:
			f.carry, f.ignore = nil, !whole
			if whole {
				f.skipped++
			}
		case !whole:
			f.carry = append(f.carry, line...)
		default:
			if len(f.carry) > 0 {
				line = append(f.carry, line...)
				f.carry = nil
			}
			f.line(line, at)
		}
	}
}

func (f *file) line(line []byte, at int64) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	if !f.format.line(line, at, &f.turns) {
		f.skipped++
	}
}

func (f *file) keepTail(data []byte) {
	if len(data) < tailBytes {
		data = append(bytes.Clone(f.tail), data...)
	}
	f.tail = bytes.Clone(data[max(0, len(data)-tailBytes):])
}

// A Source is where a session log is: a path below the folder in which the
// harness keeps its logs. It leads nowhere else, whatever links there are.
type Source struct {
	Harness string
	Root    string
	Path    string // relative to Root
	Session string // the harness's own name of the session
}

func (s Source) open() (*os.File, error) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("open the folder of session logs: %w", err)
	}
	defer root.Close()
	log, err := open(root, s.Path)
	if err != nil {
		return nil, fmt.Errorf("open a session log: %w", err)
	}
	return log, nil
}
