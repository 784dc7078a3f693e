package meter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/atomicfile/diskfault"
)

func TestADayOutlivesARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day")
	before := New()
	before.run(0, 10, 0.25)
	must(t, before.Store(atomicfile.OS{}, path))
	after, now := New(), noon.Add(12*time.Minute)
	must(t, after.Restore(path, now))
	after.run(12, 14, 0.5) // it was away for two minutes
	day := after.History("juno", noon.Add(14*time.Minute))
	if len(day) != 14 || !reflect.DeepEqual(day[:10], before.History("juno", now)) || !day[10].Absent || !day[11].Absent || day[13].Rates.CPU != 0.5 {
		t.Errorf("the day is %+v", day)
	}
	tomorrow := New()
	must(t, tomorrow.Restore(path, noon.Add(25*time.Hour)))
	yesterday := New()
	must(t, yesterday.Restore(path, noon.Add(5*time.Minute))) // the clock was set back
	if old, early := tomorrow.machines["juno"].times, yesterday.machines["juno"].times; len(old) != 0 || len(early) != 5 {
		t.Errorf("a day later %d points count, and %d with a clock that was set back", len(old), len(early))
	}
}

func TestADayWithoutANewPointIsNotWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "day")
	m := New()
	must(t, m.Store(atomicfile.OS{}, path))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a day without a point is a file: %v", err)
	}
	m.run(0, 1, 0.5)
	must(t, m.Store(atomicfile.OS{}, path))
	must(t, os.Remove(path))
	must(t, m.Store(atomicfile.OS{}, path))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the same day was written again: %v", err)
	}
}

func TestADamagedDayIsRefusedWhole(t *testing.T) {
	t.Parallel()
	m := New()
	m.run(0, 3, 0.25)
	whole := m.encode()
	for at := range whole {
		broken := append([]byte{}, whole...)
		broken[at] ^= 1
		if _, err := decode(broken, noon.Unix()/60+3); !errors.Is(err, ErrDay) {
			t.Fatalf("with byte %d changed: %v", at, err)
		}
		if _, err := decode(whole[:at], noon.Unix()/60+3); !errors.Is(err, ErrDay) {
			t.Fatalf("with %d bytes: %v", at, err)
		}
	}
	path := filepath.Join(t.TempDir(), "day")
	must(t, os.WriteFile(path, whole[1:], 0o600))
	again := New()
	if err := again.Restore(path, noon); !errors.Is(err, ErrDay) || len(again.machines) != 0 {
		t.Errorf("%v with %d machines", err, len(again.machines))
	}
}

func TestADiskThatFailsLeavesTheOldDayOrTheNewOne(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			path, disk := filepath.Join(t.TempDir(), "day"), &diskfault.Disk{}
			m := New()
			m.run(0, 2, 0.5)
			must(t, m.Store(disk, path))
			m.run(3, 3, 0.5)
			disk.Fail(step, persist)
			if err := m.Store(disk, path); !errors.Is(err, diskfault.ErrFault) {
				t.Errorf("%s, %v: %v", step, persist, err)
			}
			count := func() int {
				after := New()
				must(t, after.Restore(path, noon.Add(3*time.Minute)))
				return len(after.History("juno", noon.Add(3*time.Minute)))
			}
			if n := count(); n != 2 && n != 3 {
				t.Errorf("%s, %v: %d points", step, persist, n)
			}
			disk.Heal()
			must(t, m.Store(disk, path))
			if n := count(); n != 3 {
				t.Errorf("%s, %v: after the disk works again there are %d points", step, persist, n)
			}
		}
	}
}

func FuzzDay(f *testing.F) {
	m := New()
	m.run(0, 3, 0.25)
	f.Add(m.encode())
	f.Add(New().encode())
	f.Add([]byte(heading))
	f.Fuzz(func(t *testing.T, data []byte) {
		machines, err := decode(data, noon.Unix()/60)
		if err != nil && !errors.Is(err, ErrDay) {
			t.Errorf("an error of no name: %v", err)
		}
		for id, kept := range machines {
			if len(id) > maxID || len(kept.times) != len(kept.points) || len(kept.times) > Points {
				t.Errorf("%q has %d minutes and %d points", id, len(kept.times), len(kept.points))
			}
		}
	})
}
