package walky

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"collie/node/walky/journal"
)

// A Config is what a station is made of. Every field but Audit and Changed is
// needed.
type Config struct {
	Folder   string // <state>/walky, made when it is missing
	Terminal Terminal
	Limits   Limits
	Off      bool // COLLIE_WALKY=off: refuse every message to a session of this machine
	Now      func() time.Time
	Rand     io.Reader
	Log      *slog.Logger
	// Audit is called for every message that was sent or taken or refused here.
	Audit func(Event)
	// Changed is called when a message for a pane of this machine came or
	// changed its state. It must return soon and not call the station.
	Changed func(pane string)
}

// An Event is one for the audit log. It holds no text that a peer worded.
type Event struct {
	Action  string // walky.send, walky.receive, walky.through, walky.cancel
	ID      string // of the message, empty when it could not be read
	Pane    string // of this machine, empty for a person
	Host    string // the other machine, empty when there is none
	Device  string // label of the phone that a person wrote on, empty for none
	Outcome string // a state and its reason
}

// A Station is this machine's part in walky-talky. It is safe for concurrent
// use.
type Station struct {
	terminal  Terminal
	limits    Limits
	off       bool
	now       func() time.Time
	random    io.Reader
	drawing   sync.Mutex // guards rising
	rising    *ulid.MonotonicEntropy
	log       *slog.Logger
	audit     func(Event)
	notify    func(pane string)
	journal   *journal.Journal
	instances *instances

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // deliveries, forwards and the keeper
	wake   chan struct{}  // tells the keeper that something is held

	// since is set when the journal was found damaged: a message of another
	// machine that was signed before may be one that is no more in it.
	since time.Time

	mu       sync.Mutex // guards all below; never held over disk, terminal or route
	closed   bool
	route    Route
	messages map[string]*message // what the journal holds
	lanes    map[string]*lane    // by pane: what waits to be typed
	caps     caps
	readers  map[chan Report]struct{}
	arrived  chan struct{} // closed and replaced when the inbox of a pane changes
}

// New opens the journal and goes on with what was held. Whatever was being
// typed or forwarded when the machine died is unknown from here on.
func New(c Config) (*Station, error) {
	if err := c.Limits.check(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(c.Folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cannot make the folder of walky messages: %w", err)
	}
	random := &lockedReader{from: c.Rand}
	known, err := openInstances(filepath.Join(c.Folder, "instances.json"), c.Limits.Panes, random, c.Now, c.Log)
	if err != nil {
		return nil, err
	}
	s := &Station{
		rising:   ulid.Monotonic(random, 0),
		terminal: c.Terminal, limits: c.Limits, off: c.Off, now: c.Now, random: random, log: c.Log,
		audit: c.Audit, notify: c.Changed, instances: known,
		wake:     make(chan struct{}, 1),
		messages: map[string]*message{},
		lanes:    map[string]*lane{},
		caps:     caps{window: c.Limits.Window, seen: map[capKey][]time.Time{}},
		readers:  map[chan Report]struct{}{},
		arrived:  make(chan struct{}),
	}
	if s.audit == nil {
		s.audit = func(Event) {}
	}
	if s.notify == nil {
		s.notify = func(string) {}
	}
	s.journal, err = journal.Open(filepath.Join(c.Folder, "journal"), c.Limits.Journal, steady(c.Now), c.Log, s.load)
	if err != nil {
		return nil, err
	}
	doubted := map[string]bool{}
	for _, damage := range s.journal.Damage() {
		doubted[damage.Origin], s.since = true, c.Now()
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.resume(doubted); err != nil {
		s.cancel()
		return nil, errors.Join(err, s.journal.Close())
	}
	s.work.Go(s.keep)
	return s, nil
}

// steady is how long a clock has run. That of the operating system, which tells its
// times with a second, monotonic reading, does not jump here when it is set.
func steady(now func() time.Time) func() time.Duration {
	began := now()
	return func() time.Duration { return now().Sub(began) }
}

// Close ends every delivery, waits for it, and closes the journal. What was not
// typed yet is held and goes on with the next New.
func (s *Station) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
	s.mu.Lock()
	for reader := range s.readers {
		s.unsubscribe(reader)
	}
	s.mu.Unlock()
	return s.journal.Close()
}

// SetRoute says how to reach other machines; nil while this one is solo.
func (s *Station) SetRoute(route Route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.route = route
}

// way is how other machines are reached now, nil while this one is solo.
func (s *Station) way() Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.route
}

// load takes a line of the journal. A change that does not follow from the
// state before was overtaken by another one and is passed over.
func (s *Station) load(line journal.Line) error {
	m := s.messages[line.ID]
	if line.Opens {
		opened, _, err := readOpening(line)
		if err == nil && (m == nil || m.content != opened.content) {
			s.messages[line.ID] = opened
		}
		return err
	}
	c, err := readChange(line)
	if err == nil && m != nil && m.decided.may(c.State) {
		m.decided = c.State
		m.shown = Receipt{ID: m.id, State: c.State, Reason: c.Reason, At: line.At}
	}
	return err
}

// resume settles what a crash left open. What is held of an origin whose lines
// were damaged may have been typed, so it is not typed again. What is held while
// walky is off waits for turnAway.
func (s *Station) resume(doubted map[string]bool) error {
	lines := map[string][]journal.Line{}
	now := s.now()
	for _, m := range s.messages {
		if m.decided == Held && m.at.After(now) { // the clock was set back; it is held for no longer because of that
			m.at = now
		}
		var c change
		switch {
		case m.decided == Accepted, m.decided == Held && doubted[m.origin()]:
			c = change{State: Unknown}
		case m.decided == Held && m.local() && !s.off && now.Sub(m.at) < s.limits.HeldFor:
			s.enqueue(m)
			continue
		default:
			continue
		}
		line, err := m.changeLine(now, c)
		if err != nil {
			return err
		}
		lines[m.origin()] = append(lines[m.origin()], line)
		m.decided = c.State
		m.shown = Receipt{ID: m.id, State: c.State, Reason: c.Reason, At: now}
	}
	for machine, group := range lines {
		// What cannot be recorded is found open again by the next start.
		if err := s.journal.Append(group...); err != nil {
			s.log.Error("what was left open is unknown, and that could not be recorded", "machine", machine, "error", err)
		}
	}
	for _, l := range s.lanes {
		l.sort()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pane := range s.lanes {
		s.kick(pane)
	}
	return nil
}

// Damaged names the lines of the journal that were found damaged at the start.
func (s *Station) Damaged() []journal.Damage { return s.journal.Damage() }

func (s *Station) observe(ctx context.Context) ([]Session, error) {
	return s.instances.observe(ctx, s.terminal)
}

// look is observe for a caller whose context says how long it waits for a
// receipt, and not whether there is a message.
func (s *Station) look(ctx context.Context) ([]Session, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limits.TypeFor)
	defer cancel()
	return s.observe(ctx)
}

// drawID draws the id of a new message: a ULID. Those of one millisecond rise, so
// that their order is that of sending.
func (s *Station) drawID(now time.Time) (string, error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	id, err := ulid.New(ulid.Timestamp(now), s.rising)
	if err != nil {
		return "", fmt.Errorf("cannot draw the id of a message: %w", err)
	}
	return id.String(), nil
}

// lockedReader lets one source of randomness serve all.
type lockedReader struct {
	mu   sync.Mutex
	from io.Reader
}

func (r *lockedReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.Read(p)
}
