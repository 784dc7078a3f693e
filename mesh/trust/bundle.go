package trust

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/crypto/statement"
)

// Named refusals of a bundle.
var (
	// ErrNoDeputy says that no live warrant names anybody.
	ErrNoDeputy = errors.New("no deputy is named")
	// ErrNotDeputy says that a node is not the deputy.
	ErrNotDeputy = errors.New("that node is not the deputy")
	// ErrBundleAudience says that a bundle is for another node, or goes with
	// another warrant.
	ErrBundleAudience = errors.New("the bundle is for another node or another warrant")
	// ErrBundleOld says that a later bundle is held.
	ErrBundleOld = errors.New("a later bundle is held")
	// ErrBundleContent says that a bundle is cut, huge, or of no use.
	ErrBundleContent = errors.New("the bundle's content is not what a lead has to know")
	// ErrNoBundle says that the deputy has not been sent a bundle.
	ErrNoBundle = errors.New("this deputy has not got the bundle")
)

// A Bundle is what whoever leads next has to know. The secret is not in it: a
// member has it.
type Bundle struct {
	Members    []Member `json:"members"`
	RetiredIDs []string `json:"retiredIds,omitempty"`
	Chain      []Change `json:"chain,omitempty"`
	Devices    []Device `json:"devices,omitempty"`
	Door       string   `json:"door,omitempty"`
}

// A SignedBundle is a bundle as it goes to a deputy, sealed, or to the node that
// a lead hands over to.
type SignedBundle struct {
	Signed  statement.Signed `json:"bundle"`
	Content []byte           `json:"content"`
}

// Bundled is a lead's memory of the last bundle that it made.
type Bundled struct {
	Counter uint64        `json:"counter"`
	Digest  secret.Digest `json:"digest"` // of the content
}

// A HeldBundle is a deputy's bundle, sealed, and what of it has to be known
// before it is opened.
type HeldBundle struct {
	Counter uint64 `json:"counter"`
	Sealed  []byte `json:"sealed"`
	// Witnesses are the other members, pinned so that they can dial in and be
	// asked how long the lead has been silent.
	Witnesses []Peer `json:"witnesses,omitempty"`
	// Door is the URL under which the standby door is published, or "".
	Door string `json:"door,omitempty"`
}

// NextBundle makes the bundle for the standing deputy. It counts only when the
// content is another one than before, else next is old itself; either way the
// bundle leaves the node only once next is stored.
func NextBundle(old *Crew, devices []Device, signer statement.Signer, now time.Time) (next *Crew, made SignedBundle, err error) {
	if err := mustLead(old); err != nil {
		return nil, made, err
	}
	said, some := old.Warrant.Said()
	if !some || said.NamesNobody() || CheckLive(said, now) != nil {
		return nil, made, ErrNoDeputy
	}
	content, err := old.bundle(devices)
	if err != nil {
		return nil, made, err
	}
	next = old
	if digest := secret.Digest(sha256.Sum256(content)); old.Bundled == nil || old.Bundled.Digest != digest {
		next = old.clone()
		next.Bundled = &Bundled{Counter: old.bundleCounter() + 1, Digest: digest}
	}
	signed, err := signBundle(signer, content, statement.Bundle{
		CrewID: old.ID, Generation: said.Generation, Deputy: said.Deputy, DeputyFingerprint: said.DeputyFingerprint,
		Counter: next.Bundled.Counter, At: now,
	})
	return next, signed, err
}

// CountBundlesOn is for a lead that was restored from an old copy: its deputy
// reports a higher bundle than the lead has made.
func CountBundlesOn(old *Crew, counter uint64) (*Crew, error) {
	if err := mustLead(old); err != nil {
		return nil, err
	}
	if counter <= old.bundleCounter() || counter >= maxGeneration {
		return old, nil
	}
	next := old.clone()
	next.Bundled = &Bundled{Counter: counter}
	return next, nil
}

func (c *Crew) bundleCounter() uint64 {
	if c.Bundled == nil {
		return 0
	}
	return c.Bundled.Counter
}

// bundle encodes what the next lead has to know.
func (c *Crew) bundle(devices []Device) ([]byte, error) {
	b := Bundle{RetiredIDs: c.RetiredIDs, Chain: c.Chain, Devices: devices}
	if c.Warrant != nil {
		b.Door = c.Warrant.Door
	}
	for _, m := range c.Members {
		if m.State == StateUnconfirmed {
			// It follows nobody yet, and its id is not for another one.
			b.RetiredIDs = append(b.RetiredIDs[:len(b.RetiredIDs):len(b.RetiredIDs)], m.ID)
			continue
		}
		b.Members = append(b.Members, m)
	}
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	if len(content) > statement.MaxBundle {
		return nil, fmt.Errorf("%w: %d bytes, the most is %d", ErrBundleContent, len(content), statement.MaxBundle)
	}
	return content, nil
}

