package schedule

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/walky"
)

func TestASchedulesTextIsTheOperatorsAtItsTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{}
		a := newAgenda(t.TempDir(), m, time.Now)
		defer running(t, a)()
		mustAdd(t, a, "queue", "*/10 * * * *", "check the queue")
		start := time.Now()
		time.Sleep(25 * time.Minute)
		synctest.Wait()
		if len(m.said) != 2 || m.said[0].Door != (walky.Door{Kind: walky.Schedule, Name: "queue"}) || m.said[0].To != p1 || m.said[0].Body != "check the queue" {
			t.Fatalf("said %+v", m.said)
		}
		if m.said[0].ID == m.said[1].ID {
			t.Error("two times are one message")
		}
		for i, at := range m.at {
			if want := start.Truncate(10 * time.Minute).Add(time.Duration(i+1) * 10 * time.Minute); at.Sub(want).Abs() > time.Second {
				t.Errorf("said at %v, want %v", at, want)
			}
		}
	})
}

func TestAKillBetweenTheMessageAndTheFileSaysNothingTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{}
		folder := t.TempDir()
		a := newAgenda(folder, m, time.Now)
		mustAdd(t, a, "often", "* * * * *", "often")
		if _, err := a.Book(session, time.Now().Add(time.Minute), "wake", nobody); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(filepath.Join(folder, fileName))
		if err != nil {
			t.Fatal(err)
		}
		stop := running(t, a)
		time.Sleep(90 * time.Second)
		stop()
		said := len(m.said)
		if err := os.WriteFile(filepath.Join(folder, fileName), before, 0o600); err != nil {
			t.Fatal(err)
		}
		defer running(t, newAgenda(folder, m, time.Now))()
		synctest.Wait()
		if len(m.said) != said || said < 2 {
			t.Fatalf("said %q", m.texts())
		}
	})
}

func TestWhatCannotBeSaidIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{err: errors.New("disk full")}
		a := newAgenda(t.TempDir(), m, time.Now)
		defer running(t, a)()
		if _, err := a.Book(session, time.Now().Add(time.Minute), "wake", nobody); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Hour)
		m.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := m.texts(); !slices.Equal(got, []string{"wake"}) {
			t.Fatalf("said %q", got)
		}
	})
}

func TestAScheduleWhoseSessionHasNoRoomIsSaidOnceItHas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{refuse: walky.Receipt{State: walky.Refused, Reason: walky.ReasonFull}}
		a := newAgenda(t.TempDir(), m, time.Now)
		defer running(t, a)()
		mustAdd(t, a, "queue", "@every 1h", "check")
		time.Sleep(time.Hour + 5*time.Minute)
		m.admit()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := m.texts(); !slices.Equal(got, []string{"check"}) {
			t.Fatalf("said %q", got)
		}
	})
}

func TestAClockThatJumpsSaysAnEntryOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 30, 0, 0, time.Local)
	m := &mouth{}
	a := newAgenda(t.TempDir(), m, func() time.Time { return now })
	mustAdd(t, a, "hourly", "0 * * * *", "hourly")
	steps := []struct {
		to   time.Time
		said int
	}{
		{now.Add(30 * time.Minute), 1},
		{now.Add(24 * time.Hour), 1},                // a day ahead, half past: skipped
		{now.Add(24*time.Hour + 30*time.Minute), 2}, // and on the hour it is said
		{now, 2},                       // a day back
		{now.Add(30 * time.Minute), 2}, // that hour was said
		{now.Add(90 * time.Minute), 3}, // this one was not
	}
	for i, step := range steps {
		now = step.to
		if rest := a.look(t.Context()); rest <= 0 || rest > time.Hour {
			t.Errorf("step %d: next look in %v", i, rest)
		}
		if len(m.said) != step.said {
			t.Fatalf("step %d: said %d times, want %d", i, len(m.said), step.said)
		}
	}
}

