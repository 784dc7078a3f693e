package secret_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"collie/crypto/secret"
)

func TestTokenIsTheOneOfItsBytesAndNeverBeginsLikeAnOption(t *testing.T) {
	t.Parallel()
	dash := bytes.Repeat([]byte{0xfb}, 32) // "-_v7…"
	drawn := append(dash, append([]byte{0xff}, dash[:31]...)...)
	if got := secret.NewToken(bytes.NewReader(drawn)); got != "__v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s" || len(got) != secret.TokenLen {
		t.Errorf("token is %q", got)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	d := secret.Hash("abc")
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2
	if d.String() != want {
		t.Errorf("digest is %s", d)
	}
	if !d.Matches("abc") || d.Matches("abd") || d.Matches("") {
		t.Error("it matches other text, or not its own")
	}
	if (secret.Digest{}).Matches("") {
		t.Error("an absent digest matches absent text")
	}
	var back secret.Digest
	if err := back.UnmarshalText([]byte(want)); err != nil || !back.Equal(d) {
		t.Errorf("read back it is %s, %v", back, err)
	}
	for _, text := range []string{"", want[1:], want + "0", strings.ToUpper(want), "x" + want[1:]} {
		if err := back.UnmarshalText([]byte(text)); !errors.Is(err, secret.ErrDigest) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := d.LogValue().String(); got != "set" {
		t.Errorf("a log shows %q", got)
	}
}

func TestShortRandomnessIsNeverASecret(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(){
		"token": func() { secret.NewToken(bytes.NewReader(make([]byte, 31))) },
		"key":   func() { secret.NewKey(bytes.NewReader(make([]byte, 31))) },
		"code":  func() { secret.NewCode(bytes.NewReader(make([]byte, 7))) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a %s was drawn from too little", name)
				}
			}()
			draw()
		}()
	}
}

func TestCodeIsDrawnWithoutFavour(t *testing.T) {
	t.Parallel()
	// 250 to 255 are passed over; 0, 25 and 225 give the first character.
	drawn := []byte{250, 255, 0, 25, 225, 249, 24, 1, 2, 3}
	if got := secret.NewCode(bytes.NewReader(drawn)); got != "222YY345" {
		t.Errorf("code is %q", got)
	}
}

func TestNormalizeCode(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"ACDE2345":                         "ACDE2345",
		"acde-2345":                        "ACDE2345",
		" ac de\t23\u00a045\n":             "ACDE2345",
		"\u202aACDE\u20112345\u200b\ufe0f": "ACDE2345",
		"ACDE\u20142345":                   "ACDE2345",
		"ACDE234":                          "",
		"ACDE23456":                        "",
		"ACDE234O":                         "",
		"ACDE_2345":                        "",
		"ACDÉ2345":                         "",
		"":                                 "",
		strings.Repeat(" ", 300):           "",
	} {
		if got := secret.NormalizeCode(typed); got != want {
			t.Errorf("NormalizeCode(%q) = %q, want %q", typed, got, want)
		}
	}
}

func FuzzNormalizeCode(f *testing.F) {
	f.Add("acde-2345")
	f.Add("ſ\u200b")
	f.Fuzz(func(t *testing.T, typed string) {
		code := secret.NormalizeCode(typed)
		if code != "" && (len(code) != secret.CodeLen || secret.NormalizeCode(code) != code) {
			t.Errorf("NormalizeCode(%q) = %q", typed, code)
		}
	})
}

func TestCodesSurviveNormalizing(t *testing.T) {
	t.Parallel()
	for range 200 {
		if code := secret.NewCode(rand.Reader); secret.NormalizeCode(strings.ToLower(code[:4])+"-"+code[4:]) != code {
			t.Fatalf("code %q does not come back", code)
		}
	}
}
