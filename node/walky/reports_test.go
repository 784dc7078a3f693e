package walky

import (
	"slices"
	"sync"
	"testing"
)

func TestSlowReaderOfReceiptsLosesNothing(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	m, out := boreasMachine(t, c, func(config *Config) { config.Limits.Reports = 1 })
	_, changes, stop := m.Receipts()
	defer stop()
	m.mustReceive(c, out)
	if first, ok := <-changes; !ok || first.State != Accepted {
		t.Fatalf("first report %+v, %v", first, ok)
	}
	if late, ok := <-changes; ok {
		t.Fatalf("reported %+v to a reader that was behind", late)
	}
	recent, _, again := m.Receipts()
	defer again()
	if len(recent) != 1 || recent[0].State != Delivered {
		t.Fatalf("recent %+v", recent)
	}
}

func TestReceiptsOfThisMachinesOwnMessagesAreNotReported(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	_, changes, stop := m.Receipts()
	m.send(operator, m.address("p1"), "x")
	if recent, _, again := m.Receipts(); len(recent) != 0 {
		t.Fatalf("recent %+v", recent)
	} else {
		again()
	}
	stop()
	if r, ok := <-changes; ok {
		t.Fatalf("reported %+v", r)
	}
}

func TestChangesOfAPaneAreNotified(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var panes []string
	m := newMachine(t, func(c *Config) {
		c.Changed = func(pane string) {
			mu.Lock()
			defer mu.Unlock()
			panes = append(panes, pane)
		}
	}, agent("p1"), agent("p2"))
	r := m.send(in("p1"), m.address("p2"), "x")
	if _, err := m.Read(t.Context(), in("p2"), r.ID); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(panes, []string{"p2", "p2", "p2"}) {
		t.Fatalf("notified %q, want accepted, delivered and read of p2", panes)
	}
}
