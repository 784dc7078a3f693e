package statement_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
)

func warrant() statement.Warrant {
	return statement.Warrant{
		CrewID:            statement.CrewID{1, 2, 3},
		Generation:        7,
		Lead:              "atlas",
		Deputy:            "box-2",
		DeputyFingerprint: identity.Fingerprint{6},
		IssuedAt:          time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC),
		RefreshedAt:       time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
	}
}

// revocation names nobody.
func revocation() statement.Warrant {
	w := warrant()
	w.Generation, w.Deputy, w.DeputyFingerprint = 8, "", identity.Fingerprint{}
	return w
}

func handover() statement.Handover {
	return statement.Handover{
		CrewID:             statement.CrewID{1, 2, 3},
		Generation:         9,
		NewLead:            "box-2",
		NewLeadFingerprint: identity.Fingerprint{6},
		At:                 time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC),
	}
}

func takeover() statement.Takeover {
	return statement.Takeover{
		CrewID:     statement.CrewID{1, 2, 3},
		Generation: 8,
		Warrant:    [32]byte{4, 4},
		At:         time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC),
	}
}

func bundle() statement.Bundle {
	return statement.Bundle{
		CrewID:            statement.CrewID{1, 2, 3},
		Generation:        7,
		Deputy:            "box-2",
		DeputyFingerprint: identity.Fingerprint{6},
		Counter:           12,
		At:                time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
		Digest:            [32]byte{3, 3},
		Length:            2048,
	}
}

// kinds is one statement of every kind, and how each is opened.
var kinds = map[string]struct {
	sample statement.Kind
	open   func(statement.Signed) (statement.Kind, error)
}{
	"message": {message(), func(s statement.Signed) (statement.Kind, error) {
		return statement.OpenMessage(s, key(1).public())
	}},
	"attestation": {attestation(), func(s statement.Signed) (statement.Kind, error) {
		return statement.OpenAttestation(s, key(1).public())
	}},
	"warrant": {warrant(), openWarrant},
	// The same kind with other bytes.
	"revocation": {revocation(), openWarrant},
	"handover": {handover(), func(s statement.Signed) (statement.Kind, error) {
		return statement.OpenHandover(s, key(1).public())
	}},
	"takeover": {takeover(), func(s statement.Signed) (statement.Kind, error) {
		return statement.OpenTakeover(s, key(1).public())
	}},
	"bundle": {bundle(), func(s statement.Signed) (statement.Kind, error) {
		return statement.OpenBundle(s, key(1).public())
	}},
}

func openWarrant(s statement.Signed) (statement.Kind, error) {
	return statement.OpenWarrant(s, key(1).public())
}

func TestEveryKindComesBackAsItWasSignedAndIsReadAsNoOther(t *testing.T) {
	t.Parallel()
	for name, k := range kinds {
		s := sign(t, k.sample)
		if got, err := k.open(s); err != nil || got != k.sample {
			t.Errorf("%s comes back as %+v, %v", name, got, err)
		}
		for other, as := range kinds {
			got, err := as.open(s)
			if same := name == "warrant" && other == "revocation" || name == "revocation" && other == "warrant" || name == other; !same && !errors.Is(err, statement.ErrStatement) {
				t.Errorf("%s is read as %s: %+v, %v", name, other, got, err)
			}
		}
	}
}

