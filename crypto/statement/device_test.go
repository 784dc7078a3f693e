package statement_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"collie/crypto/statement"
)

// phoned is what a lead signs of a message that a person wrote on a phone.
func phoned() statement.Message {
	m := message()
	m.From.Pane, m.From.Token, m.From.Label, m.From.Device = "", "", "phone Büro", "Büro"
	return m
}

func TestAMessageOfAPhoneHasTheBytesOfItsVectorAndComesBack(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/message-phone.hex")
	if err != nil {
		t.Fatal(err)
	}
	s := sign(t, phoned())
	if got := hex.EncodeToString(s.Statement) + "\n" + hex.EncodeToString(s.Signature) + "\n"; got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, err := statement.OpenMessage(s, key(1).public()); err != nil || got != phoned() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The device is the last field and is left out when there is none: without it
// the bytes are those of before there was the field, and nobody but the signer
// can take it off.
func TestADeviceIsThereOrIsNotAndIsNeverEmpty(t *testing.T) {
	t.Parallel()
	with := phoned()
	without := with
	without.From.Device = ""
	long, short := sign(t, with), sign(t, without)
	if tail := "\x00\x05B\xc3\xbcro"; string(long.Statement) != string(short.Statement)+tail {
		t.Errorf("with a device %x, without %x", long.Statement, short.Statement)
	}
	cut := statement.Signed{Statement: short.Statement, Signature: long.Signature}
	if _, err := statement.OpenMessage(cut, key(1).public()); !errors.Is(err, statement.ErrSignature) {
		t.Errorf("with its device cut off: %v", err)
	}
	for name, data := range map[string][]byte{
		"empty":      append(bytes.Clone(short.Statement), 0, 0),
		"half":       long.Statement[:len(long.Statement)-1],
		"two lines":  append(bytes.Clone(short.Statement), "\x00\x03a\nb"...),
		"no UTF-8":   append(bytes.Clone(short.Statement), "\x00\x01\xff"...),
		"two fields": append(bytes.Clone(long.Statement), "\x00\x01a"...),
		"too long":   append(bytes.Clone(short.Statement), "\x00\xc1"+strings.Repeat("a", 193)...),
	} {
		s := statement.Signed{Statement: data, Signature: key(1).Sign(data)}
		if got, err := statement.OpenMessage(s, key(1).public()); !errors.Is(err, statement.ErrStatement) {
			t.Errorf("%s: %+v, %v", name, got.From, err)
		}
	}
	with.From.Device = strings.Repeat("a", 193)
	if _, err := statement.Sign(key(1), with); !errors.Is(err, statement.ErrStatement) {
		t.Errorf("signed: %v", err)
	}
}
