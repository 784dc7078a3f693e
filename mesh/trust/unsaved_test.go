package trust_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/atomicfile/diskfault"
	"collie/mesh/trust"
)

// removal takes atlas out.
func removal(old *trust.Crew) (*trust.Crew, error) {
	return trust.RemoveMember(old, "atlas", nil, start) // nobody has to sign that no deputy goes
}

// failing is a store of crewOf on a disk that fails at a step.
func failing(t *testing.T, step diskfault.Step, persist bool) (*trust.Store, *diskfault.Disk, string) {
	t.Helper()
	return failingWith(t, crewOf(t), step, persist)
}

// failingWith is failing with a crew.
func failingWith(t *testing.T, c *trust.Crew, step diskfault.Step, persist bool) (*trust.Store, *diskfault.Disk, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), trust.FileName)
	disk := &diskfault.Disk{}
	s, err := trust.OpenOn(disk, path, func() time.Time { return start })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(set(c)); err != nil {
		t.Fatal(err)
	}
	disk.Fail(step, persist)
	return s, disk, path
}

// unsaved checks that an error says that path is behind.
func unsaved(t *testing.T, err error, path string) {
	t.Helper()
	var want *trust.UnsavedError
	if !errors.As(err, &want) || want.Path != path || !errors.Is(err, diskfault.ErrFault) {
		t.Errorf("the error is %v, want an unsaved %s", err, path)
	}
}

func TestRemovalThatTheDiskRefusedIsStoredWithoutAnotherChange(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			s, disk, path := failing(t, step, false)
			unsaved(t, s.Update(removal), path)
			unsaved(t, s.Unsaved(), path)
			unsaved(t, s.Flush(), path)
			disk.Heal()
			if err := s.Flush(); err != nil || s.Unsaved() != nil {
				t.Errorf("on a disk that is well: %v, then %v", err, s.Unsaved())
			}
			if _, found := open(t, path).Crew().Member("atlas"); found {
				t.Error("read again, atlas is a member")
			}
		})
	}
}

func TestADiskIsTriedWithoutAChange(t *testing.T) {
	t.Parallel()
	s, disk, path := failing(t, diskfault.Write, false)
	before := s.Crew()
	if err := s.Try(); !errors.Is(err, trust.ErrNotStored) || !errors.Is(err, diskfault.ErrFault) {
		t.Errorf("a full disk: %v", err)
	}
	if s.Crew() != before || s.Unsaved() != nil {
		t.Errorf("it has changed something, unsaved %v", s.Unsaved())
	}
	unsaved(t, s.Update(removal), path)
	disk.Heal()
	if err := s.Try(); err != nil || s.Unsaved() != nil {
		t.Errorf("a disk that is well: %v, unsaved %v", err, s.Unsaved())
	}
	if _, found := open(t, path).Crew().Member("atlas"); found {
		t.Error("what was unsaved is not in the file")
	}
}

func TestKeepStoresALossOnceTheDiskTakesItAndThenSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, disk, path := failing(t, diskfault.Write, false)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Keep(ctx) }()
		if err := s.Update(removal); err == nil {
			t.Fatal("a full disk took it")
		}
		time.Sleep(time.Hour)
		unsaved(t, s.Unsaved(), path)
		disk.Heal()
		time.Sleep(31 * time.Second)
		if err := s.Unsaved(); err != nil {
			t.Errorf("half a minute after the disk is well: %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, err := os.Stat(path); err == nil {
			t.Error("it was written again with nothing to write")
		}
		cancel()
		<-ended
	})
}

func TestGrantThatTheDiskRefusedIsNotUnsavedAndDoesNotComeBack(t *testing.T) {
	t.Parallel()
	confirm := func(old *trust.Crew) (*trust.Crew, error) { return trust.Confirm(old, node(t, 2).Fingerprint, 1) }
	s, _, _ := failing(t, diskfault.Write, false)
	if err := s.Update(confirm); !errors.Is(err, diskfault.ErrFault) || errors.As(err, new(*trust.UnsavedError)) || s.Unsaved() != nil {
		t.Errorf("a grant that was not written: %v, unsaved %v", err, s.Unsaved())
	}
	// The file has the grant, which the caller was told had failed.
	s, disk, path := failing(t, diskfault.SyncFolder, false)
	if err := s.Update(confirm); errors.As(err, new(*trust.UnsavedError)) {
		t.Errorf("a grant that may be written: %v", err)
	}
	unsaved(t, s.Unsaved(), path)
	disk.Heal()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if grade := open(t, path).Crew().Grade(node(t, 2).Fingerprint); grade != trust.GradeUnconfirmed {
		t.Errorf("read again, the member that was not confirmed is %s", grade)
	}
}

func TestLeavingThatTheDiskRefusedIsFlushed(t *testing.T) {
	t.Parallel()
	s, disk, path := failingWith(t, founded(t), diskfault.Remove, false)
	unsaved(t, s.Update(trust.Leave), path)
	disk.Heal()
	if err := s.Flush(); err != nil || open(t, path).Crew() != nil {
		t.Errorf("flushed with %v, crew %v", err, open(t, path).Crew())
	}
}