func TestEveryKindRefusesEveryChangedBitEveryCutAndAByteMore(t *testing.T) {
	t.Parallel()
	for name, k := range kinds {
		good := sign(t, k.sample)
		for i := range good.Statement {
			bad := statement.Signed{Statement: bytes.Clone(good.Statement), Signature: good.Signature}
			bad.Statement[i] ^= 1
			if _, err := k.open(bad); !errors.Is(err, statement.ErrSignature) {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			cut := statement.Signed{Statement: good.Statement[:i], Signature: key(1).Sign(good.Statement[:i])}
			if _, err := k.open(cut); !errors.Is(err, statement.ErrStatement) {
				t.Fatalf("%s, signed cut at %d: %v", name, i, err)
			}
		}
		more := append(bytes.Clone(good.Statement), 0)
		if _, err := k.open(statement.Signed{Statement: more, Signature: key(1).Sign(more)}); !errors.Is(err, statement.ErrStatement) {
			t.Errorf("%s with a byte more: %v", name, err)
		}
		if _, err := k.open(statement.Signed{Statement: good.Statement, Signature: key(2).Sign(good.Statement)}); !errors.Is(err, statement.ErrSignature) {
			t.Errorf("%s signed by another key: %v", name, err)
		}
	}
}

func TestNothingOfASuccessionIsSignedOutOfBounds(t *testing.T) {
	t.Parallel()
	for name, k := range map[string]statement.Kind{
		"a deputy without a certificate": edit(warrant(), func(w *statement.Warrant) { w.DeputyFingerprint = identity.Fingerprint{} }),
		"a certificate of nobody":        edit(warrant(), func(w *statement.Warrant) { w.Deputy = "" }),
		"no lead":                        edit(warrant(), func(w *statement.Warrant) { w.Lead = "" }),
		"refreshed before it was issued": edit(warrant(), func(w *statement.Warrant) { w.RefreshedAt = w.IssuedAt.Add(-time.Millisecond) }),
		"never issued":                   edit(warrant(), func(w *statement.Warrant) { w.IssuedAt = time.Time{} }),
		"a warrant's generation":         edit(warrant(), func(w *statement.Warrant) { w.Generation = 1<<62 + 1 }),
		"a handover to nobody":           edit(handover(), func(h *statement.Handover) { h.NewLead = "" }),
		"a handover to a path":           edit(handover(), func(h *statement.Handover) { h.NewLead = "a/b" }),
		"a handover's generation":        edit(handover(), func(h *statement.Handover) { h.Generation = 1<<62 + 1 }),
		"a takeover's generation":        edit(takeover(), func(x *statement.Takeover) { x.Generation = 1<<62 + 1 }),
		"a takeover of no time":          edit(takeover(), func(x *statement.Takeover) { x.At = time.Time{} }),
		"a bundle for nobody":            edit(bundle(), func(b *statement.Bundle) { b.Deputy = "" }),
		"a bundle's counter":             edit(bundle(), func(b *statement.Bundle) { b.Counter = 1<<62 + 1 }),
		"a huge bundle":                  edit(bundle(), func(b *statement.Bundle) { b.Length = statement.MaxBundle + 1 }),
	} {
		if _, err := statement.Sign(key(1), k); !errors.Is(err, statement.ErrStatement) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func edit[K any](k K, change func(*K)) K {
	change(&k)
	return k
}

func TestReadWarrantLooksAtNoSignature(t *testing.T) {
	t.Parallel()
	s := sign(t, warrant())
	s.Signature = nil
	if got, err := statement.ReadWarrant(s); err != nil || got != warrant() || got.NamesNobody() {
		t.Errorf("got %+v, %v", got, err)
	}
	s = sign(t, handover())
	if _, err := statement.ReadWarrant(s); !errors.Is(err, statement.ErrStatement) {
		t.Errorf("a handover as warrant: %v", err)
	}
	if got, err := statement.ReadWarrant(sign(t, revocation())); err != nil || !got.NamesNobody() {
		t.Errorf("a revocation: %+v, %v", got, err)
	}
}

func TestBundleHoldsItsContentAlone(t *testing.T) {
	t.Parallel()
	b := bundle()
	b.Length, b.Digest = 6, sha256.Sum256([]byte("roster"))
	if !b.Holds([]byte("roster")) || b.Holds([]byte("Roster")) {
		t.Error("it does not hold its content alone")
	}
	b.Length++
	if b.Holds([]byte("roster")) {
		t.Error("it holds a content of another length")
	}
}
