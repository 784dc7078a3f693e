package trust

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
)

// Named refusals of a value.
var (
	// ErrInvalid is wrapped by every refusal of a crew as a whole.
	ErrInvalid = errors.New("the crew is not valid")
	// ErrAddress is wrapped by every refusal of an address.
	ErrAddress = errors.New("not an address of the form host:port")
	// ErrLabel is wrapped by every refusal of a label or of a crew's name.
	ErrLabel = errors.New("not a label")
)

// check refuses a crew that contradicts itself. What it lets pass is what may
// be in the file.
func (c *Crew) check() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("%w: %w", ErrInvalid, fmt.Errorf(format, args...))
	}
	switch {
	case c.ID.IsZero():
		return invalid("it has no crew id")
	case c.Role != RoleLead && c.Role != RoleMember && c.Role != RoleDeposed:
		return invalid("the role %q is unknown", c.Role)
	case c.Generation == 0 || c.Generation > maxGeneration:
		return invalid("the generation %d is out of bounds", c.Generation)
	case c.SecretGeneration == 0 || c.SecretGeneration > maxGeneration:
		return invalid("the generation %d of the secret is out of bounds", c.SecretGeneration)
	case len(c.Secret) != secret.KeySize:
		return invalid("the secret has %d bytes, want %d", len(c.Secret), secret.KeySize)
	case c.Role != RoleLead && c.Lead == nil:
		return invalid("a %s without a lead", c.Role)
	case c.Role != RoleLead && len(c.Members)+len(c.Invites)+len(c.RetiredIDs) > 0:
		return invalid("a %s with fields of a lead", c.Role)
	case c.Role == RoleLead && c.Lead != nil:
		return invalid("a lead with a lead")
	case len(c.Members) > MaxMembers:
		return invalid("%d members, the most is %d", len(c.Members), MaxMembers)
	case len(c.Invites) > maxInvites:
		return invalid("%d invites, the most is %d", len(c.Invites), maxInvites)
	case len(c.RetiredIDs) > MaxIDs:
		return invalid("%d retired ids, the most is %d", len(c.RetiredIDs), MaxIDs)
	}
	if err := CheckCrewName(c.Name); err != nil {
		return invalid("its name: %w", err)
	}
	if c.Rotation != nil {
		if err := c.Rotation.check(c); err != nil {
			return invalid("its rotation: %w", err)
		}
	}
	unique := uniqueness{ids: map[string]bool{}, pins: map[identity.Fingerprint]bool{}}
	if err := unique.addID(c.SelfID); err != nil {
		return invalid("this node: %w", err)
	}
	if err := CheckLabel(c.SelfLabel); err != nil {
		return invalid("this node: %w", err)
	}
	if l := c.Lead; l != nil {
		if err := unique.addPeer(l.ID, l.Label, l.Fingerprint, l.Certificate, l.Addresses); err != nil {
			return invalid("the lead: %w", err)
		}
	}
	for i := range c.Members {
		m := &c.Members[i]
		if err := unique.addPeer(m.ID, m.Label, m.Fingerprint, m.Certificate, m.Addresses); err != nil {
			return invalid("member %q: %w", m.ID, err)
		}
		if m.State != StateUnconfirmed && m.State != StateEnrolled && m.State != StateRepinPending {
			return invalid("member %q: the state %q is unknown", m.ID, m.State)
		}
		if m.EnrolledAt.IsZero() || m.SecretGeneration > c.SecretGeneration {
			return invalid("member %q: it was never admitted, or holds a secret of the future", m.ID)
		}
	}
	if err := c.checkGiven(); err != nil {
		return invalid("%w", err)
	}
	hashes := map[secret.Digest]bool{}
	for _, invite := range c.Invites {
		if invite.Hash == (secret.Digest{}) || hashes[invite.Hash] || invite.ExpiresAt.IsZero() {
			return invalid("an invite that is empty or occurs twice")
		}
		hashes[invite.Hash] = true
	}
	for _, id := range c.RetiredIDs {
		if err := unique.addID(id); err != nil {
			return invalid("a retired id: %w", err)
		}
	}
	if err := c.checkSuccession(); err != nil {
		return invalid("%w", err)
	}
	return nil
}

// uniqueness holds the ids and pins of one crew.
type uniqueness struct {
	ids  map[string]bool
	pins map[identity.Fingerprint]bool
}

func (u uniqueness) addID(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("%q is not a member id", id)
	}
	if u.ids[id] {
		return fmt.Errorf("the member id %q occurs twice", id)
	}
	u.ids[id] = true
	return nil
}

func (u uniqueness) addPeer(id, label string, fp identity.Fingerprint, certificate []byte, addresses []string) error {
	if err := u.addID(id); err != nil {
		return err
	}
	if err := CheckLabel(label); err != nil {
		return err
	}
	parsed, err := identity.ParseCertificate(certificate)
	if err != nil {
		return err
	}
	if parsed.Fingerprint != fp {
		return errors.New("the fingerprint is not the one of its certificate")
	}
	if u.pins[fp] {
		return errors.New("its certificate occurs twice")
	}
	u.pins[fp] = true
	return CheckAddresses(addresses)
}

// ValidID says whether id has the form of a member id, which is the one that
// statements name it in: 1 to MaxIDLen lower-case letters, digits and dashes, no
// dash first.
func ValidID(id string) bool { return statement.ValidMember(id) }

func isIDRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }

// CheckLabel refuses a label that is not one line of 1 to MaxLabel printable
// characters without a slash, or that starts or ends with a space.
func CheckLabel(label string) error { return checkName(label, MaxLabel) }

// CheckCrewName is CheckLabel for the name of a crew.
func CheckCrewName(name string) error { return checkName(name, MaxCrewName) }

func checkName(name string, most int) error {
	printable := utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	if n := utf8.RuneCountInString(name); n == 0 || n > most || !printable || strings.ContainsRune(name, '/') || strings.TrimSpace(name) != name {
		return fmt.Errorf("%w: want one line of 1 to %d printable characters without a slash", ErrLabel, most)
	}
	return nil
}

// CheckAddresses refuses more than MaxAddresses, and each that CheckAddress
// refuses.
func CheckAddresses(addresses []string) error {
	if len(addresses) > MaxAddresses {
		return fmt.Errorf("%w: %d addresses, the most is %d", ErrAddress, len(addresses), MaxAddresses)
	}
	for _, address := range addresses {
		if err := CheckAddress(address); err != nil {
			return err
		}
	}
	return nil
}

// CheckAddress refuses what is not a host name or an IP address with a port
// number after it. It looks nothing up.
func CheckAddress(address string) error {
	if len(address) > MaxAddressLen {
		return fmt.Errorf("%w: it has %d bytes, the most is %d", ErrAddress, len(address), MaxAddressLen)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || strings.IndexFunc(host, func(r rune) bool { return !isHostRune(r) }) >= 0 {
		return fmt.Errorf("%w: %q", ErrAddress, address)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 || strconv.FormatUint(number, 10) != port {
		return fmt.Errorf("%w: %q has no port number from 1 to 65535", ErrAddress, address)
	}
	return nil
}

func isHostRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_:%", r)
}
