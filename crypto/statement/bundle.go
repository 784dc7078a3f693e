package statement

import (
	"crypto/ed25519"
	"crypto/sha256"
	"time"

	"collie/crypto/identity"
)

// BundleDomain is the tag of Bundle.
const BundleDomain = "collie bundle v1"

// A Bundle is a lead's word on what whoever leads after it has to know, for one
// deputy or new lead: everything about it but the content itself, which is named
// by its digest and length.
type Bundle struct {
	CrewID            CrewID
	Generation        uint64 // of the warrant or handover that it goes with
	Deputy            string // member id of the receiver
	DeputyFingerprint identity.Fingerprint
	Counter           uint64    // rises with each bundle of a generation
	At                time.Time // UTC, to the millisecond, by the lead's clock
	Digest            [32]byte  // SHA-256 of the content
	Length            uint64    // of the content in bytes
}

// Holds says whether content is what the bundle is about.
func (b Bundle) Holds(content []byte) bool {
	return uint64(len(content)) == b.Length && sha256.Sum256(content) == b.Digest
}

// OpenBundle verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenBundle(s Signed, key ed25519.PublicKey) (Bundle, error) {
	var b Bundle
	if err := open(s, key, &b); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

func (b Bundle) canonical() kind { return &b }

func (b *Bundle) domain() string { return BundleDomain }

func (b *Bundle) fields(c *codec) {
	c.raw("crew id", b.CrewID[:])
	c.number("generation", &b.Generation, maxGeneration)
	c.name("deputy", &b.Deputy, memberID, 1)
	c.raw("deputy's fingerprint", b.DeputyFingerprint[:])
	c.number("counter", &b.Counter, maxGeneration)
	c.instant("time", &b.At)
	c.raw("digest", b.Digest[:])
	c.number("length", &b.Length, MaxBundle)
}
