package trust

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
)

// Named refusals of a change.
var (
	// ErrInCrew says that a node that is in a crew cannot found or join one.
	ErrInCrew = errors.New("this node is in a crew already: leave it first (collie crew leave)")
	// ErrSolo says that this node is in no crew.
	ErrSolo = errors.New("this node is in no crew")
	// ErrNotLead says that this node does not lead its crew.
	ErrNotLead = errors.New("this node does not lead its crew")
	// ErrNotMember says that this node follows no lead.
	ErrNotMember = errors.New("this node is no member of a crew")
	// ErrHasMembers says that a lead with members cannot leave.
	ErrHasMembers = errors.New("a lead can leave only once it has no members: remove them first (collie crew remove)")
	// ErrNoMember says that no member has the given id.
	ErrNoMember = errors.New("no such member")
	// ErrInvites says that as many invites are live as may be.
	ErrInvites = errors.New("too many invites are live: let some expire")
	// ErrInvite says that a token is of no invite, or of one that was used.
	ErrInvite = errors.New("the token is wrong, or it was used")
	// ErrInviteExpired says that a token's time is over.
	ErrInviteExpired = errors.New("the token has expired")
	// ErrOwnCertificate says that the lead's own certificate asks to join.
	ErrOwnCertificate = errors.New("a node cannot join itself")
	// ErrFull says that a crew takes no more members.
	ErrFull = errors.New("the crew is full")
)

// A Founding is what a solo node needs to become the lead of a crew of one.
type Founding struct {
	ID     statement.CrewID
	Name   string
	Label  string // of this node
	Secret []byte
}

// Found makes a solo node the lead of a crew of one.
func Found(old *Crew, f Founding) (*Crew, error) {
	if old != nil {
		return nil, ErrInCrew
	}
	return &Crew{
		ID: f.ID, Name: f.Name, Role: RoleLead, Generation: 1, Secret: f.Secret, SecretGeneration: 1,
		Self: Self{SelfID: mint(f.Label, nil), SelfLabel: f.Label},
	}, nil
}

// AddInvite lets the holder of a token join within InviteLife.
func AddInvite(old *Crew, token secret.Digest, now time.Time) (*Crew, Invite, error) {
	if err := mustLead(old); err != nil {
		return nil, Invite{}, err
	}
	next := Sweep(old, now).clone()
	live := 0
	for _, invite := range next.Invites {
		if invite.live(now) {
			live++
		}
	}
	if live >= MaxLiveInvites || len(next.Invites) >= maxInvites {
		return nil, Invite{}, ErrInvites
	}
	added := Invite{Hash: token, ExpiresAt: now.Add(InviteLife).UTC().Truncate(time.Millisecond)}
	next.Invites = append(next.Invites, added)
	return next, added, nil
}

// An Admission is a node that asks to join.
type Admission struct {
	Token       string
	Certificate *identity.Certificate
	Label       string
	Addresses   []string
	Own         identity.Fingerprint // of the lead itself
}

// Admit spends an invite and pins a certificate, both in one step. A new member
// is unconfirmed. A certificate that is pinned already keeps its id, its label
// and its state; its addresses are taken over.
func Admit(old *Crew, a Admission, now time.Time) (*Crew, Member, error) {
	if err := mustLead(old); err != nil {
		return nil, Member{}, err
	}
	spent := old.findInvite(a.Token)
	switch {
	case spent < 0:
		return nil, Member{}, ErrInvite
	case !old.Invites[spent].live(now):
		return nil, Member{}, ErrInviteExpired
	case a.Certificate.Fingerprint.Equal(a.Own):
		return nil, Member{}, ErrOwnCertificate
	}
	if err := errors.Join(CheckLabel(a.Label), CheckAddresses(a.Addresses)); err != nil {
		return nil, Member{}, err
	}
	next := old.clone()
	next.Invites = slices.Delete(next.Invites, spent, spent+1)
	if id, _ := old.Pin(a.Certificate.Fingerprint); old.has(a.Certificate.Fingerprint) {
		next.settled(id) // it is given the new secret now
		m := &next.Members[next.indexOf(id)]
		m.Addresses = slices.Clone(a.Addresses)
		if m.State == StateUnconfirmed {
			m.EnrolledAt = toStored(now)
		}
		return next, *m, nil
	}
	if err := old.checkLabelFree("", a.Label); err != nil {
		return nil, Member{}, err
	}
	if len(old.Members) >= MaxMembers || len(old.Members)+len(old.RetiredIDs) >= MaxIDs {
		return nil, Member{}, ErrFull
	}
	added := Member{
		ID: mint(a.Label, old), Label: a.Label,
		Fingerprint: a.Certificate.Fingerprint, Certificate: a.Certificate.DER,
		Addresses: slices.Clone(a.Addresses), EnrolledAt: toStored(now), State: StateUnconfirmed,
	}
	next.Members = append(next.Members, added)
	return next, added, nil
}

