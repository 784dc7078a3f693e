package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// closed writes six lines, by files of maxBytes, and returns the path and what
// was recorded of the ends after three of them.
func closed(t *testing.T, maxBytes int64) (path, record string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.log")
	log := open(t, path, Options{MaxBytes: maxBytes})
	write(t, log, numbered(1, 3)...)
	record = read(t, path+chainSuffix)
	write(t, log, numbered(4, 6)...)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return path, record
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// cut takes the last lines of the log away.
func cut(t *testing.T, path string, keep int) {
	t.Helper()
	overwrite(t, path, strings.Join(strings.SplitAfter(read(t, path), "\n")[:keep], ""))
}

// last returns the action, the outcome and the content of the last n lines.
func last(t *testing.T, log *Log, n int) (said []string) {
	t.Helper()
	lines, err := log.Tail(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		said = append(said, line.Action+" "+line.Outcome+" "+*line.What)
	}
	return said
}

func wantBroken(t *testing.T, err error, want BrokenError) {
	t.Helper()
	var broken *BrokenError
	if !errors.As(err, &broken) || *broken != want {
		t.Errorf("verified as %v, want %v", err, &want)
	}
}

const lost = "says that the record of the chain's ends was missing: lines before it may have been removed"

func TestALogWithoutARecordOfItsEndsIsNotWholeAndSaysSoInItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil  func(path string) error
		reason string
	}{
		"gone":   {os.Remove, "was removed, so nothing vouches for the lines"},
		"empty":  {func(path string) error { return os.Truncate(path, 0) }, "does not read as the ends of a chain, so nothing vouches for the lines"},
		"zeros":  {func(path string) error { return os.WriteFile(path, make([]byte, endsBytes), 0o600) }, "does not read as the ends of a chain, so nothing vouches for the lines"},
		"longer": {func(path string) error { return os.WriteFile(path, make([]byte, 2*endsBytes), 0o600) }, "does not read as the ends of a chain, so nothing vouches for the lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, _ := closed(t, 0)
			cut(t, path, 4)
			if err := c.spoil(path + chainSuffix); err != nil {
				t.Fatal(err)
			}
			_, err := Verify(path)
			wantBroken(t, err, BrokenError{"audit.log.chain", 1, c.reason})
			var said bytes.Buffer
			log := open(t, path, logged(&said))
			if !strings.Contains(said.String(), "ends was missing or behind") {
				t.Errorf("said %q", said.String())
			}
			write(t, log, numbered(7, 7)...)
			if got, want := strings.Join(last(t, log, 3), ", "), "pane.send ok line-4, audit.rebuilt record_missing 1-4, pane.send ok line-7"; got != want {
				t.Errorf("the lines are %s, want %s", got, want)
			}
			_, err = log.Verify()
			wantBroken(t, err, BrokenError{"audit.log", 5, lost})
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			_, err = Verify(path)
			wantBroken(t, err, BrokenError{"audit.log", 5, lost})
			log = open(t, path, Options{}) // once said is said
			if got := last(t, log, 1)[0]; got != "pane.send ok line-7" {
				t.Errorf("the last line is %s", got)
			}
		})
	}
}

func TestARecordThatIsBehindIsCountedAndSaidInTheLog(t *testing.T) {
	t.Parallel()
	for name, maxBytes := range map[string]int64{"one file": 0, "a file for each line": 10, "a file for two": 700} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, older := closed(t, maxBytes)
			overwrite(t, path+chainSuffix, older)
			if kept, err := Verify(path); err != nil || kept.Lines != 6 || kept.Unrecorded != 3 || kept.Behind != 0 {
				t.Errorf("verified as %+v, %v", kept, err)
			}
			log := open(t, path, Options{MaxBytes: maxBytes})
			write(t, log, numbered(7, 7)...)
			if got, want := strings.Join(last(t, log, 3), ", "), "pane.send ok line-6, audit.rebuilt record_behind 4-6, pane.send ok line-7"; got != want {
				t.Errorf("the lines are %s, want %s", got, want)
			}
			if kept, err := log.Verify(); err != nil || kept != (Kept{Lines: 8, Since: noon, Behind: 1, BehindAt: noon}) {
				t.Errorf("verified as %+v, %v", kept, err)
			}
		})
	}
}

func TestWhoeverCutsLinesOffAndBringsAnOlderRecordBackIsSeen(t *testing.T) {
	t.Parallel()
	path, older := closed(t, 0)
	cut(t, path, 5)
	overwrite(t, path+chainSuffix, older)
	if kept, err := Verify(path); err != nil || kept.Unrecorded != 2 {
		t.Errorf("verified as %+v, %v", kept, err)
	}
	log := open(t, path, Options{})
	if kept, err := log.Verify(); err != nil || kept.Behind != 1 || kept.Lines != 6 {
		t.Errorf("verified as %+v, %v", kept, err)
	}
	cut(t, path, 2) // and further than the record goes
	overwrite(t, path+chainSuffix, older)
	_, err := Verify(path)
	wantBroken(t, err, BrokenError{"audit.log", 3, "was removed with what followed (number 3)"})
}

func TestTheLineAboutALostRecordComesBeforeAllOthersAlsoOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"write", "half a write", "sync"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			path, _ := closed(t, 0)
			if err := os.Remove(path + chainSuffix); err != nil {
				t.Fatal(err)
			}
			layer := &failing{step: step}
			log := open(t, path, Options{layer: layer})
			if err := log.Write(numbered(7, 7)[0]); !errors.Is(err, ErrUnavailable) {
				t.Errorf("written: %v", err)
			}
			_, err := log.Verify()
			wantBroken(t, err, BrokenError{"audit.log.chain", 1, "was missing, so nothing vouches for the lines"})
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			log = open(t, path, Options{layer: layer}) // the next node has no record either
			layer.step = ""
			write(t, log, numbered(7, 7)...)
			if got, want := strings.Join(last(t, log, 3), ", "), "pane.send ok line-6, audit.rebuilt record_missing 1-6, pane.send ok line-7"; got != want {
				t.Errorf("the lines are %s, want %s", got, want)
			}
			_, err = log.Verify()
			wantBroken(t, err, BrokenError{"audit.log", 7, lost})
		})
	}
}

func TestANewLogOwesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	for range 3 {
		log := open(t, path, Options{})
		if kept, err := log.Verify(); err != nil || kept != (Kept{}) {
			t.Errorf("verified as %+v, %v", kept, err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if kept, err := Verify(path); err != nil || kept != (Kept{}) {
			t.Errorf("verified as %+v, %v", kept, err)
		}
	}
}
