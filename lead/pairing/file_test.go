package pairing

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/node/api"
)

// damage overwrites the file in place, as a crash or a person would.
func (f *fixture) damage(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) bytes() string {
	f.t.Helper()
	data, err := os.ReadFile(f.path)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

func TestAListThatCannotBeReadRefusesAllAndKeepsItsBytes(t *testing.T) {
	t.Parallel()
	whole := func() (*fixture, string, string) {
		f := open(t)
		token := f.pair("pixel", 0)
		return f, token, f.bytes()
	}
	for name, bad := range map[string]func(good string) string{
		"half-written":    func(good string) string { return good[:len(good)/2] },
		"empty":           func(string) string { return "" },
		"no devices":      func(string) string { return `{"version":1}` },
		"unknown version": func(good string) string { return strings.Replace(good, `"version": 1`, `"version": 2`, 1) },
		"unknown field":   func(good string) string { return strings.Replace(good, `"label"`, `"admin": true, "label"`, 1) },
		"label to clean":  func(good string) string { return strings.Replace(good, `"pixel"`, `"pi\u200bxel"`, 1) },
		"no token": func(string) string {
			return `{"version":1,"devices":[{"label":"a","createdAt":"2026-11-30T12:00:00Z"}]}`
		},
		"too large": func(good string) string { return good + strings.Repeat(" ", maxFileBytes) },
	} {
		f, token, good := whole()
		device := f.accepted(token, "pixel")
		broken := bad(good)
		f.damage(broken)
		f.refused(token, api.ErrPairingUnavailable)
		f.refused("unknown", api.ErrPairingUnavailable)
		if _, err := f.Devices(); !errors.Is(err, api.ErrPairingUnavailable) {
			t.Errorf("%s: devices: %v", name, err)
		}
		if err := f.Revoke(context.Background(), "pixel"); !errors.Is(err, api.ErrPairingUnavailable) {
			t.Errorf("%s: revoke: %v", name, err)
		}
		f.flush()
		if f.bytes() != broken {
			t.Errorf("%s: the bytes changed", name)
		}
		f.damage(good)
		f.accepted(token, "pixel")
		if over(device) {
			t.Errorf("%s: the stream of a paired device ended", name)
		}
	}
}

func TestAListThatVanishesIsNotAnEmptyOne(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	good := f.bytes()
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	f.refused(token, api.ErrPairingUnavailable)
	f.damage(good)
	f.accepted(token, "pixel")
}

func TestADeviceTakenOutByHandIsRevoked(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	device := f.accepted(token, "pixel")
	f.damage(`{"version":1,"devices":[]}`)
	f.refused(token, ErrNotPaired)
	if !over(device) {
		t.Fatal("its stream goes on")
	}
}

func TestAnEditByHandDoesNotForgetWhenADeviceWasSeen(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	f.pass(time.Minute)
	seen := f.clock()
	f.accepted(token, "pixel")
	f.damage(strings.Replace(f.bytes(), `"pixel"`, `"my pixel"`, 1))
	devices, err := f.Devices()
	if err != nil || devices[0].Label != "my pixel" || !devices[0].LastSeenAt.Equal(seen) {
		t.Fatalf("devices: %+v, %v", devices, err)
	}
}

func TestABrokenListAtTheStartIsMendedWithoutARestart(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	good := f.bytes()
	f.Close()
	f.damage(good[:10])
	f.Store = Open(f.path, f.Options)
	f.refused(token, api.ErrPairingUnavailable)
	f.damage(good)
	f.accepted(token, "pixel")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"devices":[]}`))
	f.Add([]byte(`{"version":1,"devices":[{"label":"a","token":"` + strings.Repeat("ab", 32) + `","createdAt":"2026-11-30T12:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"devices":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, err := parse(data)
		if err != nil {
			return
		}
		again, err := atomicfile.EncodeJSON(version, list{Devices: records})
		if err != nil {
			return // a year that cannot be written
		}
		if _, err := parse(again); err != nil {
			t.Fatalf("what was read cannot be read again: %v\n%s", err, again)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	s := Open(b.TempDir()+"/devices.json", Options{Audit: func(Entry) error { return nil }})
	b.Cleanup(s.Close)
	records := make([]record, 20)
	for i := range records {
		records[i] = record{Label: "d" + string(rune('a'+i)), CreatedAt: time.Now()}
		records[i].Token[0] = byte(i + 1)
	}
	if err := s.write(records); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Authenticate("unknown"); !errors.Is(err, ErrNotPaired) {
			b.Fatal(err)
		}
	}
}