func TestAnEditedFileIsRefusedWholeAndLeftAlone(t *testing.T) {
	t.Parallel()
	folder, m := t.TempDir(), &mouth{}
	a := newAgenda(folder, m, time.Now)
	mustAdd(t, a, "often", "* * * * *", "check")
	if _, err := a.Book(session, time.Now().Add(2*time.Minute), "deploy", nobody); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, fileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"kind": "wake"`, `"kind": "schedule"`}, // a wake that wants to be the operator's
		{`"text": "check"`, `"text": "rm -rf /"`},
		{`"cron": "* * * * *"`, `"cron": "@hourly"`},
		{`"pane": "p1"`, `"pane": "p2"`},
		{`"token": "k3f9"`, `"token": "k3f8"`},
		{`"version": 1`, `"version": 2`},
	} {
		edited := strings.Replace(string(whole), change[0], change[1], 1)
		if edited == string(whole) {
			t.Fatalf("nothing to change: %s", change[0])
		}
		if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		broken := newAgenda(folder, m, func() time.Time { return time.Now().Add(time.Hour) })
		broken.look(t.Context())
		_, errList := broken.List(Schedule)
		_, errAdd := broken.Add("more", "@daily", p1, "x")
		if errList == nil || errAdd == nil || broken.Remove("often") == nil || len(m.said) != 0 {
			t.Errorf("%s: list %v, add %v, said %q", change[1], errList, errAdd, m.texts())
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != edited {
			t.Errorf("%s: the file was written", change[1])
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, keyName)); err != nil {
		t.Fatal(err)
	}
	if _, err := newAgenda(folder, m, time.Now).List(Schedule); err == nil {
		t.Error("believed without its key")
	}
}

func TestWhatIsBookedIsBounded(t *testing.T) {
	t.Parallel()
	a := newAgenda(t.TempDir(), &mouth{}, time.Now)
	for name, try := range map[string]func() error{
		"name":         func() error { _, err := a.Add("a b", "@daily", p1, "x"); return err },
		"cron":         func() error { _, err := a.Add("a", "61 * * * *", p1, "x"); return err },
		"six fields":   func() error { _, err := a.Add("a", "* * * * * *", p1, "x"); return err },
		"every second": func() error { _, err := a.Add("a", "@every 1s", p1, "x"); return err },
		"zone":         func() error { _, err := a.Add("a", "TZ=", p1, "x"); return err },
		"no text":      func() error { _, err := a.Add("a", "@daily", p1, ""); return err },
		"escape":       func() error { _, err := a.Add("a", "@daily", p1, "x\x1b[A"); return err },
		"carriage":     func() error { _, err := a.Add("a", "@daily", p1, "x\ry"); return err },
		"long":         func() error { _, err := a.Add("a", "@daily", p1, strings.Repeat("x", 4097)); return err },
		"other machine": func() error {
			_, err := a.Add("a", "@daily", walky.Address{Machine: "juno", Pane: "p1"}, "x")
			return err
		},
		"no pane":      func() error { _, err := a.Add("a", "@daily", walky.Address{}, "x"); return err },
		"in 59 s":      func() error { _, err := a.Book(session, time.Now().Add(59*time.Second), "x", nobody); return err },
		"at once":      func() error { _, err := a.Book(session, time.Now().Add(time.Second), "x", nobody); return err },
		"next year":    func() error { _, err := a.Book(session, time.Now().AddDate(1, 0, 0), "x", nobody); return err },
		"no session":   func() error { _, err := a.Book(p1, time.Now().Add(time.Hour), "x", nobody); return err },
		"unknown":      func() error { return a.Remove("a") },
		"unknown wake": func() error { return a.Cancel(walky.Address{}, "a") },
	} {
		if try() == nil {
			t.Errorf("%s: no refusal", name)
		}
	}
	for name, at := range map[string]time.Duration{"in a minute": time.Minute, "in 30 days": 30 * 24 * time.Hour} {
		now := time.Now() // as the caller saw it
		e, err := a.Book(walky.Address{Pane: "p3", Token: "k3f9"}, now.Add(at), "x", nobody)
		if err != nil || e.At.Sub(now).Abs() < at-time.Second {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	var ids []string
	for range maxOwnWakes {
		e, err := a.Book(session, time.Now().Add(time.Hour), "x", nobody)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.Name)
	}
	if _, err := a.Book(session, time.Now().Add(time.Hour), "x", nobody); !errors.Is(err, ErrTooMany) {
		t.Errorf("one wake too many: %v", err)
	}
	other := walky.Address{Pane: "p2", Token: "k3f9"}
	if err := a.Cancel(other, ids[0]); !errors.Is(err, ErrUnknown) {
		t.Errorf("another session's wake: %v", err)
	}
	if err := a.Cancel(session, ids[0]); err != nil {
		t.Error(err)
	}
	if _, err := a.Book(session, time.Now().Add(time.Hour), "x", nobody); err != nil {
		t.Errorf("after one was cancelled: %v", err)
	}
}
