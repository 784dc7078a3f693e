package statement

import (
	"crypto/ed25519"
	"crypto/sha256"
	"time"

	"collie/crypto/identity"
)

// WarrantDomain is the tag of Warrant.
const WarrantDomain = "collie warrant v1"

// A Warrant is a lead's standing word on who its deputy is. One that names
// nobody revokes those before it.
type Warrant struct {
	CrewID     CrewID
	Generation uint64
	Lead       string // member id of the lead, which signs
	// Deputy is a member id. It is empty, and the fingerprint zero, in a warrant
	// that names nobody.
	Deputy            string
	DeputyFingerprint identity.Fingerprint
	// IssuedAt is when the deputy was named and RefreshedAt, never before it,
	// when the warrant was signed last. Both are UTC, to the millisecond, by the
	// lead's clock.
	IssuedAt, RefreshedAt time.Time
}

// WarrantDigest returns the digest by which a takeover names a warrant: the
// SHA-256 of the statement's bytes.
func WarrantDigest(s Signed) [32]byte { return sha256.Sum256(s.Statement) }

// OpenWarrant verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenWarrant(s Signed, key ed25519.PublicKey) (Warrant, error) {
	var w Warrant
	if err := open(s, key, &w); err != nil {
		return Warrant{}, err
	}
	return w, nil
}

// ReadWarrant decodes s and does not look at its signature. It is for what was
// verified before it was stored, and for saying what is wrong with the rest. It
// refuses with ErrStatement.
func ReadWarrant(s Signed) (Warrant, error) {
	var w Warrant
	if err := decode(s.Statement, &w); err != nil {
		return Warrant{}, err
	}
	return w, nil
}

// NamesNobody says that w is a revocation.
func (w Warrant) NamesNobody() bool { return w.Deputy == "" }

func (w Warrant) canonical() kind { return &w }

func (w *Warrant) domain() string { return WarrantDomain }

func (w *Warrant) fields(c *codec) {
	c.raw("crew id", w.CrewID[:])
	c.number("generation", &w.Generation, maxGeneration)
	c.name("lead", &w.Lead, memberID, 1)
	c.name("deputy", &w.Deputy, memberID, 0)
	c.raw("deputy's fingerprint", w.DeputyFingerprint[:])
	c.instant("time of issue", &w.IssuedAt)
	c.instant("time of refresh", &w.RefreshedAt)
	switch nobody := w.DeputyFingerprint == (identity.Fingerprint{}); {
	case nobody != w.NamesNobody():
		c.refuse("it names a deputy by half")
	case w.RefreshedAt.UnixMilli() < w.IssuedAt.UnixMilli():
		c.refuse("it was refreshed before it was issued")
	}
}
