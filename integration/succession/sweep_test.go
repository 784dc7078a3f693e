package succession_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/secret"
	"collie/mesh/trust"
)

// A story is told once without faults, and then once for each fault at each
// write and message from its climax to window beats after what follows it.
type story struct {
	name string
	// prepare leads to the climax, and is told without faults. climax is repeated
	// with each beat until the lead is the one who is to lead.
	prepare func(*world)
	climax  func(*world)
	leads   string
	after   func(*world) // with the beats that follow
}

const (
	window   = 3  // beats
	patience = 24 // beats, until the climax has come about
	outage   = 3  // beats that a machine is down, or a link is cut
)

var stories = []story{
	{
		name: "takeover", leads: "juno",
		prepare: func(w *world) {
			w.named("rhea").process.Load().crash() // away all the time
			w.named("atlas").process.Load().crash()
			w.pass(8)
		},
		climax: func(w *world) {
			p := w.named("juno").process.Load()
			if p == nil || !p.standby.View().Armed {
				return
			}
			w.tap(p, false)
		},
		after: func(w *world) { w.named("atlas").start(); w.named("rhea").start() },
	},
	{
		name: "promotion", leads: "iris",
		prepare: func(w *world) {
			w.named("rhea").process.Load().crash()
			w.pass(1)
		},
		climax: func(w *world) {
			atlas, iris := w.named("atlas").process.Load(), w.named("iris").process.Load()
			if atlas == nil || iris == nil {
				return
			}
			if atlas.store.Crew().Role == trust.RoleLead {
				_, _ = atlas.standby.Approve(w.ids["iris"]) // it is repeated
			}
			w.command(func(ctx context.Context) { _, _ = iris.standby.Promote(ctx) }) // and so is this
		},
		after: func(w *world) { w.named("rhea").start() },
	},
	{
		name: "a deputy and a device change", leads: "atlas",
		prepare: func(w *world) { w.pass(1) },
		climax: func(w *world) {
			atlas := w.named("atlas")
			p := atlas.process.Load()
			if p == nil {
				return
			}
			w.pair(atlas, append(atlas.devices()[1:2:2], trust.Device{Label: "new", Token: secret.Hash("new"), CreatedAt: time.Now()}))
			w.command(func(ctx context.Context) { _, _ = p.standby.NameDeputy(ctx, w.ids["iris"], "") }) // it may be refused
		},
		after: func(*world) {},
	},
}

func (w *world) named(name string) *machine {
	i := slices.IndexFunc(w.machines, func(m *machine) bool { return m.name == name })
	return w.machines[i]
}

// told tells a story with what goes wrong in it.
func (s story) told(t *testing.T, f *founding, note string, setUp func(*world)) *world {
	w := begin(t, f)
	w.note("%s, %s", s.name, note)
	s.prepare(w)
	setUp(w)
	down := map[*machine]int{}
	for i := 0; i < patience && (i < window || !w.named(s.leads).serves()); i++ {
		if !w.named(s.leads).serves() || s.leads == "atlas" && i == 0 {
			s.climax(w)
		}
		w.pass(1)
		for _, m := range w.machines {
			if m.process.Load() != nil || m.name == "rhea" || s.leads == "juno" && m.name == "atlas" {
				continue
			}
			if down[m]++; down[m] > outage {
				down[m] = 0
				m.start()
				w.settle()
			}
		}
		if w.tick > w.mended {
			clear(w.cut)
		}
	}
	if !w.named(s.leads).serves() {
		w.fail("%s does not lead", s.leads)
	}
	s.after(w)
	w.pass(window)
	w.heal()
	w.pass(6)
	w.atRest()
	w.end()
	return w
}

func TestEveryFaultAtEveryWriteAndMessageOfASuccession(t *testing.T) {
	t.Parallel()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			crew := found(t, 4)
			var writes, messages []string
			synctest.Test(t, func(t *testing.T) {
				s.told(t, crew, "no faults", func(w *world) {
					w.faultOfWrite = func(m *machine) fault { writes = append(writes, w.numbered(m)); return noFault }
					w.mishapOf = func(m *message) mishap { messages = append(messages, m.key()); return noMishap }
				})
			})
			for _, at := range writes {
				for f := noFault + 1; f < allFaults; f++ {
					synctest.Test(t, func(t *testing.T) {
						s.told(t, crew, fmt.Sprintf("%s at %s", f, at), func(w *world) {
							w.faultOfWrite = func(m *machine) fault {
								if w.numbered(m) == at {
									return f
								}
								return noFault
							}
						})
					})
				}
			}
			for _, at := range messages {
				for f := noMishap + 1; f < allMishaps; f++ {
					synctest.Test(t, func(t *testing.T) {
						s.told(t, crew, fmt.Sprintf("%s: %s", f, at), func(w *world) {
							w.mishapOf = func(m *message) mishap {
								if m.key() != at {
									return noMishap
								}
								return f
							}
						})
					})
				}
			}
			t.Logf("%d writes, %d messages", len(writes), len(messages))
		})
	}
}
