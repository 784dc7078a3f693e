package journal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
)

var errFault = errors.New("the disk failed on command")

// faultyDisk is a real folder whose steps fail on command, in both ways: the
// step did not happen, or it did.
type faultyDisk struct {
	disk
	mu      sync.Mutex
	step    string
	persist bool
	synced  int
	written int           // lines in the first write
	gate    chan struct{} // syncs of files wait for it
	syncing chan struct{} // closed by the first sync of a file
}

func newFaultyDisk(t *testing.T) *faultyDisk {
	t.Helper()
	real, err := openFolder(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	return &faultyDisk{disk: real, syncing: make(chan struct{})}
}

func (d *faultyDisk) fail(step string, persist bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.step, d.persist = step, persist
}

func (d *faultyDisk) at(step string, do func() error) error {
	d.mu.Lock()
	fails, persist := d.step == step, d.persist
	d.mu.Unlock()
	if fails && !persist {
		return errFault
	}
	err := do()
	if fails {
		err = errors.Join(errFault, err)
	}
	return err
}

func (d *faultyDisk) holdSyncs() (release func()) {
	d.gate = make(chan struct{})
	return func() { close(d.gate) }
}

func (d *faultyDisk) untilSyncing() { <-d.syncing }

func (d *faultyDisk) syncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.synced
}

func (d *faultyDisk) firstBatch(*Journal) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written
}

func (d *faultyDisk) Create(name string) (file, error) {
	var made file
	err := d.at("create", func() (err error) {
		made, err = d.disk.Create(name)
		return err
	})
	if err != nil {
		if made != nil {
			_ = made.Close()
		}
		return nil, err
	}
	return &faultyFile{made, d}, nil
}

func (d *faultyDisk) Open(name string) (file, error) {
	var opened file
	err := d.at("open", func() (err error) {
		opened, err = d.disk.Open(name)
		return err
	})
	if err != nil {
		if opened != nil {
			_ = opened.Close()
		}
		return nil, err
	}
	return &faultyFile{opened, d}, nil
}

func (d *faultyDisk) Sync() error { return d.at("sync folder", d.disk.Sync) }

type faultyFile struct {
	file
	disk *faultyDisk
}

func (f *faultyFile) Write(p []byte) (n int, err error) {
	f.disk.mu.Lock()
	if f.disk.written == 0 {
		for _, b := range p {
			if b == '\n' {
				f.disk.written++
			}
		}
	}
	short := f.disk.step == "short write"
	f.disk.mu.Unlock()
	if short {
		n, _ = f.file.Write(p[:len(p)/2])
		return n, io.ErrShortWrite
	}
	err = f.disk.at("write", func() (err error) {
		n, err = f.file.Write(p)
		return err
	})
	return n, err
}

func (f *faultyFile) Sync() error {
	f.disk.mu.Lock()
	f.disk.synced++
	first := f.disk.synced == 1
	f.disk.mu.Unlock()
	if first {
		close(f.disk.syncing)
	}
	if f.disk.gate != nil {
		<-f.disk.gate
	}
	return f.disk.at("sync", f.file.Sync)
}

func (f *faultyFile) Truncate(size int64) error {
	return f.disk.at("truncate", func() error { return f.file.Truncate(size) })
}

// Whatever step fails, in whatever way: Append says so, what was acknowledged
// stays, the next Append works, and the journal opens again.
func TestFailedAppendLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{true, false} {
		for _, step := range []string{"create", "sync folder", "write", "short write", "sync"} {
			for _, persist := range []bool{false, true} {
				t.Run(fmt.Sprintf("fresh=%v %s persist=%v", fresh, step, persist), func(t *testing.T) {
					t.Parallel()
					disk := newFaultyDisk(t)
					limits := testLimits()
					if fresh {
						limits.SegmentLines = 1 // every line begins a file
					}
					j, err := openOn(disk, limits, hours(), slog.New(slog.DiscardHandler), func(Line) error { return nil })
					if err != nil {
						t.Fatal(err)
					}
					mustAppend(t, j, line("", "A", 0, `{}`))
					disk.fail(step, persist)
					refused := j.Append(line("", "B", 0, `{}`))
					creates := step == "create" || step == "sync folder"
					if failed := refused != nil; failed != (fresh || !creates) {
						t.Fatalf("Append with a failing disk: %v", refused)
					}
					if _, err := j.Read("B"); refused != nil && !errors.Is(err, ErrUnknown) {
						t.Fatalf("a refused line can be read: %v", err)
					}
					disk.fail("", false)
					mustAppend(t, j, line("", "C", 0, `{}`))
					if err := j.Close(); err != nil {
						t.Fatal(err)
					}
					back := map[string]bool{}
					again, err := Open(folderOf(disk), limits, hours(), slog.New(slog.DiscardHandler), func(l Line) error {
						back[l.ID] = true
						return nil
					})
					if err != nil {
						t.Fatalf("the journal does not open again: %v", err)
					}
					defer func() { _ = again.Close() }()
					if !back["A"] || !back["C"] || refused == nil && !back["B"] {
						t.Fatalf("acknowledged lines are lost, only %v came back", back)
					}
					if refused != nil && back["B"] {
						t.Fatal("a refused line came back though it could be cut off")
					}
				})
			}
		}
	}
}

// When even the cutting back fails, the file is given up, never appended to.
func TestSegmentThatCannotBeCutBackIsGivenUp(t *testing.T) {
	t.Parallel()
	disk := newFaultyDisk(t)
	j, err := openOn(disk, testLimits(), hours(), slog.New(slog.DiscardHandler), func(Line) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, line("", "A", 0, `{}`))
	real := j.series[""].last().file.(*faultyFile)
	real.file = &stuckFile{real.file}
	disk.fail("short write", false)
	if err := j.Append(line("", "B", 0, `{}`)); err == nil {
		t.Fatal("Append with a failing disk succeeded")
	}
	disk.fail("", false)
	mustAppend(t, j, line("", "C", 0, `{}`))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	_, seen := mustOpen(t, folderOf(disk), testLimits())
	wantLines(t, seen, ` A {}`, ` C {}`)
}

type stuckFile struct{ file }

func (f *stuckFile) Truncate(int64) error { return errFault }

func folderOf(d *faultyDisk) string { return d.disk.(folder).root.Name() }
