package journal

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/crypto/atomicfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var start = time.UnixMilli(1_790_000_000_000).UTC()

// hours is a steady clock on which an hour passes with each look.
func hours() func() time.Duration {
	var hour atomic.Int64
	return func() time.Duration { return time.Duration(hour.Add(1)) * time.Hour }
}

func testLimits() Limits {
	return Limits{
		Age: 7 * 24 * time.Hour, Lines: 2000, Memory: 10 * time.Minute,
		SegmentLines: 50, SegmentBytes: 1 << 20, SegmentAge: time.Hour,
	}
}

func line(origin, id string, after time.Duration, data string) Line {
	return Line{Origin: origin, ID: id, At: start.Add(after), Opens: true, Data: []byte(data)}
}

// open opens a journal and returns what it read back, one "origin id data" each.
func open(t *testing.T, folder string, limits Limits, log *bytes.Buffer) (*Journal, []string, error) {
	t.Helper()
	var seen []string
	if log == nil {
		log = &bytes.Buffer{}
	}
	j, err := Open(folder, limits, hours(), slog.New(slog.NewTextHandler(log, nil)), func(l Line) error {
		seen = append(seen, fmt.Sprintf("%s %s %s", l.Origin, l.ID, l.Data))
		return nil
	})
	if err == nil {
		t.Cleanup(func() { _ = j.Close() })
	}
	return j, seen, err
}

func mustOpen(t *testing.T, folder string, limits Limits) (*Journal, []string) {
	t.Helper()
	j, seen, err := open(t, folder, limits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j, seen
}

func mustAppend(t *testing.T, j *Journal, lines ...Line) {
	t.Helper()
	if err := j.Append(lines...); err != nil {
		t.Fatal(err)
	}
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("read back\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLinesComeBackInTheirOrder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, seen := mustOpen(t, folder, testLimits())
	wantLines(t, seen)
	mustAppend(t, j, line("", "A", 0, `{"n":1}`))
	mustAppend(t, j, line("atlas", "B", time.Second, `{"text":"<&> \u2028"}`))
	after := line("", "A", 2*time.Second, `{"n":2}`)
	after.Opens = false
	mustAppend(t, j, after)
	if got, err := j.Read("A"); err != nil || string(got.Data) != `{"n":1}` || !got.At.Equal(start) {
		t.Fatalf("Read = %s %v, %v", got.Data, got.At, err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, seen = mustOpen(t, folder, testLimits())
	wantLines(t, seen, ` A {"n":1}`, ` A {"n":2}`, `atlas B {"text":"<&> \u2028"}`)
	if got := j.Lines(); got != 3 {
		t.Fatalf("Lines = %d, want 3", got)
	}
	if got, err := j.Read("B"); err != nil || got.Origin != "atlas" {
		t.Fatalf("Read = %q, %v", got.Origin, err)
	}
	if _, err := j.Read("C"); !errors.Is(err, ErrUnknown) {
		t.Fatalf("Read of an unknown id: %v", err)
	}
}

func TestFilesAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{}`))
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "00000001.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// A crash may leave any part of the last line.
func TestTornLastLineIsDroppedAndSaidAtEveryByte(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{"n":1}`))
	path := filepath.Join(folder, "00000001.jsonl")
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, line("", "B", 0, `{"n":2}`))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := len(first); size < len(whole); size++ {
		torn := filepath.Join(t.TempDir(), "journal")
		if err := os.Mkdir(torn, 0o700); err != nil {
			t.Fatal(err)
		}
		tornPath := filepath.Join(torn, "00000001.jsonl")
		if err := os.WriteFile(tornPath, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		j, seen, err := open(t, torn, testLimits(), &log)
		if err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		wantLines(t, seen, ` A {"n":1}`)
		if said := strings.Contains(log.String(), "not written to its end"); said != (size > len(first)) {
			t.Fatalf("cut at %d: log says %q", size, log.String())
		}
		mustAppend(t, j, line("", "C", 0, `{"n":3}`))
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		_, seen = mustOpen(t, torn, testLimits())
		wantLines(t, seen, ` A {"n":1}`, ` C {"n":3}`)
	}
}

// A file that the machine did not grow by a whole line, though by its size,
// holds zeros where the line should be.
func TestZerosAfterACrashAreATornLine(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{"n":1}`))
	path := filepath.Join(folder, "00000001.jsonl")
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	_, seen := mustOpen(t, folder, testLimits())
	wantLines(t, seen, ` A {"n":1}`)
}

func TestAFlippedByteIsNamedNotBelievedAndLeftAlone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{"n":1}`))
	mustAppend(t, j, line("", "B", 0, `{"n":2}`))
	path := filepath.Join(folder, "00000001.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.IndexByte(whole, '\n') // of the first line; with it both are lost
	for at := range whole {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 8)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		j, seen, err := open(t, folder, testLimits(), nil)
		if err != nil {
			t.Fatalf("flipped byte %d: %v", at, err)
		}
		want := []string{"A", "B"}
		switch {
		case at < end:
			want = []string{"B"}
		case at > end:
			want = []string{"A"}
		case at == end:
			want = nil
		}
		var ids []string
		for _, one := range seen {
			ids = append(ids, strings.Fields(one)[0]) // the origin is empty
		}
		if strings.Join(ids, "") != strings.Join(want, "") {
			t.Fatalf("flipped byte %d: read %q, want %q", at, seen, want)
		}
		found := j.Damage()
		if len(found) != 1 || !strings.HasPrefix(found[0].Where, "00000001.jsonl, line ") {
			t.Fatalf("flipped byte %d: damage is %+v", at, found)
		}
		mustAppend(t, j, line("", "C", 0, `{"n":3}`))
		if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
			t.Fatalf("flipped byte %d: the file was changed", at)
		}
		if _, err := j.Read("C"); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(folder, "00000002.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadFindsDamageThatCameLater(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{"n":1}`))
	path := filepath.Join(folder, "00000001.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole[20] ^= 1
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Read("A"); !errors.Is(err, ErrDamaged) {
		t.Fatalf("Read = %v, want ErrDamaged", err)
	}
}

func TestUnknownVersionIsRefusedByName(t *testing.T) {
	t.Parallel()
	text := []byte(`{"v":2,"at":1,"id":"A","data":{}`)
	sealed := seal(text)
	if _, err := decodeLine(sealed); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "2") {
		t.Fatalf("decodeLine = %v, want ErrVersion with its number", err)
	}
	if _, err := decodeLine(seal([]byte(`{"v":1,"at":1,"id":"A","data":{},"more":1`))); !errors.Is(err, ErrDamaged) {
		t.Fatalf("unknown field: %v", err)
	}
}

