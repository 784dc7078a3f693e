package statement

import (
	"crypto/ed25519"
	"time"

	"collie/crypto/identity"
)

// HandoverDomain is the tag of Handover.
const HandoverDomain = "collie handover v1"

// A Handover is a lead's word that another node leads from now on.
type Handover struct {
	CrewID             CrewID
	Generation         uint64 // the one above the lead's last
	NewLead            string // member id
	NewLeadFingerprint identity.Fingerprint
	At                 time.Time // UTC, to the millisecond, by the old lead's clock
}

// OpenHandover verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenHandover(s Signed, key ed25519.PublicKey) (Handover, error) {
	var h Handover
	if err := open(s, key, &h); err != nil {
		return Handover{}, err
	}
	return h, nil
}

// ReadHandover decodes s and does not look at its signature. It is for what was
// verified before it was stored. It refuses with ErrStatement.
func ReadHandover(s Signed) (Handover, error) {
	var h Handover
	if err := decode(s.Statement, &h); err != nil {
		return Handover{}, err
	}
	return h, nil
}

func (h Handover) canonical() kind { return &h }

func (h *Handover) domain() string { return HandoverDomain }

func (h *Handover) fields(c *codec) {
	c.raw("crew id", h.CrewID[:])
	c.number("generation", &h.Generation, maxGeneration)
	c.name("new lead", &h.NewLead, memberID, 1)
	c.raw("new lead's fingerprint", h.NewLeadFingerprint[:])
	c.instant("time", &h.At)
}
