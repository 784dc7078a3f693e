package audit

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

var errDisk = errors.New("no space left on device")

// failing is a disk on which the named step fails once it is armed. A step
// named "but did" fails after it took effect.
type failing struct {
	disk
	step    string
	syncing func() error // called before the log is synced, unless nil; an error is the sync's
}

type failingFile struct {
	diskFile
	log  bool
	disk *failing
}

// is reports whether the armed step is this one.
func (d *failing) is(step string) bool { return d.step == step }

func (d *failing) open(path string) (file, error) {
	if d.is("open") {
		return nil, errDisk
	}
	f, err := d.disk.open(path)
	if err != nil {
		return nil, err
	}
	return &failingFile{f.(diskFile), !strings.HasSuffix(path, chainSuffix), d}, nil
}

func (d *failing) Rename(from, to string) error {
	if d.is("rename") {
		return errDisk
	}
	err := d.disk.Rename(from, to)
	if d.is("rename but did") {
		return errDisk
	}
	return err
}

func (d *failing) Remove(path string) error {
	if d.is("remove") {
		return errDisk
	}
	return d.disk.Remove(path)
}

func (d *failing) SyncFolder(folder string) error {
	if d.is("sync folder") {
		return errDisk
	}
	return d.disk.SyncFolder(folder)
}

func (f *failingFile) WriteAt(p []byte, at int64) (int, error) {
	switch {
	case f.log && f.disk.is("write"):
		return 0, errDisk
	case f.log && (f.disk.is("half a write") || f.disk.is("half a write, no way back")):
		n, _ := f.diskFile.WriteAt(p[:len(p)/2], at)
		return n, errDisk
	case f.log && f.disk.is("write but did, no way back"):
		n, _ := f.diskFile.WriteAt(p, at)
		return n, errDisk
	case !f.log && f.disk.is("record"):
		return 0, errDisk
	}
	return f.diskFile.WriteAt(p, at)
}

func (f *failingFile) Sync() error {
	if f.log && f.disk.syncing != nil {
		if err := f.disk.syncing(); err != nil {
			return err
		}
	}
	if f.log && f.disk.is("sync") {
		return errDisk
	}
	return f.diskFile.Sync()
}

func (f *failingFile) Truncate(size int64) error {
	if f.log && strings.HasSuffix(f.disk.step, "no way back") {
		return errDisk
	}
	return f.diskFile.Truncate(size)
}

func TestWriteThatCannotBeAuditedIsRefusedAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"write", "half a write", "half a write, no way back", "write but did, no way back", "sync"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.log")
			layer := &failing{}
			log := open(t, path, Options{layer: layer})
			write(t, log, numbered(1, 2)...)
			layer.step = step
			for range 3 {
				if err := log.Write(Entry{Action: "pane.send", What: Text(strings.Repeat("refused", 9)), Outcome: "ok"}); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errDisk) {
					t.Fatalf("written: %v", err)
				}
				if lines, err := log.Tail(10); err != nil || len(lines) != 2 {
					t.Errorf("%d lines, %v", len(lines), err)
				}
				if !strings.HasSuffix(step, "no way back") && strings.Contains(read(t, path), "refused") {
					t.Error("the refused line is still there")
				}
			}
			layer.step = ""
			write(t, log, numbered(3, 3)...)
			if _, err := log.Verify(); err != nil {
				t.Error(err)
			}
			log.Close()
			if _, err := Verify(path); err != nil {
				t.Error(err)
			}
			if text := read(t, path); strings.Contains(text, "refused") || strings.Count(text, "\n") != 3 {
				t.Errorf("log is\n%s", text)
			}
		})
	}
}

func TestCrashAfterAFailedWriteLosesNoLine(t *testing.T) {
	t.Parallel()
	for step, want := range map[string]int{"half a write, no way back": 2, "write but did, no way back": 4} { // the fourth is of the record
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.log")
			layer := &failing{}
			log := open(t, path, Options{layer: layer})
			write(t, log, numbered(1, 2)...)
			layer.step = step
			if err := log.Write(numbered(3, 3)[0]); !errors.Is(err, ErrUnavailable) {
				t.Fatalf("written: %v", err)
			}
			again := open(t, path, Options{})
			if lines, err := again.Tail(10); err != nil || len(lines) != want {
				t.Errorf("%d lines, %v", len(lines), err)
			}
			write(t, again, numbered(4, 4)...)
			if _, err := again.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRotationThatFailsRefusesAndGoesOnLater(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"rename", "rename but did", "open", "sync folder"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "audit.log")
			layer := &failing{}
			log := open(t, path, Options{layer: layer, MaxBytes: 600})
			write(t, log, numbered(1, 2)...)
			layer.step = step
			if err := log.Write(numbered(3, 3)[0]); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errDisk) {
				t.Fatalf("written: %v", err)
			}
			layer.step = ""
			write(t, log, numbered(3, 7)...)
			if _, err := log.Verify(); err != nil {
				t.Error(err)
			}
			lines, err := log.Tail(10)
			if err != nil || len(lines) != 7 {
				t.Fatalf("%d lines, %v", len(lines), err)
			}
			for i, line := range lines {
				if want := fmt.Sprintf("line-%d", i+1); *line.What != want {
					t.Errorf("line %d is %q", i+1, *line.What)
				}
			}
		})
	}
}

