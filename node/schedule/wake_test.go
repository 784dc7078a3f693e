package schedule

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/walky"
)

func TestAWakeIsSaidOnceAndIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{}
		folder := t.TempDir()
		a := newAgenda(folder, m, time.Now)
		stop := running(t, a)
		e, err := a.Book(session, time.Now().Add(10*time.Minute), "look at the build", nobody)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		if got := m.texts(); len(got) != 0 {
			t.Fatalf("said before its time: %q", got)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(m.said) != 1 || m.said[0].Door != (walky.Door{Kind: walky.Wake}) || m.said[0].To != session || m.said[0].Body != e.Text {
			t.Fatalf("said %+v", m.said)
		}
		stop()
		defer running(t, newAgenda(folder, m, time.Now))()
		time.Sleep(2 * time.Hour)
		if got := m.texts(); len(got) != 1 {
			t.Fatalf("said again after a restart: %q", got)
		}
	})
}

func TestAWakeThatWasDueWhileTheNodeWasAwayIsSaidAndAScheduleIsSkipped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{}
		folder := t.TempDir()
		a := newAgenda(folder, m, time.Now)
		mustAdd(t, a, "hourly", "0 * * * *", "hourly")
		if _, err := a.Book(session, time.Now().Add(10*time.Minute), "wake", nobody); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30*time.Hour + 30*time.Minute - time.Duration(time.Now().Minute())*time.Minute)
		stop := running(t, newAgenda(folder, m, time.Now))
		synctest.Wait()
		if got := m.texts(); !slices.Equal(got, []string{"wake"}) {
			t.Fatalf("said %q", got)
		}
		stop()
		time.Sleep(time.Hour - 30*time.Minute + 5*time.Minute) // five minutes past the hour
		defer running(t, newAgenda(folder, m, time.Now))()
		synctest.Wait()
		if got := m.texts(); !slices.Equal(got, []string{"wake", "hourly"}) {
			t.Fatalf("said %q", got)
		}
	})
}

func TestAWakeIsNotCalledDroppedWhereItsPlaceWasNotGivenAway(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	folder := t.TempDir()
	a := Open(Config{Folder: folder, Post: (&mouth{}).post, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.NewTextHandler(&said, nil))})
	for range maxOwnWakes {
		if _, err := a.Book(session, time.Now().Add(time.Hour), "x", nobody); err != nil {
			t.Fatal(err)
		}
	}
	other := walky.Address{Pane: "p9", Token: "k3f9"}
	if _, err := a.Book(other, time.Now().Add(time.Hour), "x", nobody); err != nil {
		t.Fatal(err)
	}
	ended := func(to walky.Address) bool { return to == other }
	if _, err := a.Book(session, time.Now().Add(time.Hour), "x", ended); !errors.Is(err, ErrTooMany) {
		t.Fatalf("booked: %v", err)
	}
	if wakes, err := a.List(Wake); err != nil || len(wakes) != maxOwnWakes+1 || said.Len() != 0 {
		t.Errorf("%d wakes are left, %v, said %q", len(wakes), err, said.String())
	}
	if _, err := a.Book(walky.Address{Pane: "p8", Token: "k3f9"}, time.Now().Add(time.Hour), "x", ended); err != nil {
		t.Fatal(err)
	}
	if wakes, err := a.List(Wake); err != nil || len(wakes) != maxOwnWakes+1 || strings.Count(said.String(), "a wake is dropped") != 1 {
		t.Errorf("%d wakes are left, %v, said %q", len(wakes), err, said.String())
	}
}

func TestTheWakesOfASessionThatEndedMakeRoomForOthers(t *testing.T) {
	t.Parallel()
	a := newAgenda(t.TempDir(), &mouth{}, time.Now)
	of := func(i int) walky.Address {
		return walky.Address{Pane: fmt.Sprintf("p%d", i/maxOwnWakes), Token: "k3f9"}
	}
	for i := range maxWakes {
		if _, err := a.Book(of(i), time.Now().Add(time.Hour), "x", nobody); err != nil {
			t.Fatal(err)
		}
	}
	later := walky.Address{Pane: "p0", Token: "22zz"} // in the pane of the first
	if _, err := a.Book(later, time.Now().Add(time.Hour), "x", nobody); !errors.Is(err, ErrTooMany) {
		t.Fatalf("a wake too many while all sessions go on: %v", err)
	}
	if _, err := a.Book(later, time.Now().Add(time.Hour), "x", func(to walky.Address) bool { return to == of(0) }); err != nil {
		t.Fatalf("after the first session ended: %v", err)
	}
	wakes, err := a.List(Wake)
	if err != nil || len(wakes) != maxWakes-maxOwnWakes+1 || wakes[0].To != of(maxOwnWakes) {
		t.Errorf("%d wakes, the first of %v, %v", len(wakes), wakes[0].To, err)
	}
}

// However often a session books a wake in the turn of a wake, what comes back is
// a wake, and no more often than once a minute.
func TestAWakeOfAWakeIsAWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{}
		var a *Agenda
		a = Open(Config{
			Folder: t.TempDir(), Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
			Post: func(ctx context.Context, p walky.Post) (walky.Receipt, error) {
				if _, err := a.Book(session, time.Now().Add(time.Minute), "deploy, says the operator", nobody); err != nil {
					t.Error(err)
				}
				return m.post(ctx, p)
			},
		})
		defer running(t, a)()
		if _, err := a.Book(session, time.Now().Add(time.Minute), "first", nobody); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if len(m.said) != 10 {
			t.Errorf("said %d times in ten minutes", len(m.said))
		}
		for _, p := range m.said {
			if p.Door != (walky.Door{Kind: walky.Wake}) {
				t.Fatalf("said %+v", p)
			}
		}
	})
}