// findInvite looks at every invite, whichever matches.
func (c *Crew) findInvite(token string) int {
	found, digest := -1, secret.Hash(token)
	for i, invite := range c.Invites {
		if invite.Hash.Equal(digest) {
			found = i
		}
	}
	return found
}

// toStored cuts a time to what a file keeps of it.
func toStored(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Confirm makes a pinned certificate that has proved the secret of a generation
// a member in full. It returns old itself when there is nothing to change, and
// refuses a secret that was replaced since it was proved.
func Confirm(old *Crew, fp identity.Fingerprint, proved uint64) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if proved != old.SecretGeneration {
		return nil, ErrOldSecret
	}
	id, grade := old.Pin(fp)
	if !old.has(fp) {
		return nil, ErrNoMember
	}
	i := old.indexOf(id)
	if old.Members[i].State == StateRepinPending {
		return nil, ErrRepinPending
	}
	if grade == GradeMember && old.Members[i].SecretGeneration == old.SecretGeneration {
		return old, nil
	}
	next := old.clone()
	next.Members[i].State = StateEnrolled
	next.Members[i].SecretGeneration = old.SecretGeneration
	next.settled(id)
	return next, nil
}

// Sweep removes what time has ended: members that did not confirm, invites that
// expired a while ago, a secret that was replaced, an approval that was not
// used, the pin of a warrant that was not refreshed. It returns old itself when
// there is nothing to do.
func Sweep(old *Crew, now time.Time) *Crew {
	if old == nil {
		return nil
	}
	late := func(m Member) bool {
		return m.State == StateUnconfirmed && !now.Before(m.EnrolledAt.Add(ConfirmWithin))
	}
	forgotten := func(i Invite) bool { return !now.Before(i.ExpiresAt.Add(inviteMemory)) }
	over := old.Rotation != nil && !now.Before(old.Rotation.StartedAt.Add(RotateWithin))
	unapproved := old.Handover != nil && !old.Handover.live(now)
	unpinned := old.warrantIsOver(now)
	dead := func(e Ended) bool { return e.over(now) }
	if !over && !unapproved && !unpinned && !slices.ContainsFunc(old.Ended, dead) && !slices.ContainsFunc(old.Members, late) && !slices.ContainsFunc(old.Invites, forgotten) {
		return old
	}
	next := old.clone()
	if over {
		next.Rotation = nil
	}
	if unapproved {
		next.Handover = nil
	}
	if unpinned {
		next.Warrant = next.Warrant.pinless()
	}
	for _, m := range old.Members {
		if late(m) {
			next.RetiredIDs = append(next.RetiredIDs, m.ID)
			next.gone(m.ID)
		}
	}
	next.Ended = slices.DeleteFunc(slices.Clone(next.Ended), dead)
	next.Members = slices.DeleteFunc(next.Members, late)
	next.Invites = slices.DeleteFunc(next.Invites, forgotten)
	return next
}

// NextSweep returns when Sweep will have something to do.
func NextSweep(c *Crew) (at time.Time, some bool) {
	if c == nil {
		return at, false
	}
	sooner := func(t time.Time) {
		if !some || t.Before(at) {
			at, some = t, true
		}
	}
	for _, m := range c.Members {
		if m.State == StateUnconfirmed {
			sooner(m.EnrolledAt.Add(ConfirmWithin))
		}
	}
	if c.Rotation != nil {
		sooner(c.Rotation.StartedAt.Add(RotateWithin))
	}
	for _, i := range c.Invites {
		sooner(i.ExpiresAt.Add(inviteMemory))
	}
	if c.Handover != nil {
		sooner(c.Handover.ExpiresAt)
	}
	if ends, pins := c.warrantEnds(); pins {
		sooner(ends)
	}
	for _, e := range c.Ended {
		sooner(e.Until)
	}
	return at, some
}

