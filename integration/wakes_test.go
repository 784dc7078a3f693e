package integration_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
	"collie/node/schedule"
	"collie/node/walky"
)

// While the node is down, wakes and schedules are booked into its file as it does
// that itself, at an earlier time: they were due while it was away, are due now, or
// in a moment. Then it is started, and killed again. COLLIE_TEST_KILLS says how
// often, COLLIE_TEST_SEED at which moments.
func TestWhatIsDueIsSaidOnceHoweverOftenTheNodeIsKilled(t *testing.T) {
	t.Parallel()
	kills, seed := setting(t, "COLLIE_TEST_KILLS", 8), setting(t, "COLLIE_TEST_SEED", 1)
	random := mathrand.New(mathrand.NewPCG(uint64(seed), 0))
	c := newChores(t, "solo", func(*harness.Machine) *harness.Disk { return nil })
	to, err := walky.ParseAddress(address(t, c.m, "", c.pane))
	if err != nil {
		t.Fatal(err)
	}
	b := &bookings{c: c, to: to, due: map[string]string{}, state: map[string]string{}}
	for n := range kills {
		acknowledged := ""
		if n%4 == 0 { // what the command acknowledged outlives the kill that follows
			var code string
			if acknowledged, code = c.ask("wake --in 10m 'look at the build'"); code != "" {
				t.Fatal(code)
			}
		}
		c.m.Kill()
		b.book(n, random)
		c.m.Start()
		entered(t, c.m, c.pane)
		if acknowledged != "" {
			c.m.CLI("wake", "cancel", acknowledged) // which finds it
		}
		if n%50 == 49 {
			b.look()
		}
		time.Sleep(time.Duration(random.IntN(120)) * time.Millisecond) // the moment is what is tried
	}
	c.m.Kill()
	c.m.Start()
	entered(t, c.m, c.pane)
	b.wantSaid()
}

// setting is one of a test that a long run by hand changes.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Bookings are what was booked for the session of some chores.
type bookings struct {
	c   *chores
	to  walky.Address
	due map[string]string // what it says in the pane, by the id of its message
	// state is what the journal said last of each message.
	state map[string]string
}

// look reads the journal, which forgets in a long run, and says whether all that
// was due has come to its end.
func (b *bookings) look() bool {
	for _, e := range harness.JSON[[]control.WalkyEntry](b.c.m, "walky", "log") {
		b.state[e.ID] = e.State
	}
	for id := range b.due {
		if state := b.state[id]; state == "" || state == "accepted" || state == "held" {
			return false
		}
	}
	return true
}

// book adds what is due next to the file of a node that is down.
func (b *bookings) book(n int, random *mathrand.Rand) {
	b.c.t.Helper()
	var past time.Time // the clock of whoever books
	agenda := schedule.Open(schedule.Config{
		Folder: b.c.m.State, Now: func() time.Time { return past }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Post: func(context.Context, walky.Post) (walky.Receipt, error) {
			return walky.Receipt{}, errors.New("it is not run")
		},
	})
	for range 3 {
		at := time.Now().Add(time.Duration(random.IntN(600)-200) * time.Millisecond)
		past = at.Add(-2 * time.Minute)
		wake, err := agenda.Book(b.to, at, fmt.Sprint("note ", n), func(walky.Address) bool { return false })
		if errors.Is(err, schedule.ErrTooMany) {
			continue // five wait already
		}
		if err != nil {
			b.c.t.Fatal(err)
		}
		id := walky.DoorID(wake.At, "wake", wake.Name, strconv.FormatInt(wake.Booked.UnixMilli(), 10))
		b.due[id] = "collie walky inbox " + id
	}
	minute := time.Now().Add(-time.Minute).Truncate(time.Minute)
	past = minute.Add(-time.Minute)
	name, text := fmt.Sprint("minute-", n), fmt.Sprintf("it is minute number-%d.", n)
	entry, err := agenda.Add(name, fmt.Sprintf("%d %d * * *", minute.Minute(), minute.Hour()), walky.Address{Pane: b.to.Pane}, text)
	if errors.Is(err, schedule.ErrTooMany) {
		b.forget(agenda)
		return
	}
	if err != nil {
		b.c.t.Fatal(err)
	}
	b.due[walky.DoorID(minute, "schedule", name, strconv.FormatInt(entry.Booked.UnixMilli(), 10))] = text
}

// forget removes the older half of the schedules, whose time was this day.
func (b *bookings) forget(agenda *schedule.Agenda) {
	b.c.t.Helper()
	all, err := agenda.List(schedule.Schedule)
	for _, old := range all[:len(all)/2] {
		err = errors.Join(err, agenda.Remove(old.Name))
	}
	if err != nil {
		b.c.t.Fatal(err)
	}
}

// wantSaid waits until nothing is due any more. Then each has one message, was
// typed once if that was delivered, and once at most if nobody knows.
func (b *bookings) wantSaid() {
	b.c.t.Helper()
	harness.Eventually(b.c.t, "the end of what is due", func() bool {
		return b.look() && len(harness.JSON[[]control.Wake](b.c.m, "wake", "list")) == 0
	})
	typed, err := os.ReadFile(b.c.typed)
	if err != nil {
		b.c.t.Fatal(err)
	}
	states := map[string]int{}
	for id, says := range b.due {
		state, times := b.state[id], strings.Count(string(typed), says)
		if state != "delivered" && state != "unknown" || state == "delivered" && times != 1 || times > 1 {
			b.c.t.Errorf("%q is %s and was typed %d times", says, state, times)
		}
		states[fmt.Sprintf("%s, typed %d times", state, times)]++
	}
	b.c.t.Logf("%d were due: %v", len(b.due), states)
}
