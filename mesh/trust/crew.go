// Package trust is what a node knows about its crew: who leads it, who is
// pinned, the crew secret, the invites that may still be used. It is one file
// and one value in memory.
//
// A node without the file is solo. A file that cannot be believed in every
// detail is refused whole and left as it is; nothing is guessed from it.
//
// A Crew is a snapshot and never changed. The functions that change one are
// pure: they return the next one, and Store.Update makes it count. A right that
// is gained counts once it is on the disk; one that is lost is lost at once,
// also when the disk refuses, and is written until it is stored. Grades are looked up in the live snapshot for
// every decision and kept nowhere else.
package trust

import (
	"log/slog"
	"slices"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
)

// A Role is what a node is in its crew.
type Role string

// The roles. A solo node has no Crew and no role.
const (
	RoleLead   Role = "lead"
	RoleMember Role = "member"
	// RoleDeposed is a former lead that could not become a member: it pins
	// nobody and serves nothing until it leaves or joins again.
	RoleDeposed Role = "deposed"
)

// A State says how far a member's enrolment got.
type State string

// The states of a member.
const (
	// StateUnconfirmed is a member that was admitted and has not said hello.
	StateUnconfirmed State = "unconfirmed"
	// StateEnrolled is a member.
	StateEnrolled State = "enrolled"
	// StateRepinPending is a member of the lead before that has not shown that it
	// follows this one.
	StateRepinPending State = "repin_pending"
)

// A Grade is what a pin may do. It is a property of the live snapshot.
type Grade string

// The grades.
const (
	// GradeNone is a stranger.
	GradeNone Grade = ""
	// GradeLead is the lead of the crew that this node is a member of.
	GradeLead Grade = "lead"
	// GradeMember is an enrolled member of the crew that this node leads.
	GradeMember Grade = "member"
	// GradeUnconfirmed is a member that may say hello and nothing else.
	GradeUnconfirmed Grade = "unconfirmed"
	// GradeDeputy is, at a member, the deputy of a live warrant: it may ask for
	// the takeover and nothing else.
	GradeDeputy Grade = "deputy"
	// GradeWitness is, at the deputy, another member: it may call nothing, and
	// dials in to be asked.
	GradeWitness Grade = "witness"
	// GradeEnded is a deputy that is one no more. Every call of it is answered with
	// the warrant, or the chain, that ended it.
	GradeEnded Grade = "ended"
	// GradeFormer is who does not know who leads now: at a follower a former
	// lead, at a former lead a member that has not followed. Every call of it is
	// answered with the chain.
	GradeFormer Grade = "former"
)