func TestForeignFileInTheFolderIsLeftAloneAndSaid(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "journal")
	j, _ := mustOpen(t, folder, testLimits())
	mustAppend(t, j, line("", "A", 0, `{}`))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "00000001.jsonl"), filepath.Join(folder, "00000001.jsonl.aside")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, seen, err := open(t, folder, testLimits(), &log)
	if err != nil || len(seen) != 0 || !strings.Contains(log.String(), "00000001.jsonl.aside") {
		t.Fatalf("seen %v, %v, log %q", seen, err, log.String())
	}
}

func TestConcurrentAppendsShareSyncs(t *testing.T) {
	t.Parallel()
	disk := newFaultyDisk(t)
	j, err := openOn(disk, testLimits(), hours(), slog.New(slog.DiscardHandler), func(Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	release := disk.holdSyncs()
	const writers = 40
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			if err := j.Append(line("", fmt.Sprintf("ID%d", n), 0, `{}`)); err != nil {
				t.Error(err)
			}
		})
	}
	disk.untilSyncing()
	for { // until everybody else waits for the second sync
		j.queue.Lock()
		waiting := 0
		if j.batch != nil {
			waiting = len(j.batch.entries)
		}
		j.queue.Unlock()
		if waiting == writers-disk.firstBatch(j) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	release()
	all.Wait()
	if got := disk.syncs(); got > 2 {
		t.Fatalf("%d syncs for %d appends, want 2", got, writers)
	}
	if got := j.Lines(); got != writers {
		t.Fatalf("Lines = %d, want %d", got, writers)
	}
}

func TestWhatIsNoRegularFileIsRefusedByNameAndHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(path string) error{
		"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		folder := filepath.Join(t.TempDir(), "journal")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := place(filepath.Join(folder, "00000007.jsonl")); err != nil {
			t.Fatal(err)
		}
		_, _, err := open(t, folder, testLimits(), nil)
		if !errors.Is(err, atomicfile.ErrNotRegular) || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), "00000007.jsonl") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