func TestEndsThatCannotBeRecordedRefuseNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	layer := &failing{}
	log := open(t, path, Options{layer: layer})
	write(t, log, numbered(1, 1)...)
	layer.step = "record"
	write(t, log, numbered(2, 3)...)
	log.Close()
	again := open(t, path, Options{})
	write(t, again, numbered(4, 4)...)
	if _, err := again.Verify(); err != nil {
		t.Error(err)
	}
}

func TestAddedLineIsThereAtOnceAndOnTheDiskOnceSynced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	layer := &failing{}
	log := open(t, path, Options{layer: layer})
	layer.step = "sync"
	first, err := log.Add(numbered(1, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	second, err := log.Add(numbered(2, 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	if lines, err := log.Tail(10); err != nil || len(lines) != 2 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	if err := first(); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errDisk) {
		t.Errorf("synced: %v", err)
	}
	if _, err := log.Add(numbered(3, 3)[0]); !errors.Is(err, ErrUnavailable) {
		t.Errorf("added behind lines that the disk did not take: %v", err)
	}
	layer.step = ""
	if err := errors.Join(second(), first()); err != nil {
		t.Error(err)
	}
	write(t, log, numbered(3, 3)...)
	log.Close()
	if _, err := Verify(path); err != nil {
		t.Error(err)
	}
	if text := read(t, path); strings.Count(text, "\n") != 3 {
		t.Errorf("log is\n%s", text)
	}
}

// What comes while the disk works shares the sync after it: three lines, two syncs.
func TestLinesThatComeDuringASyncShareTheNextOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	syncs, goOn := make(chan struct{}), make(chan struct{})
	layer := &failing{}
	log := open(t, path, Options{layer: layer})
	layer.syncing = func() error { syncs <- struct{}{}; <-goOn; return nil }
	flushed := make(chan error)
	flush := func(n int) {
		sync, err := log.Add(numbered(n, n)[0])
		if err != nil {
			t.Fatal(err)
		}
		go func() { flushed <- sync() }()
	}
	flush(1)
	<-syncs
	flush(2) // would never be added if the disk were waited for
	flush(3)
	goOn <- struct{}{}
	<-syncs
	goOn <- struct{}{}
	for range 3 {
		if err := <-flushed; err != nil {
			t.Error(err)
		}
	}
	log.Close() // nothing is left to sync, or it would wait
	if last, err := Verify(path); err != nil {
		t.Errorf("%v, %v", last, err)
	}
}

func TestWriteThatFailsTakesNoAddedLineAlong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	layer := &failing{}
	log := open(t, path, Options{layer: layer, MaxBytes: 300})
	write(t, log, numbered(1, 1)...)
	sync, err := log.Add(numbered(2, 2)[0])
	if err != nil {
		t.Fatal(err)
	}
	layer.step = "sync"
	if err := log.Write(numbered(9, 9)[0]); !errors.Is(err, ErrUnavailable) {
		t.Fatalf("written: %v", err)
	}
	layer.step = ""
	if err := sync(); err != nil {
		t.Error(err)
	}
	write(t, log, numbered(3, 4)...)
	lines, err := log.Tail(10)
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, line := range lines {
		if want := fmt.Sprintf("line-%d", i+1); *line.What != want {
			t.Errorf("line %d is %q", i+1, *line.What)
		}
	}
	if _, err := log.Verify(); err != nil {
		t.Error(err)
	}
}

func TestALogSaysWhyItsLastLineWasNotTaken(t *testing.T) {
	t.Parallel()
	d := &failing{}
	l, err := Open(filepath.Join(t.TempDir(), "audit.log"), Options{Content: Preview, layer: d})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for _, step := range []string{"write", "sync", ""} {
		d.step = step
		if err := l.Write(Entry{Action: "pane.reply", Outcome: "accepted"}); l.Refused() != err || (err == nil) != (step == "") {
			t.Errorf("%q fails: Write = %v, Refused = %v", step, err, l.Refused())
		}
	}
}