// A Crew is one node's view of its crew. It is immutable: whoever holds one may
// read it for ever and change nothing in it.
type Crew struct {
	ID               statement.CrewID `json:"crewId"`
	Name             string           `json:"crewName"`
	Role             Role             `json:"role"`
	Generation       uint64           `json:"generation"`
	Secret           []byte           `json:"secret"` // secret.KeySize bytes
	SecretGeneration uint64           `json:"secretGeneration"`
	Self             `json:"self"`

	// Given are the addresses of other nodes that the operator said on this one, by
	// member id; see AddressesOf.
	Given map[string][]string `json:"given,omitempty"`

	// Warrant is the one that stands: on a lead what it has signed, on a member
	// the highest that it has verified. Its generation is at most Generation.
	Warrant *Warrant `json:"warrant,omitempty"`
	// Chain is how the crew came to its present lead, oldest change first, as
	// far as this node was there.
	Chain []Change `json:"chain,omitempty"`
	// Restored says that this state is out of a backup, until Shown.
	Restored bool `json:"restored,omitempty"`
	// ForgetDevices says that DevicesOwn is of a time as lead that is over.
	ForgetDevices bool `json:"forgetDevices,omitempty"`

	// Ended are the deputies that have yet to be told that they are no more. On a
	// lead one goes when it has confirmed it.
	Ended []Ended `json:"ended,omitempty"`

	// Lead is set on a member, and on a node that is parked, alone.
	Lead *Lead `json:"lead,omitempty"`

	// These are set on a member alone: the bundle of a deputy; and on a former
	// lead those that do not know who leads now, and what it has handed over
	// until the new lead has shown that it got it.
	Bundle     *HeldBundle `json:"bundle,omitempty"`
	ToTell     []Peer      `json:"toTell,omitempty"`
	HandedOver *Handed     `json:"handedOver,omitempty"`

	// Parked is set on a node that is parked alone.
	Parked Parking `json:"parked,omitempty"`

	// The rest is set on a lead alone.
	Members    []Member `json:"members,omitempty"`
	Invites    []Invite `json:"invites,omitempty"`
	RetiredIDs []string `json:"retiredIds,omitempty"`
	// Rotation is set while a new secret is being delivered.
	Rotation *Rotation `json:"rotation,omitempty"`
	Handover *Approval `json:"handover,omitempty"`
	Bundled  *Bundled  `json:"bundled,omitempty"`
	// KeyDue says that this node's key is of another crew, and that its link stays
	// shut until it has drawn a new one.
	KeyDue bool `json:"keyDue,omitempty"`
	// CrewDevices says that the lead got its devices with the crew: they are on
	// DevicesCrew, once those in Inherited are.
	CrewDevices bool         `json:"crewDevices,omitempty"`
	Inherited   *Inheritance `json:"inherited,omitempty"`
}

// Self is this node's own entry.
type Self struct {
	SelfID    string `json:"memberId"`
	SelfLabel string `json:"label"`
}

// A Member is a lead's pin of one member.
type Member struct {
	ID          string               `json:"memberId"`
	Label       string               `json:"label"`
	Fingerprint identity.Fingerprint `json:"fingerprint"`
	Certificate []byte               `json:"cert"` // DER
	Addresses   []string             `json:"addresses,omitempty"`
	EnrolledAt  time.Time            `json:"enrolledAt"` // when it was admitted
	// SecretGeneration is the newest secret that it has proved to hold.
	SecretGeneration uint64 `json:"secretGeneration"`
	State            State  `json:"state"`
}

// An Invite lets one certificate in. Its token is known to whom it was shown.
type Invite struct {
	Hash      secret.Digest `json:"hash"`
	ExpiresAt time.Time     `json:"expiresAt"`
}

// Member returns the member of an id.
func (c *Crew) Member(id string) (Member, bool) {
	if c == nil {
		return Member{}, false
	}
	if i := c.indexOf(id); i >= 0 {
		return c.Members[i], true
	}
	return Member{}, false
}

// has says whether a lead has a member of a fingerprint.
func (c *Crew) has(fp identity.Fingerprint) bool {
	return slices.ContainsFunc(c.Members, func(m Member) bool { return m.Fingerprint.Equal(fp) })
}

func (c *Crew) indexOf(id string) int {
	return slices.IndexFunc(c.Members, func(m Member) bool { return m.ID == id })
}

// Inviting says whether an invite can be used at a moment. A nil Crew invites
// nobody.
func (c *Crew) Inviting(now time.Time) bool {
	return c != nil && slices.ContainsFunc(c.Invites, func(i Invite) bool { return i.live(now) })
}

func (i Invite) live(now time.Time) bool { return now.Before(i.ExpiresAt) }

// LogValue names the crew and shows no secret.
func (c *Crew) LogValue() slog.Value {
	if c == nil {
		return slog.StringValue("solo")
	}
	return slog.GroupValue(slog.String("id", c.ID.String()), slog.String("role", string(c.Role)))
}

// clone returns a copy whose lists can be changed. Certificates, address lists
// and what pointers lead to are shared; they are replaced, never written to.
func (c *Crew) clone() *Crew {
	next := *c
	next.Members = slices.Clone(c.Members)
	next.Invites = slices.Clone(c.Invites)
	next.RetiredIDs = slices.Clone(c.RetiredIDs)
	return &next
}
