package trust_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// owners has what owner drew before, by number: drawing takes longer than all
// else that a test does.
var owners sync.Map

// owner returns an identity of its own for every number.
func owner(t testing.TB, number byte) *identity.Identity {
	t.Helper()
	if id, drawn := owners.Load(number); drawn {
		return id.(*identity.Identity)
	}
	id, err := identity.Generate(bytes.NewReader(bytes.Repeat([]byte{number}, 48)), start)
	if err != nil {
		t.Fatal(err)
	}
	owners.Store(number, id)
	return id
}

// node returns the certificate of an identity.
func node(t testing.TB, number byte) *identity.Certificate {
	t.Helper()
	id := owner(t, number)
	return &identity.Certificate{Fingerprint: id.Fingerprint(), PublicKey: id.PublicKey(), DER: id.Certificate()}
}

// the lead's own certificate
const own = 0

func founded(t testing.TB) *trust.Crew {
	t.Helper()
	return must(t)(trust.Found(nil, trust.Founding{
		ID: statement.CrewID{1}, Name: "barn", Label: "Lead box", Secret: bytes.Repeat([]byte{7}, 32),
	}))
}

func must(t testing.TB) func(*trust.Crew, error) *trust.Crew {
	return func(c *trust.Crew, err error) *trust.Crew {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func invited(t testing.TB, c *trust.Crew, token string, now time.Time) *trust.Crew {
	t.Helper()
	next, _, err := trust.AddInvite(c, secret.Hash(token), now)
	return must(t)(next, err)
}

func admission(t testing.TB, token string, number byte, label string) trust.Admission {
	return trust.Admission{Token: token, Certificate: node(t, number), Label: label, Own: node(t, own).Fingerprint}
}

// crewOf is a lead with two members, atlas (1) and box (2, unconfirmed).
func crewOf(t testing.TB) *trust.Crew {
	t.Helper()
	c := invited(t, invited(t, founded(t), "one", start), "two", start)
	c, _, err := trust.Admit(c, admission(t, "one", 1, "atlas"), start)
	c = must(t)(trust.Confirm(must(t)(c, err), node(t, 1).Fingerprint, 1))
	c, _, err = trust.Admit(c, admission(t, "two", 2, "box"), start)
	return invited(t, must(t)(c, err), "three", start)
}

func open(t testing.TB, path string) *trust.Store {
	t.Helper()
	s, err := trust.Open(path, func() time.Time { return start })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// set returns a change that ignores the old crew.
func set(c *trust.Crew) func(*trust.Crew) (*trust.Crew, error) {
	return func(*trust.Crew) (*trust.Crew, error) { return c, nil }
}

func TestMemberKnowsItsLeadAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	joined := trust.Joined{
		ID: statement.CrewID{1}, Name: "barn", Generation: 1, Secret: bytes.Repeat([]byte{7}, 32), SecretGeneration: 1,
		Self: trust.Self{SelfID: "atlas", SelfLabel: "atlas"},
		Lead: trust.Lead{ID: "lead", Label: "lead", Fingerprint: node(t, own).Fingerprint, Certificate: node(t, own).DER, Addresses: []string{"10.0.0.1:8788"}},
	}
	c := must(t)(trust.Join(nil, joined))
	if err := open(t, path).Update(set(c)); err != nil {
		t.Fatal(err)
	}
	c = open(t, path).Crew()
	if id, grade := c.Pin(node(t, own).Fingerprint); id != "lead" || grade != trust.GradeLead {
		t.Errorf("the lead is %s/%s", id, grade)
	}
	if c.Grade(node(t, 1).Fingerprint) != trust.GradeNone {
		t.Error("a stranger has a grade")
	}
	if _, err := trust.Join(c, joined); err != nil {
		t.Errorf("joining the same crew again: %v", err)
	}
	other := joined
	other.Lead.Fingerprint = node(t, 5).Fingerprint
	if _, err := trust.Join(c, other); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("joining another lead: %v", err)
	}
	other = joined
	other.ID = statement.CrewID{2}
	if _, err := trust.Join(c, other); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("joining another crew of the lead: %v", err)
	}
	for name, err := range map[string]error{
		"invites": second(trust.AddInvite(c, secret.Hash("x"), start)),
		"removes": last(trust.RemoveMember(c, "lead", owner(t, own), start)),
		"admits":  second(trust.Admit(c, admission(t, "x", 3, "x"), start)),
	} {
		if !errors.Is(err, trust.ErrNotLead) {
			t.Errorf("a member %s: %v", name, err)
		}
	}
	if next, err := trust.Leave(c); next != nil || err != nil {
		t.Errorf("leaving gave %v, %v", next, err)
	}
}

func second[T any](_ *trust.Crew, _ T, err error) error { return err }

func last(_ *trust.Crew, err error) error { return err }

func TestLeavingAndFounding(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	s := open(t, path)
	if err := s.Update(set(crewOf(t))); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(trust.Leave); !errors.Is(err, trust.ErrHasMembers) {
		t.Errorf("a lead with members leaves: %v", err)
	}
	if err := last(trust.Found(s.Crew(), trust.Founding{})); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("founding twice: %v", err)
	}
	for _, id := range []string{"atlas", "box"} {
		if err := s.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, id, owner(t, own), start) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := last(trust.RemoveMember(s.Crew(), "box", owner(t, own), start)); !errors.Is(err, trust.ErrNoMember) {
		t.Errorf("removing twice: %v", err)
	}
	if err := s.Update(trust.Leave); err != nil || s.Crew() != nil {
		t.Errorf("leaving: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
	if err := s.Update(trust.Leave); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("leaving twice: %v", err)
	}
}

func TestLogsNameACrewAndShowNoSecret(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	var solo *trust.Crew
	log.Info("state", "crew", founded(t))
	log.Info("state", "crew", solo)
	if !strings.HasSuffix(strings.SplitN(out.String(), "\n", 2)[0], "crew.id=01000000000000000000000000000000 crew.role=lead") || !strings.HasSuffix(out.String(), "crew=solo\n") {
		t.Errorf("the log reads %s", out.String())
	}
}

func TestIdentityFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.IdentityFileName)
	if _, err := trust.LoadIdentity(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("an absent one: %v", err)
	}
	random := bytes.NewReader(make([]byte, 48))
	minted, err := trust.EnsureIdentity(path, random, start)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := trust.EnsureIdentity(path, random, start)
	if err != nil || kept.Fingerprint() != minted.Fingerprint() {
		t.Errorf("the second time: %v", err)
	}
	if err := atomicfile.Write(path, []byte("cut")); err != nil {
		t.Fatal(err)
	}
	var refused *trust.RefusedError
	if _, err := trust.EnsureIdentity(path, random, start); !errors.As(err, &refused) || refused.Path != path {
		t.Errorf("a broken one: %v", err)
	}
	if err := trust.DiscardIdentity(path); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.LoadIdentity(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a discarded one: %v", err)
	}
}
