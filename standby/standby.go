// Package standby is the succession of leads: who may take over when the lead
// falls silent, how it does, and how everybody comes to follow the one lead that
// there is then. Spec words: warrant, bundle, probe, decision, commit, chain,
// deposition, handover.
//
// A lead keeps its members supplied with its warrant, and its deputy with the
// bundle. A member remembers when its lead last called, and answers the deputy
// that question. A deputy opens the standby door when the lead is silent, and
// carries out the tap. Whoever is shown a chain of changes that verifies follows
// it, a lead that is shown its own word against itself included. Nobody elects
// anything: silence arms a door, a person opens it.
//
// Invariants: all state is in the trust store, and each step is one change of it
// by a pure function of mesh/trust, so that a crash is between two steps and
// never in one. What was signed leaves the node after the change that speaks of
// it is stored. What this package remembers besides (when the lead called, what
// was sent to whom, the opened bundle, a tap under way) may be lost at any
// moment and costs a repetition. It speaks to other nodes through Peers alone,
// and reads no clock but the one that it is given.
//
// Use: New once; Begin and End around each role that the node plays with an open
// link, Step to do what is due, Wait for what Step began; Run does the first
// three. The routes of Routes are served besides those of lead and member.
package standby

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/mesh/trust"
	"collie/node/api"
)

// Config is what a Standby needs. Everything is required.
type Config struct {
	Store *trust.Store
	// Key returns this node's age key, which opens the bundle.
	Key func() (sealed.Key, error)
	// Arm is the silence of the lead that arms the door; it counts as
	// ArmBeatsLeast beats at least. Beat is how often a lead calls.
	Arm, Beat time.Duration
	// Addresses are where this node can be dialled.
	Addresses func() []string
	// Devices lists the paired devices of this node, which leads.
	Devices func() ([]trust.Device, error)
	// Adopt makes devices the list of the lead that this node has become, on the
	// disk. Forget deletes the lists of roles that have ended. Both are repeated
	// until they succeed.
	Adopt  func(devices []trust.Device) error
	Forget func(lists []trust.DeviceList) error
	// Opened waits until the front door serves as the lead's, and returns its
	// address.
	Opened func(ctx context.Context) (url string, err error)
	// Audit writes a step down before it is taken. An error refuses a takeover
	// and a promotion, and nothing that is proven.
	Audit func(Entry) error
	// Now is the clock. Differences between two of its times do not count the
	// sleep of the machine; see time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// An Entry is one line of the audit log.
type Entry struct {
	Action  string // crew.deputy, crew.takeover, crew.follow, crew.depose, crew.handover, …
	Member  string // the member that it is about
	Device  string // the phone that asked for it
	Via     string // crew, cli, phone
	What    string
	Outcome string // accepted, done, refused, failed
}

// A Node is who this node is on its link, and whom it reaches over it.
type Node struct {
	Identity *identity.Identity
	Peers    Peers
}

// A Standby is one node's part in successions, whatever its role is. It is safe
// for concurrent use.
type Standby struct {
	Config
	silence *silence
	wake    chan struct{} // something may be due
	calls   sync.WaitGroup

	// settling is held while the lists of devices are put in order, so that no
	// list is written or deleted by what was true before another one was.
	settling sync.Mutex

	mu     sync.Mutex // guards what follows; never held over a call or a write
	node   *Node      // nil while no link is open
	began  time.Time  // when the node began to play its role
	busy   map[identity.Fingerprint]bool
	told   map[identity.Fingerprint]held // what members have confirmed to hold
	opened opened
	tap    *tap
	failed time.Time // when the last try to reach the silent lead failed
	turned time.Time // since when the new lead turns this former one away
	// settled is the list of devices that counts since the others were deleted.
	settled *trust.DeviceList
}

// New returns a node's part.
func New(config Config) *Standby {
	config.Arm = max(config.Arm, ArmBeatsLeast*config.Beat)
	return &Standby{
		Config: config, silence: newSilence(config.Now), wake: make(chan struct{}, 1),
		busy: map[identity.Fingerprint]bool{}, told: map[identity.Fingerprint]held{},
	}
}

// Begin says that the node plays a role over a link, until End.
func (s *Standby) Begin(node Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.node, s.began = &node, s.Now()
	clear(s.told)
	s.failed = time.Time{}
	if crew := s.Store.Crew(); crew != nil && crew.Lead != nil {
		s.silence.of(crew.Lead.Fingerprint) // it counts from now if the lead has never called
	}
}

// End says that the role is over.
func (s *Standby) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.node = nil
}

// Wake makes a Run that waits look at once.
func (s *Standby) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it knows
	}
}

// Wait waits for the calls that Step has begun.
func (s *Standby) Wait() { s.calls.Wait() }

// Heard notes that a peer called this node's hello with both factors right, and
// spoke of a generation. It writes when a former lead learns by it that the new
// one leads; it does not call.
func (s *Standby) Heard(peer identity.Fingerprint, generation uint64) {
	crew := s.Store.Crew()
	if crew != nil && crew.Restored {
		err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Shown(old, peer, generation) })
		if err != nil {
			s.Log.Warn("that a peer has shown how far the crew has counted could not be stored", "error", err)
		}
	}
	if crew.Grade(peer) != trust.GradeLead {
		return
	}
	s.silence.call(peer)
	if crew.HandedOver == nil {
		return
	}
	err := s.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HandoverConfirmed(old, peer, generation) })
	if err != nil {
		s.Log.Warn("that the new lead has the crew could not be stored", "error", err)
	}
}

// SilentFor returns how long the lead of this member has been silent.
func (s *Standby) SilentFor() (time.Duration, bool) {
	crew := s.Store.Crew()
	if crew == nil || crew.Lead == nil {
		return 0, false
	}
	return s.silence.of(crew.Lead.Fingerprint), true
}

// current returns the node and its crew, or an error while there is no link.
func (s *Standby) current() (Node, *trust.Crew, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	crew := s.Store.Crew()
	if crew == nil {
		return Node{}, nil, api.ErrWrongRole.With(trust.ErrSolo.Error())
	}
	if s.node == nil {
		return Node{}, nil, api.ErrCrewUnavailable
	}
	return *s.node, crew, nil
}

// audit writes an entry, and logs when that fails.
func (s *Standby) audit(e Entry) error {
	if e.Via == "" {
		e.Via = "crew"
	}
	err := s.Audit(e)
	if err != nil {
		s.Log.Error("a step of a succession could not be audited", "action", e.Action, "error", err)
		return api.ErrAuditUnavailable
	}
	return nil
}

// audited takes a step that is written down before, and once more with what it was
// refused for when it was.
func (s *Standby) audited(e Entry, do func() error) error {
	e.Outcome = "accepted"
	if err := s.audit(e); err != nil {
		return err
	}
	err := do()
	if err != nil {
		e.What, e.Outcome = "", outcomeOf(err)
		_ = s.audit(e) // it has failed already
	}
	return err
}

// outcomeOf is how a step ended, for the audit log.
func outcomeOf(err error) string {
	switch {
	case errors.As(err, new(*api.Error)):
	case unsaved(err):
		return api.ErrUnsaved.Code
	case errors.Is(err, trust.ErrNotStored):
		return api.ErrCannotStore.Code
	}
	return api.AsError(err).Code
}

// unsaved says that a change counts though the disk has not taken it yet.
func unsaved(err error) bool { return errors.As(err, new(*trust.UnsavedError)) }
