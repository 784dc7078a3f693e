package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 5e6, time.UTC)

func fixed() time.Time { return noon }

// open opens a log that is closed at the test's end.
func open(t testing.TB, path string, options Options) *Log {
	t.Helper()
	if options.Content == "" {
		options.Content = Preview
	}
	if options.Now == nil {
		options.Now = fixed
	}
	log, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

func write(t testing.TB, log *Log, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := log.Write(e); err != nil {
			t.Fatal(err)
		}
	}
}

// numbered are n entries whose content is their number.
func numbered(from, to int) []Entry {
	var entries []Entry
	for i := from; i <= to; i++ {
		entries = append(entries, Entry{Action: "pane.send", Pane: "p1", What: Text(fmt.Sprintf("line-%d", i)), Outcome: "ok"})
	}
	return entries
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEntryIsOneLineWithEveryField(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{})
	write(t, log,
		Entry{Action: "pane.keys", Session: "mailbox", Pane: "p1", Device: "Ana's <Pixel>", Host: "atlas", Via: "crew", What: Text("a \"b\"\n\x1b[0m"), Outcome: "ok"},
		Entry{Action: "device.revoke", Outcome: "device_not_paired"},
	)
	want := `{"at":"2026-11-30T12:00:00.005Z","seq":1,"action":"pane.keys","session":"mailbox","pane":"p1","device":"Ana's <Pixel>","host":"atlas","via":"crew","what":"a \"b\"\n[0m","outcome":"ok","prev":"0000000000000000000000000000000000000000000000000000000000000000"}
{"at":"2026-11-30T12:00:00.005Z","seq":2,"action":"device.revoke","session":null,"pane":null,"device":null,"host":null,"via":null,"what":null,"outcome":"device_not_paired","prev":"5623f13fc450634ffb7b922c15a584fe7429f951b82b2b307e4f4396e12a120c"}
`
	if got := read(t, path); got != want {
		t.Errorf("log is\n%swant\n%s", got, want)
	}
	for _, name := range []string{path, path + chainSuffix} {
		if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
	}
}

func TestLinesOfTailAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{MaxBytes: 1000})
	write(t, log, numbered(1, 20)...)
	lines, err := log.Tail(12)
	if err != nil || len(lines) != 12 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, line := range lines {
		if want := fmt.Sprintf("line-%d", i+9); *line.What != want || line.Seq != uint64(i+9) {
			t.Errorf("line %d is number %d, %q", i, line.Seq, *line.What)
		}
	}
	data, err := json.Marshal(lines[11])
	if err != nil || !strings.HasSuffix(read(t, path), string(data)+"\n") {
		t.Errorf("last line is %s, %v", data, err)
	}
	if lines, err := log.Tail(100); err != nil || len(lines) != 20 {
		t.Errorf("all are %d lines, %v", len(lines), err)
	}
	if lines, err := log.Tail(0); err != nil || lines != nil {
		t.Errorf("none are %v, %v", lines, err)
	}
}

func TestChainGoesOnOverFilesAndRestarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	for i := range 5 {
		log := open(t, path, Options{MaxBytes: 1000})
		write(t, log, numbered(10*i+1, 10*i+10)...)
		if _, err := log.Verify(); err != nil {
			t.Error(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(path); err != nil {
			t.Error(err)
		}
	}
	paths, err := rotated(path)
	if err != nil || len(paths) < 10 || paths[9] != path+".10" {
		t.Errorf("rotated files are %v, %v", paths, err)
	}
	for _, name := range append(paths, path) {
		if size := len(read(t, name)); size > 1000 || size == 0 {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
	if lines, err := open(t, path, Options{}).Tail(100); err != nil || len(lines) != 50 || lines[49].Seq != 50 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

func TestRotatedFilesAreKeptNinetyDays(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	now := noon
	log := open(t, path, Options{MaxBytes: 1000, Now: func() time.Time { return now }})
	write(t, log, numbered(1, 9)...)
	first, second := path+".1", path+".2"
	gone := func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	}
	if gone(first) || gone(second) {
		t.Fatal("nine lines are in fewer than three files")
	}
	now = noon.Add(Keep)
	write(t, log, numbered(10, 10)...)
	if gone(first) {
		t.Error("removed after 90 days")
	}
	// No rotation is needed for the removal.
	now = noon.Add(Keep + pruneEvery + time.Second)
	write(t, log, numbered(11, 11)...)
	if !gone(first) || !gone(second) || !gone(path+".3") {
		t.Error("not removed after 91 days")
	}
	lines, err := log.Tail(100)
	if err != nil || len(lines) != 2 || lines[0].Seq != 10 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	if _, err := log.Verify(); err != nil {
		t.Error(err)
	}
	now = now.Add(400 * 24 * time.Hour)
	log.Close()
	log = open(t, path, Options{Now: func() time.Time { return now }})
	if paths, err := rotated(path); err != nil || len(paths) != 0 {
		t.Errorf("a year later: %v, %v", paths, err)
	}
	write(t, log, numbered(12, 12)...)
	if _, err := log.Verify(); err != nil {
		t.Error(err)
	}
}

func TestWritersTakeTurns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{MaxBytes: 4000})
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for _, e := range numbered(1, 25) {
				if err := log.Write(e); err != nil {
					t.Error(err)
				}
			}
		})
		writers.Go(func() {
			if _, err := log.Verify(); err != nil {
				t.Error(err)
			}
			if _, err := log.Tail(10); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	lines, err := log.Tail(1000)
	if err != nil || len(lines) != 200 || lines[199].Seq != 200 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	if _, err := log.Verify(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(folder, "elsewhere"), filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path    string
		content Content
	}{
		"a link":          {filepath.Join(folder, "link"), Preview},
		"a folder":        {folder, Preview},
		"no folder":       {filepath.Join(folder, "none", "audit.log"), Preview},
		"no content":      {filepath.Join(folder, "audit.log"), ""},
		"unknown content": {filepath.Join(folder, "audit.log"), "all"},
	} {
		if log, err := Open(c.path, Options{Content: c.content}); err == nil {
			log.Close()
			t.Errorf("%s was opened", name)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

func TestWiderModeIsNarrowed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path, Options{})
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestClosedOrIncompleteIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{})
	for _, e := range []Entry{{Action: "pane.send"}, {Outcome: "ok"}} {
		if err := log.Write(e); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if err := errors.Join(log.Close(), log.Close()); err != nil {
		t.Error(err)
	}
	if err := log.Write(numbered(1, 1)[0]); !errors.Is(err, ErrUnavailable) {
		t.Errorf("closed: %v", err)
	}
	if got := read(t, path); got != "" {
		t.Errorf("log is %q", got)
	}
}

// logged returns options whose log is collected in the buffer.
func logged(into *bytes.Buffer) Options {
	return Options{Log: slog.New(slog.NewTextHandler(into, nil))}
}

func BenchmarkWrite(b *testing.B) {
	log := open(b, filepath.Join(b.TempDir(), "audit.log"), Options{Now: time.Now})
	e := Entry{Action: "pane.keys", Pane: "p1", Device: "Pixel", Via: "crew", What: Typed([]string{"h", "Enter"}), Outcome: "ok"}
	b.ReportAllocs()
	for b.Loop() {
		if err := log.Write(e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBareAppend is what Write cannot be faster than.
func BenchmarkBareAppend(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := bytes.Repeat([]byte("x"), 300)
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
