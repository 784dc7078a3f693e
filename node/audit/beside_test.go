package audit

import (
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The system tells one caller that a file could not be written, and no other.
func TestALineIsNotStoredWhenTheSyncOfAnotherWasToldOfTheFailure(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.log")
	under, goOn := make(chan struct{}), make(chan struct{})
	layer := &failing{}
	log := open(t, path, Options{layer: layer})
	var syncs atomic.Int32
	layer.syncing = func() error {
		if syncs.Add(1) > 1 {
			return nil
		}
		close(under)
		<-goOn
		return errDisk
	}
	sync, err := log.Add(numbered(1, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	added, written := make(chan error, 1), make(chan error, 1)
	go func() { added <- sync() }()
	<-under
	go func() { written <- log.Write(numbered(2, 2)[0]) }()
	for deadline := time.Now().Add(30 * time.Second); strings.Count(read(t, path), "\n") < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the second line never came")
		}
	}
	close(goOn)
	if err := <-added; !errors.Is(err, errDisk) {
		t.Errorf("the sync that was told: %v", err)
	}
	if err := <-written; !errors.Is(err, ErrUnavailable) {
		t.Errorf("the line beside it: %v", err)
	}
	if err := log.Write(numbered(2, 2)[0]); err != nil {
		t.Errorf("once the disk is well: %v", err)
	}
	if lines, err := log.Tail(10); err != nil || len(lines) != 2 || *lines[1].What != "line-2" {
		t.Errorf("the log has %d lines, %v", len(lines), err)
	}
	if _, err := log.Verify(); err != nil {
		t.Error(err)
	}
}
