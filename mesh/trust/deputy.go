package trust

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

// Named refusals of a naming.
var (
	// ErrNotEnrolled says that a member has not confirmed that it follows.
	ErrNotEnrolled = errors.New("that member is not enrolled in full")
	// ErrStaleSecret says that a member does not hold the current secret.
	ErrStaleSecret = errors.New("that member does not hold the current crew secret")
	// ErrDoorURL says that a text is not the URL of a standby door.
	ErrDoorURL = errors.New("not the URL of a standby door: want https, or http to a loopback name, without a path")
	// ErrNotHigher says that a warrant is not above what this lead has signed.
	ErrNotHigher = errors.New("this lead has signed a warrant of that generation")
	// ErrDeputyStands says that another deputy may take over, and has first to be
	// told that it may not.
	ErrDeputyStands = errors.New("another deputy stands, and has to hear first that it is no more")
	// ErrGenerations says that the generations are used up.
	ErrGenerations = errors.New("there is no generation left to count")
)

// StandingDeputy returns who may take over from a lead: whom its warrant names,
// unless that is dead.
func (c *Crew) StandingDeputy(now time.Time) (id string, fp identity.Fingerprint, stands bool) {
	if c == nil || c.Role != RoleLead {
		return "", fp, false
	}
	said, some := c.Warrant.Said()
	if !some || said.NamesNobody() || errors.Is(CheckLive(said, now), ErrWarrantDead) {
		return "", fp, false
	}
	return said.Deputy, said.DeputyFingerprint, true
}

// checkSuccessor refuses with ErrDeputyStands to give the crew to a node while
// another deputy may take over: it would lead the same generation, and neither
// would yield.
func (c *Crew) checkSuccessor(fp identity.Fingerprint, now time.Time) error {
	if id, standing, stands := c.StandingDeputy(now); stands && standing != fp {
		return fmt.Errorf("%w: %q", ErrDeputyStands, id)
	}
	return nil
}

// NameDeputy makes a member the one that may take over when the lead falls
// silent, in a new generation; the standing deputy is named without a new one,
// and has to be revoked before another one is named. door is where its standby door is published, or "". It
// returns old itself when nothing changes.
func NameDeputy(old *Crew, id, door string, signer statement.Signer, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if err := CheckDoor(door); err != nil {
		return nil, err
	}
	if id == old.SelfID {
		return nil, ErrSelfNamed
	}
	m, err := old.reliable(id)
	if err != nil {
		return nil, err
	}
	if said, some := old.Warrant.Said(); some && said.Deputy == id && said.DeputyFingerprint == m.Fingerprint && CheckLive(said, now) == nil {
		if old.Warrant.Door == door {
			return old, nil
		}
		next := old.clone()
		next.Warrant = &Warrant{Signed: old.Warrant.Signed, Deputy: old.Warrant.Deputy, Door: door}
		return next, nil
	}
	if err := old.checkSuccessor(m.Fingerprint, now); err != nil {
		return nil, err
	}
	next, err := old.issue(id, m.Fingerprint, signer, now)
	if err != nil {
		return nil, err
	}
	next.Warrant.Door = door
	return next, nil
}

// reliable returns a member that the crew may be entrusted to.
func (c *Crew) reliable(id string) (Member, error) {
	m, found := c.Member(id)
	switch {
	case !found:
		return m, fmt.Errorf("%w: %q", ErrNoMember, id)
	case m.State != StateEnrolled:
		return m, ErrNotEnrolled
	case m.SecretGeneration != c.SecretGeneration:
		return m, ErrStaleSecret
	}
	return m, nil
}

// RevokeDeputy issues a warrant that names nobody. It returns old itself when
// no deputy stands.
func RevokeDeputy(old *Crew, signer statement.Signer, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if said, some := old.Warrant.Said(); !some || said.NamesNobody() {
		return old, nil
	}
	return old.issue("", identity.Fingerprint{}, signer, now)
}

