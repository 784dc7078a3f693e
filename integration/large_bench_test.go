package integration_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"collie/integration/fleet"
	"collie/integration/harness"
	"collie/node/api"
)

// largeCrew is a lead, a process of its own, and members that are another one.
type largeCrew struct {
	lead  *harness.Machine
	phone *harness.Phone
	plan  fleet.Plan
}

func startLarge(b *testing.B, plan fleet.Plan) *largeCrew {
	b.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", harness.FreePort(b))
	c := &largeCrew{lead: harness.New(b, "atlas", "COLLIE_LABEL=atlas", "COLLIE_MESH_LISTEN="+address), plan: plan}
	crew := fleet.Enrol(b, c.lead, address, plan)
	c.lead.Start()
	c.phone = c.lead.Pair("bench")
	crew.Start()
	c.awaitAll(b, c.phone.Herd())
	return c
}

// awaitAll waits until a phone shows every member as it is now.
func (c *largeCrew) awaitAll(b *testing.B, herd *harness.Herd) {
	b.Helper()
	herd.Until(b, "all members are reachable", func() bool {
		reachable := 0
		for _, m := range herd.Now().Machines {
			if m.State == "reachable" && !m.Stale {
				reachable++
			}
		}
		return reachable == c.plan.Members+1
	})
}

// BenchmarkRejoin measures how long 200 members are away when their lead is
// started again: from its start until a phone shows the last of them, and the
// processor time that the lead took for it. A lead that was killed has told
// nobody: a member that only dials out notices at its next beat.
func BenchmarkRejoin(b *testing.B) {
	for name, end := range map[string]func(*harness.Machine){
		"restarted":    func(m *harness.Machine) { m.Stop() },
		"after a kill": func(m *harness.Machine) { m.Kill() },
	} {
		b.Run(name, func(b *testing.B) {
			c := startLarge(b, fleet.Plan{Members: 200, Panes: 10, Dialable: 100})
			var took time.Duration
			var ticks, rounds int
			for b.Loop() {
				end(c.lead)
				began := time.Now()
				c.lead.Start()
				c.phone.URL = c.lead.URL
				herd := c.phone.Herd()
				c.awaitAll(b, herd)
				took += time.Since(began)
				ticks += usage(b, []int{c.lead.PID()}).ticks
				rounds++
				herd.Close()
			}
			b.ReportMetric(0, "ns/op") // the end of the lead is in it
			b.ReportMetric(took.Seconds()/float64(rounds), "reachable-s")
			b.ReportMetric(float64(ticks)/clockTicks/float64(rounds), "lead-cpu-s")
		})
	}
}

const (
	// largeSettle lets what the start cost end; largeFor is what is measured.
	largeSettle = 5 * time.Second
	largeFor    = 10 * time.Second
)

// BenchmarkLargeCrew measures what 500 members with ten panes each cost their
// lead while one in a hundred panes changes each second and a phone watches, and
// how long a change takes from its member to the phone.
func BenchmarkLargeCrew(b *testing.B) {
	c := startLarge(b, fleet.Plan{Members: 500, Panes: 10, Changes: 50})
	var mu sync.Mutex // guards late
	var late []time.Duration
	c.awaitAll(b, c.phone.Herd(func(event api.Event) {
		if event.Change == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, pane := range event.Change.Panes {
			late = append(late, time.Since(time.UnixMilli(pane.Since)))
		}
	}))
	time.Sleep(largeSettle)
	mu.Lock()
	late = nil
	mu.Unlock()
	var ticks int
	var seconds float64
	for b.Loop() {
		before := usage(b, []int{c.lead.PID()})
		began := time.Now()
		time.Sleep(largeFor)
		ticks += usage(b, []int{c.lead.PID()}).ticks - before.ticks
		seconds += time.Since(began).Seconds()
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(late)
	b.ReportMetric(0, "ns/op") // the pause is in it, so it says nothing
	b.ReportMetric(100*float64(ticks)/clockTicks/seconds, "lead-cpu-%")
	b.ReportMetric(float64(resident(b, c.lead.PID()))/1024, "lead-MiB")
	b.ReportMetric(float64(len(late))/seconds, "changes/s")
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(late[(len(late)-1)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
	}
}
