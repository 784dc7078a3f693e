package sealed_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"collie/crypto/sealed"
)

func TestAFileIsOpenedByEachRecipientAndByTheRightPassphraseAlone(t *testing.T) {
	t.Parallel()
	one, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	two, err := sealed.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := sealed.LockFor("# mine\n" + one.Recipient() + "\n" + two.Recipient() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	content := []byte("what is kept")
	data, err := lock.Seal(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []sealed.Key{one, two} {
		unlock, err := sealed.UnlockWith(string(key.Marshal()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unlock.Open(data, 100); err != nil || !bytes.Equal(got, content) {
			t.Errorf("opened it is %q, %v", got, err)
		}
		if _, err := unlock.Open(data, 5); !errors.Is(err, sealed.ErrTooLarge) {
			t.Errorf("too large: %v", err)
		}
	}
	lock, err = sealed.LockCheaply("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if data, err = lock.Seal(content); err != nil {
		t.Fatal(err)
	}
	for phrase, want := range map[string]error{"correct horse": nil, "correct horse ": sealed.ErrSealed} {
		unlock, err := sealed.UnlockBy(phrase)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := unlock.Open(data, 100); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", phrase, err, want)
		}
	}
}

func TestWhatClosesOrOpensAFileIsRefusedByNameAndNotQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "age1nobody", "ssh-ed25519 AAAA"} {
		if _, err := sealed.LockFor(text); !errors.Is(err, sealed.ErrRecipient) {
			t.Errorf("the recipients %q: %v", text, err)
		}
	}
	for _, text := range []string{"", "AGE-SECRET-KEY-1SECRET", "secret"} {
		if _, err := sealed.UnlockWith(text); !errors.Is(err, sealed.ErrIdentities) || text != "" && strings.Contains(err.Error(), "SECRET-KEY-1SECRET") {
			t.Errorf("the identities %q: %v", text, err)
		}
	}
	if _, err := sealed.LockBy(""); !errors.Is(err, sealed.ErrPassphrase) {
		t.Errorf("no passphrase: %v", err)
	}
	if _, err := sealed.UnlockBy(""); !errors.Is(err, sealed.ErrPassphrase) {
		t.Errorf("no passphrase: %v", err)
	}
}
