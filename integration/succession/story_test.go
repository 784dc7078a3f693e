package succession_test

import (
	"context"
	"crypto/rand"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
)

// names are the machines in their order: the first leads at first, the second is
// its deputy.
var names = []string{"atlas", "juno", "iris", "rhea"}

// A founding is the crew that every story starts with, made once.
type founding struct {
	ids     map[string]*identity.Identity
	keys    map[string]sealed.Key
	disks   map[string]disk
	members map[string]string
	devices []trust.Device
}

// found makes a crew that is well: everybody holds the warrant, and the deputy
// its bundle.
func found(t *testing.T, size int) (f *founding) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f = newFounding(t, size) })
	return f
}

func newFounding(t *testing.T, size int) *founding {
	t.Helper()
	f := &founding{ids: map[string]*identity.Identity{}, keys: map[string]sealed.Key{}, disks: map[string]disk{}, members: map[string]string{}}
	now := time.Now()
	for _, name := range names[:size] {
		id, err := identity.Generate(rand.Reader, now)
		if err != nil {
			t.Fatal(err)
		}
		key, err := sealed.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		f.ids[name], f.keys[name] = id, key
		f.disks[name] = disk{lists: map[trust.DeviceList][]trust.Device{
			trust.DevicesOwn: {{Label: "of " + name + " alone", Token: secret.Hash(secret.NewToken(rand.Reader)), CreatedAt: now}},
		}}
	}
	f.devices = []trust.Device{device(now, "pixel"), device(now, "tablet")}
	f.disks[names[0]].lists[trust.DevicesOwn] = f.devices

	crewID, err := statement.NewCrewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	stores := map[string]*trust.Store{}
	change := func(name string, do func(*trust.Crew) (*trust.Crew, error)) {
		t.Helper()
		if err := stores[name].Update(do); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names[:size] {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if stores[name], err = trust.Open(filepath.Join(folder, name, trust.FileName), time.Now); err != nil {
			t.Fatal(err)
		}
	}
	lead := names[0]
	change(lead, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Found(old, trust.Founding{ID: crewID, Name: "barn", Label: lead, Secret: secret.NewKey(rand.Reader)})
	})
	f.members[lead] = stores[lead].Crew().SelfID
	for _, name := range names[1:size] {
		certificate, err := identity.ParseCertificate(f.ids[name].Certificate())
		if err != nil {
			t.Fatal(err)
		}
		token := secret.NewToken(rand.Reader)
		var member trust.Member
		change(lead, func(old *trust.Crew) (next *trust.Crew, err error) {
			if next, _, err = trust.AddInvite(old, secret.Hash(token), now); err != nil {
				return nil, err
			}
			next, member, err = trust.Admit(next, trust.Admission{
				Token: token, Certificate: certificate, Label: name, Addresses: []string{name + ":8788"}, Own: f.ids[lead].Fingerprint(),
			}, now)
			if err != nil {
				return nil, err
			}
			return trust.Confirm(next, certificate.Fingerprint, next.SecretGeneration)
		})
		f.members[name] = member.ID
		crew := stores[lead].Crew()
		change(name, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.Join(old, trust.Joined{
				ID: crew.ID, Name: crew.Name, Generation: crew.Generation, Secret: crew.Secret, SecretGeneration: crew.SecretGeneration,
				Self: trust.Self{SelfID: member.ID, SelfLabel: name},
				Lead: trust.Lead{ID: crew.SelfID, Label: crew.SelfLabel, Fingerprint: f.ids[lead].Fingerprint(), Certificate: f.ids[lead].Certificate(), Addresses: []string{lead + ":8788"}},
			})
		})
	}
	for _, name := range names[:size] {
		data, err := os.ReadFile(filepath.Join(folder, name, trust.FileName))
		if err != nil {
			t.Fatal(err)
		}
		d := f.disks[name]
		d.store = data
		f.disks[name] = d
	}
	// The rest is the protocol's.
	w := begin(t, f)
	w.pass(1)
	w.command(func(ctx context.Context) {
		_, err := w.machines[0].process.Load().standby.NameDeputy(ctx, f.members[names[1]], "https://door.example")
		w.must(err)
	})
	w.pass(2)
	w.end()
	for _, m := range w.machines {
		f.disks[m.name] = m.disk
	}
	return f
}

