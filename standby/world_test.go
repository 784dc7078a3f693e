package standby_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/standby"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	beat = 5 * time.Second
	arm  = 30 * time.Second
)

// A world is a crew in memory: real stores, keys and statements, a network of
// function calls, and a clock that moves when a test says so.
type world struct {
	t     *testing.T
	mu    sync.Mutex // guards now, nodes and cut
	now   time.Time
	nodes map[string]*machine
	byFP  map[identity.Fingerprint]*machine
	cut   map[[2]string]bool
}

// A machine is one node of a world.
type machine struct {
	name    string
	world   *world
	path    string
	disk    *diskfault.Disk
	id      *identity.Identity
	key     sealed.Key
	store   *trust.Store
	standby *standby.Standby
	up      bool
	// turnedAway says that the lead refuses its secret.
	turnedAway bool

	mu      sync.Mutex // guards what follows
	devices []trust.Device
	full    bool // the list of devices cannot be written
	entries []standby.Entry
	forgot  []trust.DeviceList
	links   map[identity.Fingerprint]mesh.Link
}

func newWorld(t *testing.T) *world {
	return &world{
		t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), nodes: map[string]*machine{},
		byFP: map[identity.Fingerprint]*machine{}, cut: map[[2]string]bool{},
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// calls is a call of one machine at another that may make it, without a link.
func (w *world) calls(from, to *machine, route string, in any) ([]byte, error) {
	w.t.Helper()
	body, err := json.Marshal(in)
	w.must(err)
	answer, known, err := to.standby.Serve(w.t.Context(), from.fp(), route, body)
	if !known {
		w.t.Fatalf("%s may not be called by this machine", route)
	}
	return answer, err
}

// machine makes a solo node.
func (w *world) machine(name string) *machine {
	w.t.Helper()
	id, err := identity.Generate(rand.Reader, w.now)
	w.must(err)
	key, err := sealed.NewKey()
	w.must(err)
	m := &machine{name: name, world: w, id: id, key: key, path: filepath.Join(w.t.TempDir(), trust.FileName), disk: &diskfault.Disk{}}
	w.nodes[name], w.byFP[id.Fingerprint()] = m, m
	m.start()
	w.t.Cleanup(func() { m.standby.Wait() }) // before its folder goes
	return m
}

// start runs the node, from what is on its disk.
func (m *machine) start() {
	m.world.t.Helper()
	store, err := trust.OpenOn(m.disk, m.path, m.world.clock)
	m.world.must(err)
	m.store, m.up, m.links = store, true, map[identity.Fingerprint]mesh.Link{}
	m.standby = standby.New(standby.Config{
		Store: store, Key: func() (sealed.Key, error) { return m.key, nil }, Arm: arm, Beat: beat,
		Addresses: func() []string { return []string{m.name + ":8788"} },
		Devices:   func() ([]trust.Device, error) { m.mu.Lock(); defer m.mu.Unlock(); return m.devices, nil },
		Adopt: func(devices []trust.Device) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.full {
				return errors.New("disk full")
			}
			m.devices = devices
			return nil
		},
		Forget: func(lists []trust.DeviceList) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.forgot = append(m.forgot, lists...)
			return nil
		},
		Opened: func(context.Context) (string, error) {
			if err := m.standby.SettleDevices(); err != nil {
				return "", err
			}
			return "https://" + m.name + ".example", nil
		},
		Audit: func(e standby.Entry) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.entries = append(m.entries, e)
			return nil
		},
		Now: m.world.clock, Log: slog.New(slog.DiscardHandler),
	})
	m.standby.Begin(standby.Node{Identity: m.id, Peers: peers{m}})
}

// stop ends the node as a crash does.
func (m *machine) stop() {
	m.standby.Wait()
	m.up = false
}

func (m *machine) fp() identity.Fingerprint { return m.id.Fingerprint() }

func (m *machine) crew() *trust.Crew { return m.store.Crew() }

// pass lets time go by, a beat at a time: every machine says hello to everybody
// that it pins, and does what is due.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	for gone := time.Duration(0); gone < d; gone += beat {
		w.mu.Lock()
		w.now = w.now.Add(min(beat, d-gone))
		w.mu.Unlock()
		w.beat()
	}
}

func (w *world) beat() {
	for range 2 { // what one learns another one may need
		for _, m := range w.order() {
			if !m.up || m.crew() == nil {
				continue
			}
			for p := range m.crew().Peers() {
				_ = m.hello(p.Fingerprint)
			}
			for _, e := range m.crew().Ended { // who may have dialled
				_ = m.hello(e.Fingerprint)
			}
		}
		for _, m := range w.order() {
			if m.up {
				m.standby.Step(w.t.Context())
				m.standby.Wait()
			}
		}
	}
}

