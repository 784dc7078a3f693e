package origin_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"collie/node/pane/origin"
)

// umask reads the process's umask.
func umask() int {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return mask
}

func core(t *testing.T) unix.Rlimit {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	return limit
}

func TestTakenIsRestoredForOneStartOnly(t *testing.T) {
	before, mask := core(t), unix.Umask(0o027)
	defer func() {
		unix.Umask(mask)
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &before)
	}()
	given := unix.Rlimit{Cur: min(4096, before.Max), Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &given); err != nil {
		t.Fatal(err)
	}
	o, err := origin.Take()
	if err != nil {
		t.Fatal(err)
	}
	if umask() != 0o077 || core(t).Cur != 0 {
		t.Errorf("after Take: umask %o, core limit %d", umask(), core(t).Cur)
	}
	failed := errors.New("failed")
	err = o.Restored(func() error {
		if umask() != 0o027 || core(t) != given {
			t.Errorf("restored: umask %o, core limit %v, want 27, %v", umask(), core(t), given)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("Restored: %v, want what start returned", err)
	}
	if umask() != 0o077 || core(t).Cur != 0 {
		t.Errorf("afterwards: umask %o, core limit %d", umask(), core(t).Cur)
	}
}

func TestZeroOriginRestoresNothing(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077))
	var zero origin.Origin
	if err := zero.Restored(func() error {
		if umask() != 0o077 {
			t.Errorf("umask %o under the zero origin, want 77", umask())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
