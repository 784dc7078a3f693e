package storm_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/node/walky"
)

const stormMembers = 20

// A storm is a lead and its members, each with its own journal on the disk, that
// send to each other as fast as they can while some are killed. A machine that is
// killed keeps what its disk held at that moment and nothing else: whatever its
// old self still does reaches nobody.
type storm struct {
	t     *testing.T
	crew  statement.CrewID
	lead  *stormMachine
	by    map[string]*stormMachine
	names []string

	mu    sync.Mutex
	typed map[string]int         // by message, over all lives of its receiver
	acked map[string]walky.State // by message, what its sender was told
	from  map[string]string
}

// A stormMachine is a machine in one of its lives.
type stormMachine struct {
	storm *storm
	id    string
	key   *identity.Identity
	cert  *identity.Certificate

	mu      sync.Mutex
	life    int
	station *walky.Station
	end     context.CancelFunc // of what this life does
	ctx     context.Context
	folder  string
}

// now returns the machine in this life.
func (m *stormMachine) now() (*walky.Station, context.Context, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.station, m.ctx, m.life
}

// stormTerminal types for one life of a machine.
type stormTerminal struct {
	machine *stormMachine
	life    int
}

func (t stormTerminal) Sessions(context.Context) ([]walky.Session, error) {
	return []walky.Session{{Pane: "p1", Harness: "agent", Program: "1"}}, nil
}

var errKilled = errors.New("machine was killed")

func (t stormTerminal) Type(_ context.Context, _, line string, stillThere func() bool) error {
	if !stillThere() {
		return walky.ErrGone
	}
	t.machine.mu.Lock()
	defer t.machine.mu.Unlock()
	if t.machine.life != t.life {
		return errKilled
	}
	id := line[strings.LastIndexByte(line, ' ')+1:]
	t.machine.storm.mu.Lock()
	defer t.machine.storm.mu.Unlock()
	t.machine.storm.typed[id]++
	return nil
}

// stormRoute is what a life of a machine reaches of the others.
type stormRoute struct {
	machine *stormMachine
	life    int
}

func (r stormRoute) SelfMember() string                        { return r.machine.id }
func (r stormRoute) Who(context.Context) ([]walky.Peer, error) { return nil, nil }

// Recall is not what a storm asks for.
func (r stormRoute) Recall(context.Context, string, walky.Recall) (walky.Receipt, error) {
	return walky.Receipt{}, walky.ErrNotSent
}

// Forward is a member's call of the lead, which the death of either loses.
func (r stormRoute) Forward(ctx context.Context, out walky.Outgoing) (walky.Receipt, error) {
	s := r.machine.storm
	e, err := walky.Seal(r.machine.key, s.crew, r.machine.id, out)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	if _, _, life := r.machine.now(); life != r.life {
		return walky.Receipt{}, errKilled
	}
	station, _, life := s.lead.now()
	if station == nil {
		return walky.Receipt{}, walky.ErrNotSent
	}
	receipt, err := s.route(ctx, station, e, r.machine)
	if _, _, now := s.lead.now(); now != life { // it died before it answered
		return walky.Receipt{}, errKilled
	}
	return receipt, err
}

// route is what a lead does with an envelope; see package lead.
func (s *storm) route(ctx context.Context, lead *walky.Station, e walky.Envelope, from *stormMachine) (walky.Receipt, error) {
	now := time.Now()
	v, err := lead.Open(e, walky.Member{CrewID: s.crew, ID: from.id, Certificate: from.cert}, now)
	if err != nil {
		return lead.Reject(from.id, err), nil
	}
	r, fresh, err := lead.Pass(ctx, v)
	if err != nil || !fresh {
		return r, err
	}
	to := s.by[v.Message().To.Member]
	r, err = s.deliver(ctx, to, v, now)
	if err == nil {
		return r, lead.Result(to.id, r)
	}
	r = walky.Receipt{ID: v.Message().ID, State: walky.Unknown, At: now}
	if errors.Is(err, walky.ErrNotSent) {
		r.State, r.Reason = walky.Refused, walky.ReasonUnreachable
	}
	return r, lead.Result("", r)
}

func (s *storm) deliver(ctx context.Context, to *stormMachine, v walky.Verified, now time.Time) (walky.Receipt, error) {
	d, err := walky.Attest(s.lead.key, 3, now, v)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	station, _, life := to.now()
	if station == nil {
		return walky.Receipt{}, walky.ErrNotSent
	}
	r, _ := station.Receive(ctx, d, walky.Receiver{CrewID: s.crew, Generation: 3, MemberID: to.id, Lead: s.lead.id, LeadCert: s.lead.cert, LeadNow: now})
	r.ID = v.Message().ID
	if _, _, after := to.now(); after != life || r.State == "" {
		return walky.Receipt{}, errKilled
	}
	return r, nil
}

func newStorm(t *testing.T) *storm {
	t.Helper()
	s := &storm{
		t: t, crew: statement.CrewID{7}, by: map[string]*stormMachine{},
		typed: map[string]int{}, acked: map[string]walky.State{}, from: map[string]string{},
	}
	for i := range stormMembers + 1 {
		m := &stormMachine{storm: s, id: fmt.Sprintf("m%d", i), folder: filepath.Join(t.TempDir(), "walky")}
		var err error
		if m.key, err = identity.Generate(rand.Reader, time.Now()); err != nil {
			t.Fatal(err)
		}
		if m.cert, err = identity.ParseCertificate(m.key.Certificate()); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			s.lead = m
		} else {
			s.by[m.id] = m
			s.names = append(s.names, m.id)
		}
		m.begin()
	}
	t.Cleanup(func() {
		for _, m := range s.all() {
			m.halt()
		}
	})
	return s
}

func (s *storm) all() []*stormMachine {
	all := []*stormMachine{s.lead}
	for _, id := range s.names {
		all = append(all, s.by[id])
	}
	return all
}

// begin begins a life on what the disk holds.
func (m *stormMachine) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := walky.DefaultLimits()
	l.SendPerSession, l.ReceivePerSession, l.SendPerMachine, l.HeldPerSession = 1e9, 1e9, 1e9, 1e9
	l.Reports = 4096
	l.Journal.Lines, l.Journal.SegmentLines, l.Journal.SegmentBytes = 1e9, 1e6, 1<<30
	station, err := walky.New(walky.Config{
		Folder: m.folder, Terminal: stormTerminal{m, m.life}, Limits: l, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		m.storm.t.Error(err)
		return
	}
	if m != m.storm.lead {
		station.SetRoute(stormRoute{m, m.life})
	}
	m.station = station
	m.ctx, m.end = context.WithCancel(context.Background())
}

// kill ends a life as SIGKILL would, and begins the next one.
func (m *stormMachine) kill() {
	m.mu.Lock()
	old, next := m.station, m.folder+"'"
	m.life++
	m.station = nil
	m.end()
	m.mu.Unlock()
	if err := os.CopyFS(next, os.DirFS(m.folder)); err != nil {
		m.storm.t.Error(err)
	}
	if err := old.Close(); err != nil {
		m.storm.t.Error(err)
	}
	_ = os.RemoveAll(m.folder)
	m.folder = next
	m.begin()
}

func (m *stormMachine) halt() {
	m.mu.Lock()
	station := m.station
	m.end()
	m.mu.Unlock()
	if station != nil {
		if err := station.Close(); err != nil {
			m.storm.t.Error(err)
		}
	}
}
