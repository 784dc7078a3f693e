package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// tampered writes six lines, lets change have them, and returns the path.
func tampered(t *testing.T, change func([]string) []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{})
	write(t, log, numbered(1, 6)...)
	log.Close()
	lines := change(strings.SplitAfter(strings.TrimSuffix(read(t, path), "\n")+"\n", "\n")[:6])
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVerifyNamesTheFirstBrokenLine(t *testing.T) {
	t.Parallel()
	edit := func(n int) func([]string) []string {
		return func(l []string) []string { l[n-1] = strings.Replace(l[n-1], "line-", "l1ne-", 1); return l }
	}
	for name, c := range map[string]struct {
		change func([]string) []string
		line   int
		reason string
	}{
		"first edited":         {edit(1), 1, "was edited: the next line (number 2) carries another hash"},
		"third edited":         {edit(3), 3, "was edited: the next line (number 4) carries another hash"},
		"last edited":          {edit(6), 6, "was edited"},
		"two edited":           {func(l []string) []string { return edit(5)(edit(2)(l)) }, 2, "was edited: the next line (number 3) carries another hash"},
		"first removed":        {func(l []string) []string { return l[1:] }, 1, "follows lines that were removed (number 1)"},
		"third removed":        {func(l []string) []string { return slices.Delete(l, 2, 3) }, 3, "follows lines that were removed (number 3)"},
		"three removed":        {func(l []string) []string { return slices.Delete(l, 1, 4) }, 2, "follows lines that were removed (numbers 2 to 4)"},
		"last removed":         {func(l []string) []string { return l[:5] }, 6, "was removed with what followed (number 6)"},
		"all removed":          {func([]string) []string { return nil }, 1, "was removed with what followed (numbers 1 to 6)"},
		"two swapped":          {func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }, 3, "follows lines that were removed (number 3)"},
		"one twice":            {func(l []string) []string { return slices.Insert(l, 3, l[2]) }, 4, "was edited or added: its number is 3, not 4"},
		"one that is no line":  {func(l []string) []string { l[3] = "rubbish\n"; return l }, 4, "is not a JSON object of an audit line"},
		"one that is empty":    {func(l []string) []string { l[3] = "\n"; return l }, 4, "is not a JSON object of an audit line"},
		"one that is too long": {func(l []string) []string { l[3] = strings.Repeat("x", 5*maxLineBytes) + "\n"; return l }, 4, "is too long"},
		"last torn":            {func(l []string) []string { l[5] = l[5][:40]; return l }, 6, "is torn: 40 bytes without an end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tampered(t, c.change)
			var broken *BrokenError
			if _, err := Verify(path); !errors.As(err, &broken) || !errors.Is(err, ErrBroken) {
				t.Fatalf("verified: %v", err)
			}
			if *broken != (BrokenError{"audit.log", c.line, c.reason}) {
				t.Errorf("broken is %+v", *broken)
			}
			// A log that goes on hides nothing of what was done to it.
			log := open(t, path, Options{})
			write(t, log, numbered(7, 7)...)
			if _, err := log.Verify(); !errors.As(err, &broken) || broken.Line != c.line {
				t.Errorf("after one more line it is %v", err)
			}
		})
	}
}

func TestVerifySeesWhatIsDoneToTheOpenLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{MaxBytes: 800})
	write(t, log, numbered(1, 12)...)
	older := read(t, path+".2")
	if err := os.WriteFile(path+".2", []byte(strings.Replace(older, `"ok"`, `"no"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var broken *BrokenError
	if _, err := log.Verify(); !errors.As(err, &broken) || broken.File != "audit.log.2" || broken.Line != 1 {
		t.Errorf("edited: %v", err)
	}
	if err := os.Remove(path + ".2"); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Verify(); !errors.As(err, &broken) || broken.File != "audit.log.3" || broken.Line != 1 {
		t.Errorf("removed: %v", err)
	}
}

func TestLastLineOfARotatedFileIsNamedThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{MaxBytes: 800})
	write(t, log, numbered(1, 12)...)
	data := []byte(read(t, path+".1"))
	lines := bytes.Count(data, []byte("\n"))
	at := bytes.LastIndex(data, []byte(`"ok"`))
	copy(data[at:], `"no"`)
	if err := os.WriteFile(path+".1", data, 0o600); err != nil {
		t.Fatal(err)
	}
	var broken *BrokenError
	if _, err := log.Verify(); !errors.As(err, &broken) || broken.File != "audit.log.1" || broken.Line != lines {
		t.Errorf("broken is %v, want line %d", err, lines)
	}
}

func TestTornLastLineIsDroppedAndSaid(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"half a line":   `{"at":"2026-11-30T12:00:00.005Z","seq":7,"act`,
		"zeros":         strings.Repeat("\x00", 3*maxLineBytes),
		"one character": "{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tampered(t, func(l []string) []string { return append(l, tail) })
			var said bytes.Buffer
			log := open(t, path, logged(&said))
			if !strings.Contains(said.String(), "torn last line dropped") {
				t.Errorf("said %q", said.String())
			}
			write(t, log, numbered(7, 7)...)
			if _, err := log.Verify(); err != nil {
				t.Error(err)
			}
			if lines, err := log.Tail(10); err != nil || len(lines) != 7 {
				t.Errorf("%d lines, %v", len(lines), err)
			}
		})
	}
}

func FuzzParseLine(f *testing.F) {
	line, err := Entry{Action: "a", Outcome: "ok", What: Text("x")}.line(noon, Preview, link{})
	if err != nil {
		f.Fatal(err)
	}
	data, err := line.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:len(data)-1])
	f.Add([]byte(`{"at":"2026-11-30T12:00:00.005Z","seq":1,"prev":"00"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		line, err := parseLine(data)
		if err != nil {
			return
		}
		if line.Seq == 0 || line.Action == "" || line.Outcome == "" || line.time().Format(timeLayout) != line.At {
			t.Fatalf("%q became %+v", data, line)
		}
		again, err := line.encode()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := parseLine(again[:len(again)-1]); len(again) <= maxLineBytes && (err != nil || linkBefore(second) != linkBefore(line)) {
			t.Fatalf("%q again: %v", again, err)
		}
	})
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("a\n\nbc\nd"))
	f.Add(bytes.Repeat([]byte("x"), maxLineBytes+5))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		end, err := scan(bytes.NewReader(data), int64(len(data)), func(s scanned) error {
			if n++; s.n != n {
				t.Fatalf("line %d after %d", s.n, n-1)
			}
			return nil
		})
		if want := bytes.LastIndexByte(data, '\n') + 1; err != nil || end != int64(want) || n != bytes.Count(data, []byte("\n")) {
			t.Fatalf("end %d of %d lines, %v", end, n, err)
		}
	})
}

func TestTimeOfALineIsReadBack(t *testing.T) {
	t.Parallel()
	line, err := Entry{Action: "a", Outcome: "ok"}.line(noon.In(time.FixedZone("east", 3600)), Preview, link{})
	if err != nil || line.At != "2026-11-30T12:00:00.005Z" || !line.time().Equal(noon) {
		t.Errorf("time is %s, %v, %v", line.At, line.time(), err)
	}
}
