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
			f.show(mesh.Link{State: mesh.StateReachable})
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

// BenchmarkHerd is what a change costs each phone: the herd, and what differs.
func BenchmarkHerd(b *testing.B) {
	h := busyCrew()
	last, _ := h.merged("")
	for b.Loop() {
		next, _ := h.merged("")
		api.Diff(&last, &next)
	}
	b.ReportMetric(float64(len(last.Panes)), "panes")
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
