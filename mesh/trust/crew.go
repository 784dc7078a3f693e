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
)

// A State says how far a member's enrolment got.
type State string

// The states of a member.
const (
	// StateUnconfirmed is a member that was admitted and has not said hello.
	StateUnconfirmed State = "unconfirmed"
	// StateEnrolled is a member.
	StateEnrolled State = "enrolled"
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

	// Lead is set on a member alone.
	Lead *Lead `json:"lead,omitempty"`

	// The rest is set on a lead alone.
	Members    []Member `json:"members,omitempty"`
	Invites    []Invite `json:"invites,omitempty"`
	RetiredIDs []string `json:"retiredIds,omitempty"`
	// Rotation is set while a new secret is being delivered.
	Rotation *Rotation `json:"rotation,omitempty"`
}

// Self is this node's own entry.
type Self struct {
	SelfID    string `json:"memberId"`
	SelfLabel string `json:"label"`
}

// A Lead is a member's pin of its lead.
type Lead struct {
	ID          string               `json:"memberId"`
	Label       string               `json:"label"`
	Fingerprint identity.Fingerprint `json:"fingerprint"`
	Certificate []byte               `json:"cert"` // DER
	Addresses   []string             `json:"addresses,omitempty"`
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

// Grade returns what the holder of a fingerprint is. A nil Crew knows nobody.
func (c *Crew) Grade(fp identity.Fingerprint) Grade {
	_, grade := c.Pin(fp)
	return grade
}

// Pin returns the member id and the grade of a fingerprint. A nil Crew knows
// nobody.
func (c *Crew) Pin(fp identity.Fingerprint) (memberID string, grade Grade) {
	if c == nil {
		return "", GradeNone
	}
	if c.Lead != nil && c.Lead.Fingerprint.Equal(fp) {
		return c.Lead.ID, GradeLead
	}
	for i := range c.Members {
		if m := &c.Members[i]; m.Fingerprint.Equal(fp) {
			if m.State == StateEnrolled {
				return m.ID, GradeMember
			}
			return m.ID, GradeUnconfirmed
		}
	}
	return "", GradeNone
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
