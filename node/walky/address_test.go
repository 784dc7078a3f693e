package walky

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want Address
	}{
		{"atlas:p3#k3f9", Address{"atlas", "p3", "k3f9"}},
		{"p3#k3f9", Address{"", "p3", "k3f9"}},
		{"a-1:%12#2222", Address{"a-1", "%12", "2222"}},
		{"9:@w.x_y-z#zzzz", Address{"9", "@w.x_y-z", "zzzz"}},
		{strings.Repeat("m", 63) + ":" + strings.Repeat("p", 64) + "#abcd", Address{strings.Repeat("m", 63), strings.Repeat("p", 64), "abcd"}},
	} {
		got, err := ParseAddress(test.text)
		if err != nil || got != test.want || got.String() != test.text {
			t.Errorf("ParseAddress(%q) = %+v (%s), %v", test.text, got, got, err)
		}
	}
	for _, text := range []string{
		"", "p3", "#k3f9", "p3#", "p3#k3f", "p3#k3f99", "p3#K3F9", "p3#k0f9", "p3#k1f9", "p3#kif9", "p3#kof9", "p3#klf9",
		":p3#k3f9", "-a:p3#k3f9", "Atlas:p3#k3f9", "at las:p3#k3f9", "atlas:p3#k3f9 ", "atlas:.p#k3f9", "atlas:p/3#k3f9",
		"a:b:p3#k3f9", "p3#k3f9#k3f9", "p\n3#k3f9", "p3#k3f9\n", "é:p3#k3f9",
		strings.Repeat("m", 64) + ":p#abcd", strings.Repeat("p", 65) + "#abcd",
	} {
		if got, err := ParseAddress(text); !errors.Is(err, ErrAddress) {
			t.Errorf("ParseAddress(%q) = %+v, %v; want ErrAddress", text, got, err)
		}
	}
}

func TestAddressOfAPersonIsShownAndCannotBeParsed(t *testing.T) {
	t.Parallel()
	for address, want := range map[Address]string{{}: "local", {Machine: "atlas"}: "atlas"} {
		if got := address.String(); got != want {
			t.Errorf("String = %q, want %q", got, want)
		}
		if _, err := ParseAddress(address.String()); !errors.Is(err, ErrAddress) {
			t.Errorf("ParseAddress(%q): %v", address, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, text := range []string{"atlas:p3#k3f9", "p3#k3f9", ":#", "a:%@#2222", "a:b:c#dddd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			if !errors.Is(err, ErrAddress) || len(err.Error()) > 600 {
				t.Fatalf("refusal %v", err)
			}
			return
		}
		if a.String() != text || !a.isSession() || strings.ContainsAny(text, " \n\r\t\x1b;|&$`\"'\\<>(){}") {
			t.Fatalf("%q was taken as %+v", text, a)
		}
	})
}

func TestTokenIsDrawnWithoutBias(t *testing.T) {
	t.Parallel()
	// 31 stands for no character and is drawn again; of a byte five bits count.
	token, err := drawToken(bytes.NewReader([]byte{0, 31, 30, 0xff, 32 + 8, 9}))
	if err != nil || token != "2zab" {
		t.Fatalf("drawToken = %q, %v; want 2zab", token, err)
	}
	if _, err := drawToken(bytes.NewReader([]byte{1})); err == nil {
		t.Fatal("drawToken without randomness succeeded")
	}
	if len(tokenChars) != 31 || !isToken(token) {
		t.Fatalf("alphabet of %d characters", len(tokenChars))
	}
}