func (w *world) order() []*machine {
	var all []*machine
	for _, name := range []string{"atlas", "juno", "iris", "rhea"} {
		if m := w.nodes[name]; m != nil {
			all = append(all, m)
		}
	}
	return all
}

// sever cuts two machines off from each other, mend undoes it.
func (w *world) sever(a, b string) { w.mu.Lock(); w.cut[[2]string{a, b}] = true; w.mu.Unlock() }

func (w *world) mend(a, b string) { w.mu.Lock(); delete(w.cut, [2]string{a, b}); w.mu.Unlock() }

// join makes a machine a member of a lead.
func (w *world) join(lead, m *machine) {
	w.t.Helper()
	token := secret.NewToken(rand.Reader)
	certificate, err := identity.ParseCertificate(m.id.Certificate())
	w.must(err)
	var member trust.Member
	w.must(lead.store.Update(func(old *trust.Crew) (next *trust.Crew, err error) {
		if next, _, err = trust.AddInvite(old, secret.Hash(token), w.now); err != nil {
			return nil, err
		}
		next, member, err = trust.Admit(next, trust.Admission{
			Token: token, Certificate: certificate, Label: m.name, Addresses: []string{m.name + ":8788"}, Own: lead.fp(),
		}, w.now)
		return next, err
	}))
	crew := lead.crew()
	w.must(m.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Join(old, trust.Joined{
			ID: crew.ID, Name: crew.Name, Generation: crew.Generation, Secret: crew.Secret, SecretGeneration: crew.SecretGeneration,
			Self: trust.Self{SelfID: member.ID, SelfLabel: m.name},
			Lead: trust.Lead{ID: crew.SelfID, Label: crew.SelfLabel, Fingerprint: lead.fp(), Certificate: lead.id.Certificate(), Addresses: []string{lead.name + ":8788"}},
		})
	}))
	w.must(m.hello(lead.fp()))
}

// crewOf makes a crew: the first leads, the second is its deputy, the phone
// pixel is paired with the token "good", and everybody is up to date.
func crewOf(t *testing.T, names ...string) *world {
	t.Helper()
	w := newWorld(t)
	lead := w.machine(names[0])
	id, err := statement.NewCrewID(rand.Reader)
	w.must(err)
	w.must(lead.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Found(old, trust.Founding{ID: id, Name: "crew", Label: names[0], Secret: secret.NewKey(rand.Reader)})
	}))
	lead.devices = []trust.Device{
		{Label: "pixel", Token: secret.Hash("good"), CreatedAt: w.now},
		{Label: "tablet", Token: secret.Hash("old"), CreatedAt: w.now, ExpiresAt: w.now.Add(time.Second)},
	}
	for _, name := range names[1:] {
		w.join(lead, w.machine(name))
	}
	w.pass(beat)
	if len(names) > 1 {
		_, err := lead.standby.NameDeputy(t.Context(), names[1], "https://door.example")
		w.must(err)
		w.pass(beat)
	}
	return w
}

// snapshot is what every store says.
func (w *world) snapshot() map[string]trust.Crew {
	all := map[string]trust.Crew{}
	for name, m := range w.nodes {
		all[name] = *m.crew()
	}
	return all
}

func (w *world) unchanged(what string, before map[string]trust.Crew) {
	w.t.Helper()
	for name, m := range w.nodes {
		if !reflect.DeepEqual(before[name], *m.crew()) {
			w.t.Errorf("%s: the store of %s has changed", what, name)
		}
	}
}

// refused checks the stable code of a refusal.
func refused(t *testing.T, what string, err error, want *api.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want.Code)
	}
}

// leads says who leads, by every store that is up.
func (w *world) leads(what, name string) {
	w.t.Helper()
	lead := w.nodes[name]
	for _, m := range w.order() {
		if !m.up {
			continue
		}
		crew := m.crew()
		switch {
		case m == lead && crew.Role != trust.RoleLead:
			w.t.Errorf("%s: %s does not lead: %s", what, name, crew.Role)
		case m != lead && (crew.Role != trust.RoleMember || crew.Lead.Fingerprint != lead.fp()):
			w.t.Errorf("%s: %s does not follow %s: %s", what, m.name, name, crew.Role)
		}
	}
}