func device(now time.Time, label string) trust.Device {
	return trust.Device{Label: label, Token: secret.Hash(secret.NewToken(rand.Reader)), CreatedAt: now}
}

// begin starts a crew. It is called in a bubble.
func begin(t *testing.T, f *founding) *world {
	t.Helper()
	w := &world{
		t: t, folder: t.TempDir(), byFP: map[identity.Fingerprint]*machine{}, cut: map[[2]string]bool{}, ids: f.members,
		devices: [][]trust.Device{f.devices}, history: newHistory(), warnings: map[*machine]*warning{}, disturbed: map[[2]string]int{}, sent: map[string]int{},
		faultOfWrite: func(*machine) fault { return noFault }, mishapOf: func(*message) mishap { return noMishap },
		next: func(int) int { return 0 }, interrupt: func() {},
	}
	for _, name := range names[:len(f.ids)] {
		w.must(os.Mkdir(filepath.Join(w.folder, name), 0o700))
		d := f.disks[name]
		m := &machine{world: w, name: name, id: f.ids[name], key: f.keys[name], disk: disk{store: d.store, lists: maps.Clone(d.lists)}}
		w.machines, w.byFP[m.fp()] = append(w.machines, m), m
	}
	for _, m := range w.machines {
		m.start()
	}
	w.settle()
	return w
}

// end stops everything and waits for it.
func (w *world) end() {
	for _, m := range w.machines {
		if p := m.process.Load(); p != nil {
			p.crash()
		}
	}
	for range 3 { // what was told that nobody answers may ask somebody else
		synctest.Wait()
		for _, m := range w.underWay {
			m.done <- reply{nil, mesh.ErrNoReply}
		}
		w.underWay = nil
		time.Sleep(time.Minute)
	}
	w.work.Wait()
	for _, p := range w.processes {
		p.standby.Wait()
	}
}

// command does what a person asked for, in its own time.
func (w *world) command(do func(ctx context.Context)) {
	w.work.Go(func() { do(context.Background()) })
	w.settle()
}

// settle delivers what is under way, one at a time, until nothing is but what is
// late.
func (w *world) settle() {
	w.t.Helper()
	for {
		synctest.Wait()
		w.look()
		if len(w.underWay) > 0 {
			w.interrupt()
		}
		var ready []int
		for i, m := range w.underWay {
			if m.until <= w.tick {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			return
		}
		at := ready[w.next(len(ready))]
		m := w.underWay[at]
		w.underWay = slices.Delete(w.underWay, at, at+1)
		how := noMishap
		if !m.judged {
			how = w.mishapOf(m)
			m.judged = true
		}
		if how == late {
			w.disturbed[between(m.from.machine, m.to)] = w.tick
			w.note("late: %s", m.key())
			m.until = w.tick + 1 + w.next(3)
			w.underWay = append(w.underWay, m)
			continue
		}
		w.deliver(m, how)
	}
}

// pass lets beats go by: everybody says hello to everybody that it has a link
// with, and does what is due.
func (w *world) pass(beats int) {
	w.t.Helper()
	for range beats {
		w.tick++
		time.Sleep(beat)
		w.settle()
		for _, m := range w.machines {
			p := m.process.Load()
			if p == nil {
				continue
			}
			_ = p.store.Flush() // it says so itself, and is tried again with the next beat
			w.greet(p)
		}
		w.settle()
		for _, m := range w.machines {
			if p := m.process.Load(); p != nil {
				p.standby.Step(p.ctx)
				w.settle()
			}
		}
		w.hear()
	}
}

// greet is the beat of a process.
func (w *world) greet(p *process) {
	for _, other := range w.machines {
		if other != p.machine && w.linked(p, other) {
			w.work.Go(func() { _ = p.hello(p.ctx, other.fp()) })
		}
	}
}

// linked says whether a process has a link to another machine: one of them dials.
func (w *world) linked(p *process, to *machine) bool {
	if w.reached(p, to.fp()) == nil {
		return false
	}
	return dials(p.store.Crew(), to) || dials(to.crew(), p.machine)
}

func dials(crew *trust.Crew, to *machine) bool {
	for peer := range crew.Peers() {
		if peer.Fingerprint == to.fp() {
			return true
		}
	}
	return false
}
