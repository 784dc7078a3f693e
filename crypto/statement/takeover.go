package statement

import (
	"crypto/ed25519"
	"time"
)

// TakeoverDomain is the tag of Takeover.
const TakeoverDomain = "collie takeover v1"

// A Takeover is a deputy's word that it leads from now on, by the warrant that
// it names.
type Takeover struct {
	CrewID     CrewID
	Generation uint64    // the one above the warrant's
	Warrant    [32]byte  // WarrantDigest of the warrant's Signed
	At         time.Time // UTC, to the millisecond, by the deputy's clock
}

// OpenTakeover verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenTakeover(s Signed, key ed25519.PublicKey) (Takeover, error) {
	var t Takeover
	if err := open(s, key, &t); err != nil {
		return Takeover{}, err
	}
	return t, nil
}

// ReadTakeover decodes s and does not look at its signature. It is for what was
// verified before it was stored. It refuses with ErrStatement.
func ReadTakeover(s Signed) (Takeover, error) {
	var t Takeover
	if err := decode(s.Statement, &t); err != nil {
		return Takeover{}, err
	}
	return t, nil
}

func (t Takeover) canonical() kind { return &t }

func (t *Takeover) domain() string { return TakeoverDomain }

func (t *Takeover) fields(c *codec) {
	c.raw("crew id", t.CrewID[:])
	c.number("generation", &t.Generation, maxGeneration)
	c.raw("warrant's digest", t.Warrant[:])
	c.instant("time", &t.At)
}
