package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// A Stage says how far the last turn of a log came.
type Stage string

// The stages. A call of a tool that has no result is Unclear: it runs, or a
// person is asked for it, and the log does not say which.
const (
	Unclear Stage = ""
	Begun   Stage = "begun" // the agent was told something, or what a tool gave back
	Ended   Stage = "ended" // it waits for its person
)

// A Word is what the end of a log says.
type Word struct {
	Stage Stage
	At    time.Time // as the log has it
}

// A Tail is the end of one log, for whoever wants to know how it ends and not
// what was said. It reads what was appended since; of a log that it sees for the
// first time, or that grew by more than that, the last tailRead bytes.
type Tail struct {
	source Source
	id     unix.Stat_t
	offset int64
	carry  []byte // of a line whose end has not come
	torn   bool   // the line at offset began before what was read, or is too long
	ending ending
}

// NewTail returns the end of a log of which nothing was read yet.
func NewTail(source Source) *Tail { return &Tail{source: source} }

// Of returns the log.
func (t *Tail) Of() Source { return t.source }

// Read reads what is new and returns what the log's end says.
func (t *Tail) Read(ctx context.Context) (Word, error) {
	if t.source.Harness == "opencode" {
		return opencodeWord(ctx, t.source)
	}
	log, err := t.source.open()
	if err != nil {
		return Word{}, err
	}
	defer log.Close()
	var stat unix.Stat_t
	if err := unix.Fstat(int(log.Fd()), &stat); err != nil {
		return Word{}, fmt.Errorf("look at a session log: %w", err)
	}
	if stat.Dev != t.id.Dev || stat.Ino != t.id.Ino || stat.Size < t.offset || stat.Size-t.offset > tailRead {
		*t = Tail{source: t.source, offset: max(0, stat.Size-tailRead)}
		t.torn = t.offset > 0
	}
	t.id = stat
	fresh := make([]byte, stat.Size-t.offset)
	n, err := log.ReadAt(fresh, t.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return Word{}, fmt.Errorf("read a session log: %w", err)
	}
	t.offset += int64(n)
	t.take(fresh[:n])
	return t.ending.word, nil
}

// take goes through the lines of bytes that follow those before.
func (t *Tail) take(data []byte) {
	for {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			break
		}
		data = rest
		if !t.torn {
			t.line(append(t.carry, line...))
		}
		t.carry, t.torn = nil, false
	}
	if t.carry = append(t.carry, data...); len(t.carry) > tailRead {
		t.carry, t.torn, t.ending = nil, true, ending{}
	}
}

func (t *Tail) line(line []byte) {
	if line = bytes.TrimSpace(line); len(line) > 0 {
		endings[t.source.Harness](line, &t.ending)
	}
}

// endings are how the lines of the harnesses change how a log ends.
var endings = map[string]func(line []byte, e *ending){"claude": claudeEnding, "codex": codexEnding, "gemini": geminiEnding}

// An ending is how a log ends as far as it was read.
type ending struct {
	word    Word
	pending map[string]bool // calls of tools that have no result
}

// says takes a stage that no call of a tool outlives.
func (e *ending) says(stage Stage, at time.Time) {
	e.word, e.pending = Word{stage, at}, nil
}

// calls takes the call of a tool.
func (e *ending) calls(id string, at time.Time) {
	if e.pending == nil {
		e.pending = map[string]bool{}
	}
	if len(e.pending) < MaxTools {
		e.pending[id] = true
	}
	e.word = Word{Unclear, at}
}

// results takes what a tool gave back: the agent has its turn again once all did.
func (e *ending) results(id string, at time.Time) {
	delete(e.pending, id)
	if len(e.pending) == 0 {
		e.word = Word{Begun, at}
	}
}
