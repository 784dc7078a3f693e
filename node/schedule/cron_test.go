package schedule

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestEveryNinetyMinutesIsSaidEveryNinetyMinutesAlsoAcrossRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, folder := &mouth{}, t.TempDir()
		a := newAgenda(folder, m, time.Now)
		mustAdd(t, a, "every", "@every 90m", "every")
		start := time.Now()
		for range 10 {
			stop := running(t, a)
			time.Sleep(53 * time.Minute)
			synctest.Wait()
			stop()
			a = newAgenda(folder, m, time.Now)
		}
		if len(m.at) != 5 {
			t.Fatalf("said %d times in 530 minutes, want 5", len(m.at))
		}
		for i, at := range m.at {
			if want := start.Add(time.Duration(i+1) * 90 * time.Minute); at.Sub(want).Abs() > time.Second {
				t.Errorf("said at %v, want %v", at, want)
			}
		}
		time.Sleep(4*90*time.Minute - 20*time.Minute) // the node is away
		all, err := a.List(Schedule)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		if got, want := all[0].Next(time.Now()), start.Add(10*90*time.Minute); got.Sub(want).Abs() > time.Second {
			t.Errorf("next is %v, want %v", got, want)
		}
	})
}

func TestALineThatIsNeverDueIsRefused(t *testing.T) {
	t.Parallel()
	a := newAgenda(t.TempDir(), &mouth{}, time.Now)
	if _, err := a.Add("never", "0 0 30 2 *", p1, "x"); !errors.Is(err, ErrCron) {
		t.Errorf("the thirtieth of February: %v", err)
	}
	mustAdd(t, a, "leap", "0 0 29 2 *", "x")
}

// Whatever line comes, reading it and asking for its times ends.
func FuzzCron(f *testing.F) {
	for _, line := range []string{"* * * * *", "0 9 * * 1-5", "@daily", "@every 1m", "@every 1ns", "CRON_TZ=", "TZ=x", "*/0 * * * *", "0 0 31 2 *", "\x00", "1,2,3-4/5 * ? jan sun"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		times, err := parseCron(line)
		if err != nil {
			return
		}
		now := time.Date(2026, 11, 30, 12, 0, 30, 0, time.UTC)
		if next := times.Next(now); !next.IsZero() && next.Before(now) {
			t.Fatalf("%q is next at %v", line, next)
		}
	})
}