// issue signs a warrant of the next generation.
func (c *Crew) issue(deputy string, fp identity.Fingerprint, signer statement.Signer, now time.Time) (*Crew, error) {
	switch {
	case c.Restored:
		return nil, ErrRestored
	case c.Generation >= maxGeneration:
		return nil, ErrGenerations
	}
	signed, err := statement.Sign(signer, statement.Warrant{
		CrewID: c.ID, Generation: c.Generation + 1, Lead: c.SelfID,
		Deputy: deputy, DeputyFingerprint: fp, IssuedAt: now, RefreshedAt: now,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot sign a warrant: %w", err)
	}
	next := c.clone()
	next.Generation++
	next.Warrant, next.Bundled = &Warrant{Signed: signed}, nil
	if _, standing, stands := c.StandingDeputy(now); stands && standing != fp {
		c.endStanding(next, c.deputyPin(), next.Generation)
	}
	next.Ended = slices.DeleteFunc(slices.Clone(next.Ended), func(e Ended) bool { return e.Fingerprint == fp })
	return next, nil
}

// deputyPin returns a lead's pin of the deputy that its warrant names.
func (c *Crew) deputyPin() *Peer {
	w, _ := c.StandingWarrant()
	return w.Deputy
}

// RefreshWarrant signs the standing warrant again, at most every WarrantRefresh.
// It returns old itself when it is too early or when there is none. It refuses to
// bring a dead one back, and to sign what it has not signed before.
func RefreshWarrant(old *Crew, signer statement.Signer, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	said, some := old.Warrant.Said()
	if !some {
		return old, nil
	}
	if old.Restored {
		return nil, ErrRestored
	}
	if err := CheckLive(said, now); err != nil {
		return nil, err
	}
	if now.Before(said.RefreshedAt.Add(WarrantRefresh)) {
		return old, nil
	}
	if !bytes.Equal(signer.Sign(old.Warrant.Signed.Statement), old.Warrant.Signed.Signature) {
		return nil, ErrNotSigned // an Ed25519 signature is the same each time; the file was changed
	}
	said.RefreshedAt = now
	signed, err := statement.Sign(signer, said)
	if err != nil {
		return nil, fmt.Errorf("cannot sign a warrant: %w", err)
	}
	next := old.clone()
	next.Warrant = &Warrant{Signed: signed, Deputy: old.Warrant.Deputy, Door: old.Warrant.Door}
	return next, nil
}

// CountOn is for a lead that was restored from an old copy: it is shown a higher
// warrant of its own key, stores it, and counts on from there. own is the lead's
// certificate.
func CountOn(old *Crew, w Warrant, own *identity.Certificate) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	said, err := checkWarrantShape(w)
	if err != nil {
		return nil, err
	}
	if said.CrewID != old.ID || said.Lead != old.SelfID {
		return nil, ErrOtherCrew
	}
	if _, err := statement.OpenWarrant(w.Signed, own.PublicKey); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSigned, err)
	}
	if said.DeputyFingerprint == own.Fingerprint {
		return nil, ErrSelfNamed
	}
	if held, some := old.Warrant.Said(); some && equivocates(held, said) {
		return nil, ErrEquivocation
	}
	if said.Generation <= old.Generation {
		return nil, ErrNotHigher
	}
	next := old.clone()
	next.Generation = said.Generation
	next.Warrant, next.Bundled = &Warrant{Signed: w.Signed}, nil
	if w.Deputy != nil && !old.has(said.DeputyFingerprint) {
		// This copy is from before that member joined.
		if err := checkDeputyPin(said, w.Deputy); err != nil {
			return nil, err
		}
		next.Warrant.Deputy = w.Deputy
	}
	return next, nil
}

// StandingWarrant returns a lead's warrant as it goes to members: with the
// deputy's pin from the roster.
func (c *Crew) StandingWarrant() (Warrant, bool) {
	if c == nil || c.Role != RoleLead || c.Warrant == nil {
		return Warrant{}, false
	}
	w := Warrant{Signed: c.Warrant.Signed, Deputy: c.Warrant.Deputy}
	if said, _ := c.Warrant.Said(); !said.NamesNobody() {
		if m, found := c.Member(said.Deputy); found && m.Fingerprint == said.DeputyFingerprint {
			deputy := m.Peer()
			deputy.Addresses = c.AddressesOf(m.ID)
			w.Deputy = &deputy
		}
	}
	return w, true
}

// CheckDoor refuses with ErrDoorURL what is neither "" nor the origin of a
// standby door: https, or http to a loopback name.
func CheckDoor(door string) error {
	if door == "" {
		return nil
	}
	u, err := url.Parse(door)
	if err != nil || len(door) > MaxDoorURL || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.ForceQuery || u.Path != "" && u.Path != "/" || u.String() != door {
		return ErrDoorURL
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return ErrDoorURL
}
