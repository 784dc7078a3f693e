package sent

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile/diskfault"
)

func options() Options {
	return Options{
		Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler),
	}
}

func open(t testing.TB) (b *Book, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "sent.jsonl")
	return Open(path, options()), path
}

func add(t testing.TB, b *Book, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if err := b.Add("p1", line); err != nil {
			t.Fatal(err)
		}
	}
}

// texts are the lines of a book, newest first.
func texts(t testing.TB, b *Book) []string {
	t.Helper()
	lines, err := b.Lines()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, line := range lines {
		texts = append(texts, line.Text)
	}
	return texts
}

func check(t testing.TB, what string, b *Book, want ...string) {
	t.Helper()
	if got := texts(t, b); !slices.Equal(got, want) {
		t.Errorf("%s: lines are %q, want %q", what, got, want)
	}
}

func admitted(int) error { return nil }

func TestLinesOutliveTheNodeNewestFirst(t *testing.T) {
	t.Parallel()
	b, path := open(t)
	check(t, "a new book", b)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a book without a line is a file: %v", err)
	}
	add(t, b, "make <all>", "two\nlines", "é")
	check(t, "the book", b, "é", "two\nlines", "make <all>")
	check(t, "after a restart", Open(path, options()), "é", "two\nlines", "make <all>")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(data), "{\"version\":1}\n{\"id\":\"") || !strings.Contains(string(data), `"at":"2026-11-30T12:00:00Z","pane":"p1","line":"make <all>"}`) {
		t.Errorf("the file is %s, %v", data, err)
	}
}

func TestTheNewest500AreKept(t *testing.T) {
	t.Parallel()
	b, path := open(t)
	lines := make([]Line, 0, MaxLines)
	add(t, b, "first")
	first, err := b.Lines()
	if err != nil {
		t.Fatal(err)
	}
	for i := range MaxLines {
		line := first[0]
		line.Text = fmt.Sprint("line ", i)
		lines = append(lines, line)
	}
	b.mu.Lock()
	err = b.replace(lines)
	b.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	add(t, b, strings.Repeat("\u2028", MaxChars), "last")
	for _, b := range []*Book{b, Open(path, options())} {
		got := texts(t, b)
		if len(got) != MaxLines || got[0] != "last" || got[MaxLines-1] != "line 2" {
			t.Errorf("%d lines from %q to %q", len(got), got[0], got[MaxLines-1])
		}
	}
}

func TestForgetAndClearAskFirstAndWorkWhileNothingIsKept(t *testing.T) {
	t.Parallel()
	b, path := open(t)
	add(t, b, "one", "two", "three")
	off := options()
	off.Off = true
	b = Open(path, off)
	add(t, b, "four")
	check(t, "while off", b, "three", "two", "one")
	lines, err := b.Lines()
	if err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	if _, err := b.Forget(lines[1].ID, func(int) error { return no }); !errors.Is(err, no) {
		t.Errorf("forget is not asked for: %v", err)
	}
	if _, err := b.Clear(func(count int) error { return fmt.Errorf("%d: %w", count, no) }); !errors.Is(err, no) || !strings.HasPrefix(err.Error(), "3: ") {
		t.Errorf("clear is not asked for: %v", err)
	}
	check(t, "after two refusals", b, "three", "two", "one")
	asked := 0
	if line, err := b.Forget(lines[1].ID, func(count int) error { asked = count; return nil }); err != nil || asked != 1 || line.Text != "two" {
		t.Errorf("forget: %v, asked for %d", err, asked)
	}
	if _, err := b.Forget(lines[1].ID, admitted); !errors.Is(err, ErrNotFound) {
		t.Errorf("forget it again: %v", err)
	}
	check(t, "after forget", Open(path, off), "three", "one")
	if count, err := b.Clear(admitted); err != nil || count != 2 {
		t.Errorf("clear: %d, %v", count, err)
	}
	check(t, "after clear", Open(path, off))
	if data, err := os.ReadFile(path); err != nil || string(data) != "{\"version\":1}\n" {
		t.Errorf("the file is %q, %v", data, err)
	}
}

func TestAFileThatIsNotBelievedIsLeftAsItIsUntilItIsCleared(t *testing.T) {
	t.Parallel()
	good := `{"id":"01JDZ8K3M9XG5Q2R7T4V6W8Y0A","at":"2026-11-30T12:00:00Z","pane":"p1","line":"make"}` + "\n"
	for name, text := range map[string]string{
		"empty": "", "another version": "{\"version\":2}\n", "no version": good, "a torn line": "{\"version\":1}\n" + good[:40],
		"an unknown field": "{\"version\":1}\n" + strings.Replace(good, `"pane"`, `"host":"x","pane"`, 1), "no id": "{\"version\":1}\n" + strings.Replace(good, "01JDZ8K3M9XG5Q2R7T4V6W8Y0A", "../x", 1),
		"no time": "{\"version\":1}\n" + strings.Replace(good, "2026-11-30T12:00:00Z", "0001-01-01T00:00:00Z", 1), "no line": "{\"version\":1}\n" + strings.Replace(good, `"make"`, `""`, 1),
		"too many lines": "{\"version\":1}\n" + strings.Repeat(good, MaxLines+1), "an empty line": "{\"version\":1}\n\n" + good,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sent.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := Open(path, options())
			_, err := b.Lines()
			_, forgotten := b.Forget("01JDZ8K3M9XG5Q2R7T4V6W8Y0A", admitted)
			for _, err := range []error{err, b.Add("p1", "x"), forgotten} {
				if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), path) {
					t.Errorf("%v", err)
				}
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != text {
				t.Errorf("the file was changed to %q, %v", data, err)
			}
			if _, err := b.Clear(admitted); err != nil {
				t.Error(err)
			}
			add(t, b, "again")
			check(t, "after clear", Open(path, options()), "again")
		})
	}
}

func TestADiskThatFailsLeavesTheBookBeforeOrAfter(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			disk := &diskfault.Disk{}
			faulty := options()
			faulty.Disk = disk
			path := filepath.Join(t.TempDir(), "sent.jsonl")
			b := Open(path, faulty)
			add(t, b, "one", "two")
			disk.Fail(step, persist)
			what := fmt.Sprintf("%s, persisted %v", step, persist)
			if err := b.Add("p1", "three"); !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s: add: %v", what, err)
			}
			check(t, what, b, "two", "one")
			if got := texts(t, Open(path, options())); !slices.Equal(got, []string{"two", "one"}) && !slices.Equal(got, []string{"three", "two", "one"}) {
				t.Errorf("%s: the file has %q", what, got)
			}
			if _, err := b.Clear(admitted); !errors.Is(err, ErrUnavailable) {
				t.Errorf("%s: clear: %v", what, err)
			}
			disk.Heal()
			add(t, b, "four")
			check(t, what+", mended", Open(path, options()), "four", "two", "one")
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("{\"version\":1}\n" + `{"id":"01JDZ8K3M9XG5Q2R7T4V6W8Y0A","at":"2026-11-30T12:00:00Z","pane":"p1","line":"make"}` + "\n"))
	f.Add([]byte("{\"version\":1}"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parse(data)
		if err != nil {
			return
		}
		again, err := encode(lines)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := parse(again); err != nil || len(twice) != len(lines) {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}
