package statement_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"collie/crypto/statement"
)

// signer is an Ed25519 key of constant bytes.
type signer struct{ key ed25519.PrivateKey }

func (s signer) Sign(message []byte) []byte { return ed25519.Sign(s.key, message) }

func (s signer) public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

func key(fill byte) signer {
	return signer{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{fill}, ed25519.SeedSize))}
}

func message() statement.Message {
	return statement.Message{
		CrewID:  statement.CrewID{1, 2, 3},
		ID:      "01ARZ3NDEKTSV4RRFFQ69G5FAV",
		From:    statement.From{Member: "atlas", Pane: "p3", Token: "k3f9", Label: "Büro"},
		To:      statement.To{Member: "box-2", Pane: "%7", Token: "a2b3"},
		SentAt:  time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC),
		ReplyTo: "01ARZ3NDEKTSV4RRFFQ69G5FAW",
		Digest:  [32]byte{9, 9},
		Length:  16384,
	}
}

func attestation() statement.Attestation {
	return statement.Attestation{
		CrewID:            statement.CrewID{1, 2, 3},
		Generation:        7,
		MessageID:         "01ARZ3NDEKTSV4RRFFQ69G5FAV",
		MessageDigest:     [32]byte{8, 8},
		Sender:            "atlas",
		SenderFingerprint: [32]byte{5},
		Receiver:          "box-2",
		At:                time.Date(2026, 11, 30, 12, 0, 1, 0, time.UTC),
	}
}

