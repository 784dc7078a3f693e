package sealed_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"collie/crypto/sealed"
)

func newKey(t testing.TB) sealed.Key {
	t.Helper()
	key, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func seal(t testing.TB, key sealed.Key, content []byte) []byte {
	t.Helper()
	data, err := sealed.Seal(key.Recipient(), content)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOnlyTheReceiverOpensIt(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		content := bytes.Repeat([]byte("c"), size)
		data := seal(t, key, content)
		if len(data) > sealed.Size(size) {
			t.Errorf("%d bytes are sealed as %d, more than %d", size, len(data), sealed.Size(size))
		}
		if got, err := sealed.Open(key, data, size); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if _, err := sealed.Open(newKey(t), data, size); !errors.Is(err, sealed.ErrSealed) {
			t.Errorf("somebody else opens %d bytes: %v", size, err)
		}
		if size > 0 {
			if _, err := sealed.Open(key, data, size-1); !errors.Is(err, sealed.ErrTooLarge) {
				t.Errorf("%d bytes with a limit below: %v", size, err)
			}
		}
	}
}

func TestWhatWasCutOrChangedAnywhereIsNotOpened(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	data := seal(t, key, []byte("roster"))
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		if _, err := sealed.Open(key, bad, 64); !errors.Is(err, sealed.ErrSealed) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := sealed.Open(key, data[:i], 64); !errors.Is(err, sealed.ErrSealed) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := sealed.Open(key, append(bytes.Clone(data), 0), 64); !errors.Is(err, sealed.ErrSealed) {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := sealed.Open(key, make([]byte, sealed.Size(64)+1), 64); !errors.Is(err, sealed.ErrTooLarge) {
		t.Errorf("huge: %v", err)
	}
}

// The vector was made with the age program, version 1.3.2.
func TestOpensWhatTheAgeProgramSealed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/age.key")
	if err != nil {
		t.Fatal(err)
	}
	key, err := sealed.UnmarshalKey(text)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/roster.age")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sealed.Open(key, data, 64); err != nil || string(got) != "roster\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestKeyHasOneSpelling(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	text := string(key.Marshal())
	if back, err := sealed.UnmarshalKey([]byte(text)); err != nil || back.Recipient() != key.Recipient() {
		t.Fatalf("read back: %v", err)
	}
	for name, bad := range map[string]string{
		"nothing":       "",
		"no line end":   strings.TrimSpace(text),
		"a second line": text + "\n",
		"a comment":     "# mine\n" + text,
		"lower case":    strings.ToLower(text),
		"cut":           text[:len(text)-2] + "\n",
		"a recipient":   key.Recipient() + "\n",
		"huge":          strings.Repeat("A", sealed.MaxKeyText+1),
	} {
		if _, err := sealed.UnmarshalKey([]byte(bad)); !errors.Is(err, sealed.ErrKey) || strings.Contains(err.Error(), strings.TrimSpace(text)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSealRefusesWhatIsNoRecipient(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	good := key.Recipient()
	if err := sealed.CheckRecipient(good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "age1", good[:len(good)-1], good + "q", strings.ToUpper(good), " " + good, string(key.Marshal()), strings.Repeat("a", sealed.MaxRecipient+1)} {
		if _, err := sealed.Seal(bad, nil); !errors.Is(err, sealed.ErrRecipient) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNoFormattingShowsAKey(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "key", key)
	fmt.Fprintf(&out, "%v %+v %#v %s %q %d", key, key, key, key, key, key)
	if got := out.String(); strings.Contains(strings.ToUpper(got), "SECRET") || !strings.Contains(got, key.Recipient()) {
		t.Errorf("printed as %s", got)
	}
}

// FuzzOpen opens any bytes: nothing that was not sealed is content.
func FuzzOpen(f *testing.F) {
	key := newKey(f)
	f.Add([]byte("age-encryption.org/v1\n"))
	f.Add(seal(f, newKey(f), []byte("roster")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if content, err := sealed.Open(key, data, 1<<10); err == nil {
			t.Errorf("opened as %q", content)
		} else if !errors.Is(err, sealed.ErrSealed) && !errors.Is(err, sealed.ErrTooLarge) {
			t.Errorf("refused with %v", err)
		}
	})
}