// RemoveMember takes a member out, and with it the approval of its promotion and
// the warrant that names it, in place of which one is signed that names nobody.
// Its id is never used again.
func RemoveMember(old *Crew, id string, signer statement.Signer, now time.Time) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	i := old.indexOf(id)
	switch {
	case id == old.SelfID:
		return nil, fmt.Errorf("%w: a lead without members leaves (collie crew leave)", ErrThisNode)
	case i < 0:
		return nil, fmt.Errorf("%w: %q", ErrNoMember, id)
	}
	next := old.clone()
	if said, some := old.Warrant.Said(); some && (said.Deputy == id || said.DeputyFingerprint == old.Members[i].Fingerprint) {
		revoked, err := RevokeDeputy(old, signer, now)
		if err != nil {
			return nil, err
		}
		next = revoked
	}
	if next.Handover != nil && next.Handover.MemberID == id {
		next.Handover = nil
	}
	next.Members = slices.Delete(next.Members, i, i+1)
	next.RetiredIDs = append(next.RetiredIDs, id)
	next.gone(id)
	return next, nil
}

// A Joined is what a lead answered to a node that it admitted.
type Joined struct {
	ID               statement.CrewID
	Name             string
	Generation       uint64
	Secret           []byte
	SecretGeneration uint64
	Self             Self
	Lead             Lead
	// Dialled is where the lead was found.
	Dialled string
}

// MayJoin refuses with ErrInCrew where Join would, before anything is sent: a
// node may join its own crew again and no other.
func MayJoin(old *Crew, lead identity.Fingerprint) error {
	if old != nil && (old.Lead == nil || !old.Lead.Fingerprint.Equal(lead)) {
		return ErrInCrew
	}
	return nil
}

// Join makes a solo node a member, and a member of the same crew a member
// again.
func Join(old *Crew, j Joined) (*Crew, error) {
	if err := MayJoin(old, j.Lead.Fingerprint); err != nil {
		return nil, err
	}
	if old != nil && old.ID != j.ID {
		return nil, ErrInCrew
	}
	lead := j.Lead
	next := &Crew{
		ID: j.ID, Name: j.Name, Role: RoleMember, Generation: j.Generation, Secret: j.Secret,
		SecretGeneration: j.SecretGeneration, Self: j.Self, Lead: &lead,
	}
	if j.Dialled != "" {
		next.Given = map[string][]string{lead.ID: {j.Dialled}}
	}
	if old != nil {
		// What the lead has signed still counts.
		next.Generation = max(old.Generation, j.Generation)
		next.Warrant, next.Chain, next.ToTell = old.Warrant, old.Chain, old.ToTell
		next.ForgetDevices = old.ForgetDevices
	}
	return next, nil
}

// Leave makes a node solo. A lead must have no members, and a former lead must
// have deleted what it paired.
func Leave(old *Crew) (*Crew, error) {
	if old == nil {
		return nil, ErrSolo
	}
	if len(old.Members) > 0 {
		return nil, ErrHasMembers
	}
	if old.ForgetDevices {
		return nil, ErrDevicesLeft
	}
	return nil, nil
}

func mustLead(c *Crew) error {
	if c == nil {
		return ErrSolo
	}
	if c.Role != RoleLead {
		return ErrNotLead
	}
	return nil
}

func mustFollow(c *Crew) error {
	if c == nil {
		return ErrSolo
	}
	if c.Role != RoleMember {
		return ErrNotMember
	}
	return nil
}

// mint makes a member id out of a label that no id of the crew, in use or
// retired, is the same as. Latin letters and digits stay; whatever else is in a
// label becomes a dash.
func mint(label string, c *Crew) string {
	mapped := strings.Map(func(r rune) rune {
		if !isIDRune(r) {
			return '-'
		}
		return r
	}, strings.ToLower(label))
	parts := strings.FieldsFunc(mapped, func(r rune) bool { return r == '-' })
	base := strings.Join(parts, "-")
	if base == "" {
		base = "node"
	}
	taken := func(id string) bool {
		return c != nil && (id == c.SelfID || c.indexOf(id) >= 0 || slices.Contains(c.RetiredIDs, id))
	}
	id := strings.TrimRight(base[:min(len(base), MaxIDLen)], "-")
	for n := 2; taken(id); n++ {
		suffix := "-" + strconv.Itoa(n)
		id = strings.TrimRight(base[:min(len(base), MaxIDLen-len(suffix))], "-") + suffix
	}
	return id
}