func sign(t testing.TB, k statement.Kind) statement.Signed {
	t.Helper()
	s, err := statement.Sign(key(1), k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBytesAreTheOnesOfTheVectors(t *testing.T) {
	t.Parallel()
	for name, k := range kinds {
		want, err := os.ReadFile("testdata/" + name + ".hex")
		if err != nil {
			t.Fatal(err)
		}
		s := sign(t, k.sample)
		if got := hex.EncodeToString(s.Statement) + "\n" + hex.EncodeToString(s.Signature) + "\n"; got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", name, got, want)
		}
	}
}

func TestOpenGivesBackWhatWasSigned(t *testing.T) {
	t.Parallel()
	bare := message()
	bare.From.Pane, bare.From.Token, bare.From.Label, bare.ReplyTo = "", "", "", ""
	for _, m := range []statement.Message{message(), bare} {
		if got, err := statement.OpenMessage(sign(t, m), key(1).public()); err != nil || got != m {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if got, err := statement.OpenAttestation(sign(t, attestation()), key(1).public()); err != nil || got != attestation() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOpenRefusesEveryChangedBit(t *testing.T) {
	t.Parallel()
	good := sign(t, message())
	for i := range good.Statement {
		bad := statement.Signed{Statement: bytes.Clone(good.Statement), Signature: good.Signature}
		bad.Statement[i] ^= 1
		if _, err := statement.OpenMessage(bad, key(1).public()); !errors.Is(err, statement.ErrSignature) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for name, s := range map[string]statement.Signed{
		"no signature":      {Statement: good.Statement},
		"another signature": {Statement: good.Statement, Signature: sign(t, attestation()).Signature},
		"nothing":           {},
	} {
		if _, err := statement.OpenMessage(s, key(1).public()); !errors.Is(err, statement.ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := statement.OpenMessage(good, key(2).public()); !errors.Is(err, statement.ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	if _, err := statement.OpenMessage(good, nil); !errors.Is(err, statement.ErrSignature) {
		t.Errorf("no key: %v", err)
	}
}

func TestSignedBytesThatAreNotCanonicalAreRefused(t *testing.T) {
	t.Parallel()
	good := sign(t, message()).Statement
	for name, data := range map[string][]byte{
		"nothing":          {},
		"one byte":         {0},
		"a trailing byte":  append(bytes.Clone(good), 0),
		"a trailing field": append(bytes.Clone(good), 0, 0),
		"cut":              good[:len(good)-1],
		"another domain":   bytes.Replace(good, []byte("message v1"), []byte("message v2"), 1),
		"a member's case":  bytes.Replace(good, []byte("atlas"), []byte("Atlas"), 1),
		"a line end":       bytes.Replace(good, []byte("B\xc3\xbcro"), []byte("B\xc3\xbc\no"), 1),
		"broken UTF-8":     bytes.Replace(good, []byte("B\xc3\xbcro"), []byte("B\xc3\xc3ro"), 1),
		"too large":        make([]byte, statement.MaxSize+1),
	} {
		s := statement.Signed{Statement: data, Signature: key(1).Sign(data)}
		if _, err := statement.OpenMessage(s, key(1).public()); !errors.Is(err, statement.ErrStatement) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingOutOfBoundsIsSigned(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*statement.Message){
		"no id":             func(m *statement.Message) { m.ID = "" },
		"a lower-case ULID": func(m *statement.Message) { m.ID = strings.ToLower(m.ID) },
		"a ULID above 128 bits": func(m *statement.Message) {
			m.ID = "8" + m.ID[1:]
		},
		"no sender":         func(m *statement.Message) { m.From.Member = "" },
		"a dash first":      func(m *statement.Message) { m.From.Member = "-a" },
		"a long member":     func(m *statement.Message) { m.To.Member = strings.Repeat("a", 64) },
		"a pane as path":    func(m *statement.Message) { m.To.Pane = "a/b" },
		"no receiving pane": func(m *statement.Message) { m.To.Pane = "" },
		"a long label":      func(m *statement.Message) { m.From.Label = strings.Repeat("ü", 97) },
		"a time before":     func(m *statement.Message) { m.SentAt = time.Unix(-1, 0) },
		"no time":           func(m *statement.Message) { m.SentAt = time.Time{} },
		"a short reply id":  func(m *statement.Message) { m.ReplyTo = "01" },
		"a long body":       func(m *statement.Message) { m.Length = statement.MaxBody + 1 },
	} {
		m := message()
		change(&m)
		if _, err := statement.Sign(key(1), m); !errors.Is(err, statement.ErrStatement) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCrewIDHasOneSpelling(t *testing.T) {
	t.Parallel()
	id, err := statement.NewCrewID(bytes.NewReader(bytes.Repeat([]byte{0xab}, 16)))
	if err != nil || id.String() != "abababababababababababababababab" {
		t.Fatalf("%v, %v", id, err)
	}
	var back statement.CrewID
	if err := back.UnmarshalText([]byte(id.String())); err != nil || back != id {
		t.Errorf("read back it is %v, %v", back, err)
	}
	for _, text := range []string{"", "ab", strings.ToUpper(id.String()), id.String() + "ab", "x" + id.String()[1:]} {
		if err := back.UnmarshalText([]byte(text)); !errors.Is(err, statement.ErrCrewID) || back != id {
			t.Errorf("%q: %v, %v", text, back, err)
		}
	}
	if _, err := statement.NewCrewID(bytes.NewReader(make([]byte, 15))); err == nil {
		t.Error("a crew id from 15 random bytes")
	}
}

func TestIDsHaveOneForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ member, pane bool }{
		"a": {true, true}, "0-a-": {true, true}, strings.Repeat("m", 63): {true, true}, strings.Repeat("p", 64): {false, true},
		"A": {false, true}, "%1": {false, true}, "@1": {false, true}, "a.b_c": {false, true},
		"": {}, "-a": {}, ".": {}, "..": {}, "_a": {}, "a/b": {}, "a b": {}, "a\n": {}, "é": {}, "a\x00": {}, strings.Repeat("p", 65): {},
	} {
		if got := statement.ValidMember(text); got != want.member {
			t.Errorf("%q as a member: %v", text, got)
		}
		if got := statement.ValidPane(text); got != want.pane {
			t.Errorf("%q as a pane: %v", text, got)
		}
	}
}

// FuzzOpen signs whatever bytes it is given: what is read from them must be
// encoded as these very bytes again.
func FuzzOpen(f *testing.F) {
	for _, k := range kinds {
		f.Add(sign(f, k.sample).Statement)
	}
	f.Add(sign(f, phoned()).Statement)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := statement.Signed{Statement: data, Signature: key(1).Sign(data)}
		var read statement.Kind
		for name, k := range kinds {
			if name == "revocation" {
				continue // a warrant
			}
			if got, err := k.open(s); err == nil {
				if read != nil {
					t.Fatal("one statement is two kinds")
				}
				read = got
			}
		}
		if read == nil {
			return
		}
		if again := sign(t, read); !bytes.Equal(again.Statement, data) {
			t.Errorf("read from %x, written as %x", data, again.Statement)
		}
	})
}

func BenchmarkSignAndOpen(b *testing.B) {
	k, m := key(1), message()
	public := k.public()
	b.Run("statement", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := statement.Sign(k, m)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := statement.OpenMessage(s, public); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ed25519 alone", func(b *testing.B) {
		data := sign(b, m).Statement
		for b.Loop() {
			if !ed25519.Verify(public, data, k.Sign(data)) {
				b.Fatal("refused")
			}
		}
	})
}