// signBundle completes and signs a bundle's statement.
func signBundle(signer statement.Signer, content []byte, b statement.Bundle) (SignedBundle, error) {
	b.Digest, b.Length = sha256.Sum256(content), uint64(len(content))
	signed, err := statement.Sign(signer, b)
	if err != nil {
		return SignedBundle{}, fmt.Errorf("cannot sign a bundle: %w", err)
	}
	return SignedBundle{Signed: signed, Content: content}, nil
}

// Seal closes a bundle for the deputy's recipient.
func (b SignedBundle) Seal(recipient string) ([]byte, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return sealed.Seal(recipient, data)
}

// TakeBundle stores a bundle that the lead has sealed for this deputy, unless a
// later one is held. It returns old itself when it holds that one.
func TakeBundle(old *Crew, data []byte, key sealed.Key, own identity.Fingerprint) (*Crew, error) {
	if err := mustFollow(old); err != nil {
		return nil, err
	}
	if !old.IsDeputy(own) {
		return nil, ErrNotDeputy
	}
	b, said, err := old.openBundle(data, key)
	if err != nil {
		return nil, err
	}
	if held := old.Bundle; held != nil && said.Counter <= held.Counter {
		if said.Counter == held.Counter {
			return old, nil
		}
		return nil, ErrBundleOld
	}
	if err := old.checkBundle(b, said.At); err != nil {
		return nil, err
	}
	next := old.clone()
	next.Bundle = &HeldBundle{Counter: said.Counter, Sealed: data, Door: b.Door}
	for _, m := range b.Members {
		if m.Fingerprint != own {
			next.Bundle.Witnesses = append(next.Bundle.Witnesses, m.Peer())
		}
		if m.State == StateEnrolled { // it follows, so a former lead that is deputy now need not tell it
			next.ToTell = without(next.ToTell, m.Fingerprint)
		}
	}
	return next, nil
}

// OpenBundle opens the bundle that a deputy holds.
func OpenBundle(c *Crew, key sealed.Key) (Bundle, error) {
	if err := mustFollow(c); err != nil {
		return Bundle{}, err
	}
	if c.Bundle == nil {
		return Bundle{}, ErrNoBundle
	}
	b, _, err := c.openBundle(c.Bundle.Sealed, key)
	return b, err
}

// openBundle opens and verifies a sealed bundle that goes with the warrant that
// is held.
func (c *Crew) openBundle(data []byte, key sealed.Key) (Bundle, statement.Bundle, error) {
	plain, err := sealed.Open(key, data, maxSignedBundle)
	if err != nil {
		return Bundle{}, statement.Bundle{}, err
	}
	var signed SignedBundle
	if err := json.Unmarshal(plain, &signed); err != nil {
		return Bundle{}, statement.Bundle{}, fmt.Errorf("%w: %w", ErrBundleContent, err)
	}
	said, _ := c.Warrant.Said()
	return c.verifyBundle(signed, said.Generation, said.DeputyFingerprint)
}

// verifyBundle proves that the pinned lead has signed a bundle for this node, to
// go with a statement of a generation.
func (c *Crew) verifyBundle(signed SignedBundle, generation uint64, own identity.Fingerprint) (Bundle, statement.Bundle, error) {
	refuse := func(err error) (Bundle, statement.Bundle, error) { return Bundle{}, statement.Bundle{}, err }
	lead, err := identity.ParseCertificate(c.Lead.Certificate)
	if err != nil {
		return refuse(err)
	}
	said, err := statement.OpenBundle(signed.Signed, lead.PublicKey)
	if err != nil {
		return refuse(fmt.Errorf("%w: %w", ErrNotSigned, err))
	}
	switch {
	case said.CrewID != c.ID:
		return refuse(ErrOtherCrew)
	case said.Deputy != c.SelfID || said.DeputyFingerprint != own || said.Generation != generation:
		return refuse(ErrBundleAudience)
	case !said.Holds(signed.Content):
		return refuse(fmt.Errorf("%w: it is not what the lead has signed", ErrBundleContent))
	}
	var b Bundle
	if err := json.Unmarshal(signed.Content, &b); err != nil {
		return refuse(fmt.Errorf("%w: %w", ErrBundleContent, err))
	}
	return b, said, nil
}

// checkBundle refuses a bundle by which this member could not lead.
func (c *Crew) checkBundle(b Bundle, at time.Time) error {
	heir := c.heir(b, nil, c.Generation, at)
	if err := errors.Join(heir.check(), checkLinks(c.ID, b.Chain, c.Lead.Fingerprint), CheckDoor(b.Door)); err != nil {
		return fmt.Errorf("%w: %w", ErrBundleContent, err)
	}
	return nil
}
