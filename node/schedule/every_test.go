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
