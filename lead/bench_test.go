package lead

import (
	"fmt"
	"testing"
	"time"

	"collie/mesh"
	"collie/node/api"
	"collie/node/mask"
)

// A crew of 50 members with 20 panes each.
func busyCrew() *herd {
	h := newHerd(newMachine(), time.Now)
	var ids []string
	for i := range 50 {
		ids = append(ids, fmt.Sprint("member-", i))
	}
	h.lead(crewOf(ids...), "build")
	for _, id := range ids {
		h.update(id, func(f *follower) {
			show(f, mesh.Link{State: mesh.StateReachable})
			f.current(snapshotOfPanes(20))
		})
	}
	return h
}

func snapshotOfPanes(n int) api.Snapshot {
	s := snapshotOf()
	for i := range n {
		s.Panes = append(s.Panes, paneOf(fmt.Sprint("p", i)))
	}
	return s
}

// BenchmarkHerd is what a change of one member costs each phone, as against the
// comparison of the whole herd.
func BenchmarkHerd(b *testing.B) {
	h := busyCrew()
	last, _ := h.look("")
	h.update("member-7", func(f *follower) { f.current(snapshotOfPanes(19)) })
	next, _ := h.look("")
	b.Run("difference", func(b *testing.B) {
		for b.Loop() {
			if _, gone := difference(last, next); len(gone.Panes) != 1 {
				b.Fatalf("what differs is %+v", gone)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			before, after := last.snapshot(), next.snapshot()
			if _, gone := api.Diff(&before, &after); len(gone.Panes) != 1 {
				b.Fatalf("what differs is %+v", gone)
			}
		}
	})
}

// BenchmarkClean is what the largest snapshot of a member costs the lead.
func BenchmarkClean(b *testing.B) {
	m := &remote{host: "atlas", mask: mask.New()}
	said := snapshotOfPanes(api.MaxPanes)
	for b.Loop() {
		m.clean(said)
	}
	b.ReportMetric(float64(len(said.Panes)), "panes")
}
