// Package succession_test runs the protocol of succession, package standby on
// real stores, keys and statements, in memory: machines whose disks and whose
// network do what a schedule says, in the bubble of a synctest clock. A schedule
// comes from a seed, or is one fault at one write or message of a fixed story.
//
// The world delivers one message at a time and lets everything settle after it,
// so a schedule gives the same run each time. A failure prints its seed, and
// go test ./integration/succession -run AnySchedule -seed N tells it again.
package succession_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/standby"
)

const (
	beat = 5 * time.Second
	arm  = 30 * time.Second
)

// A world is some machines and what is between them. All of it is used by the
// goroutine that tells the story, while every other one waits for a message or
// for time to pass; but for what mu guards.
type world struct {
	t        testing.TB
	folder   string
	machines []*machine
	byFP     map[identity.Fingerprint]*machine
	cut      map[[2]string]bool
	ids      map[string]string // member ids, by machine
	// devices are the lists of paired devices since the last change of lead, the
	// last one is what the crew has; heard is the one that the lead says its deputy
	// holds.
	devices  [][]trust.Device
	heard    int
	history  history
	warnings map[*machine]*warning
	// disturbed is when two machines were last kept from each other.
	disturbed map[[2]string]int

	// What goes wrong at the next write of a machine, and with a message; and which
	// of n messages comes next.
	faultOfWrite func(*machine) fault
	mishapOf     func(*message) mishap
	next         func(n int) int
	interrupt    func()

	tick      int // the beats that have passed
	mended    int // the last tick in which a link is cut
	processes []*process

	mu       sync.Mutex // guards what follows
	underWay []*message
	sent     map[string]int
	log      []string

	work sync.WaitGroup
}

// A machine is a node, running or not.
type machine struct {
	world   *world
	name    string
	id      *identity.Identity
	key     sealed.Key
	disk    disk
	process atomic.Pointer[process] // nil while it is down
	writes  int
	backup  []byte // of the store, or nil
}

// A process is one run of a machine's node.
type process struct {
	machine *machine
	store   *trust.Store
	standby *standby.Standby
	session *session
	ctx     context.Context
	cancel  context.CancelFunc
	dead    atomic.Bool
	asking  bool        // the boot gate has been begun
	open    atomic.Bool // the front door serves

	mu    sync.Mutex // guards links
	links map[identity.Fingerprint]mesh.Link
}

func (m *machine) fp() identity.Fingerprint { return m.id.Fingerprint() }

func (m *machine) addresses() []string { return []string{m.name + ":8788"} }

// crew returns what a machine that runs is, or nil.
func (m *machine) crew() *trust.Crew {
	p := m.process.Load()
	if p == nil {
		return nil
	}
	return p.store.Crew()
}

// putBack puts the backup back of a machine that follows the same lead now as it
// did then, and says whether it did. What a lead has forgotten only people know,
// and who missed a change of lead twice may have to join again.
func (m *machine) putBack() bool {
	if lead := followed(m.backup); lead == "" || lead != followed(m.disk.store) {
		return false
	}
	data, err := trust.RestoredFile(m.backup, false)
	m.world.must(err)
	m.disk.store = data
	return true
}

// followed returns the member id of the lead in the file of a store, "" if none.
func followed(store []byte) string {
	var crew struct{ Lead trust.Lead }
	if json.Unmarshal(store, &crew) != nil {
		return ""
	}
	return crew.Lead.ID
}

// start runs the node from what is on the disk.
func (m *machine) start() {
	w := m.world
	path := filepath.Join(w.folder, m.name, trust.FileName)
	w.must(os.WriteFile(path, m.disk.store, 0o600))
	p := &process{machine: m, links: map[identity.Fingerprint]mesh.Link{}}
	p.session = &session{process: p, files: map[string][]byte{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var err error
	p.store, err = trust.OpenOn(p.session, path, time.Now)
	w.must(err)
	p.standby = standby.New(standby.Config{
		Store: p.store, Key: func() (sealed.Key, error) { return m.key, nil }, Arm: arm, Beat: beat, Addresses: m.addresses,
		Devices: func() ([]trust.Device, error) { return m.disk.lists[p.store.Crew().Devices()], nil },
		Adopt:   p.session.adopt, Forget: p.session.forget,
		Opened: p.opened,
		Audit:  func(standby.Entry) error { return nil },
		Now:    time.Now, Log: slog.New(slog.DiscardHandler),
	})
	m.process.Store(p)
	w.disturb(m)
	w.processes = append(w.processes, p)
	p.standby.Begin(standby.Node{Identity: m.id, Peers: p})
}

// crash ends the process in the middle of whatever it does.
func (p *process) crash() {
	if p.dead.Swap(true) {
		return
	}
	p.cancel()
	p.machine.process.Store(nil)
	p.machine.world.disturb(p.machine)
	p.machine.world.note("%s crashes", p.machine.name)
}

// disturb notes that a machine was not there for anybody.
func (w *world) disturb(m *machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.machines {
		w.disturbed[between(m, other)] = w.tick
	}
}

// serves says whether a machine's front door serves as the lead's.
func (m *machine) serves() bool {
	p := m.process.Load()
	return p != nil && p.store.Crew().Role == trust.RoleLead && p.open.Load()
}

// opened waits for the front door, as the daemon does.
func (p *process) opened(ctx context.Context) (string, error) {
	for !p.machine.serves() || p.dead.Load() {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(beat / 10):
		}
	}
	return "https://" + p.machine.name + ".example", nil
}

// play gives a process what its role needs: the gate before a front door.
func (p *process) play() {
	if crew := p.store.Crew(); crew.Role != trust.RoleLead {
		p.asking = false
		p.open.Store(false)
		return
	}
	if p.asking {
		return
	}
	p.asking = true
	p.machine.world.work.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, standby.GatePatience)
		defer cancel()
		for _, m := range p.store.Crew().Members {
			_ = p.hello(ctx, m.Fingerprint)
		}
		for p.standby.SettleDevices() != nil {
			select {
			case <-p.ctx.Done():
				return
			case <-time.After(beat / 5):
			}
		}
		p.open.Store(p.store.Crew().Role == trust.RoleLead)
	})
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.fail("%v", err)
	}
}

func (w *world) note(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, time.Now().UTC().Format("04:05.0 ")+fmt.Sprintf(format, values...))
}

// fail ends the story and tells it.
func (w *world) fail(format string, values ...any) {
	w.t.Helper()
	for _, m := range w.machines {
		if crew := m.crew(); crew != nil {
			follows := ""
			if crew.Lead != nil {
				follows = crew.Lead.ID
			}
			said, _ := crew.Warrant.Said()
			w.note("%s is %s of generation %d, serves %v, follows %q, the deputy is %q", m.name, crew.Role, crew.Generation, m.serves(), follows, said.Deputy)
		}
	}
	for _, line := range w.log {
		w.t.Log(line)
	}
	w.t.Errorf(format, values...)
	w.end()
	w.t.FailNow()
}
