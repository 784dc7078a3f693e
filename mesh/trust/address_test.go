package trust_test

import (
	"errors"
	"strings"
	"testing"

	"collie/mesh/trust"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"10.0.0.1:8788", "host:1", "a.b-c.example:65535", "[::1]:8788", "[fe80::1%eth0]:8788"} {
		if err := trust.CheckAddress(address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{
		"", "host", "host:", ":8788", "host:0", "host:65536", "host:+1", "host:08", "host:http", "a b:1", "a/b:1", "a@b:1", "::1:8788",
		"http://host:1", "host:1\n", strings.Repeat("a", 270) + ":1",
	} {
		if err := trust.CheckAddress(address); !errors.Is(err, trust.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func FuzzCheckAddress(f *testing.F) {
	f.Add("[::1]:8788")
	f.Fuzz(func(t *testing.T, address string) {
		if trust.CheckAddress(address) == nil && strings.ContainsAny(address, " /@\n\x00?#") {
			t.Errorf("%q is taken for an address", address)
		}
	})
}
