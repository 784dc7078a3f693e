package trust_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"collie/mesh/trust"
)

// stored returns the bytes of crewOf's file.
func stored(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), trust.FileName)
	if err := open(t, path).Update(set(crewOf(t))); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func base64DER(t testing.TB, number byte) string {
	text, err := json.Marshal(node(t, number).DER)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRefusedFileIsNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	good := stored(t)
	swap := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("the file has no %q:\n%s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	for name, text := range map[string]string{
		"empty":                   "",
		"cut":                     good[:len(good)/2],
		"bytes after it":          good + "x",
		"an unknown version":      swap(`"version": 1`, `"version": 2`),
		"an unknown field":        swap(`"crewName"`, `"more": 1, "crewName"`),
		"an unknown field inside": swap(`"label": "atlas"`, `"label": "atlas", "admin": true`),
		"a name twice":            swap(`"crewName"`, `"role": "lead", "crewName"`),
		"an unknown role":         swap(`"role": "lead"`, `"role": "king"`),
		"another role":            swap(`"role": "lead"`, `"role": "member"`),
		"a crew id in capitals":   swap(`"crewId": "01`, `"crewId": "0A`),
		"no secret":               swap(`"secret": "`, `"secret": "","x": "`),
		"a short secret":          swap(`"secret": "Bw`, `"secret": "`),
		"no generation":           swap(`"generation": 1`, `"generation": 0`),
		"another fingerprint":     swap(node(t, 1).Fingerprint.String(), node(t, 3).Fingerprint.String()),
		"a pin twice":             strings.Replace(strings.Replace(good, node(t, 1).Fingerprint.String(), node(t, 2).Fingerprint.String(), 1), base64DER(t, 1), base64DER(t, 2), 1),
		"an id twice":             swap(`"memberId": "box"`, `"memberId": "atlas"`),
		"the own id":              swap(`"memberId": "box"`, `"memberId": "lead-box"`),
		"an id as a path":         swap(`"memberId": "box"`, `"memberId": "../box"`),
		"an unknown state":        swap(`"state": "unconfirmed"`, `"state": "trusted"`),
		"a secret of the future": swap(`"secretGeneration": 1,
      "state": "enrolled"`, `"secretGeneration": 2,
      "state": "enrolled"`),
		"a hash that is none": swap(`"hash": "`, `"hash": "0`),
		"no expiry":           swap(`"expiresAt": "2026`, `"expiresAt": "x2026`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), trust.FileName)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := trust.Open(path, time.Now)
			var refused *trust.RefusedError
			if s != nil || !errors.As(err, &refused) || refused.Path != path || !strings.Contains(err.Error(), path) {
				t.Errorf("Open: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != text {
				t.Errorf("the file was changed, or %v", err)
			}
		})
	}
}

// FuzzDecode reads any bytes: what is believed must be written and read again as
// the same crew.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(stored(f)))
	for _, c := range torn(f) {
		f.Add([]byte(encoded(f, c)))
	}
	f.Add([]byte(`{"version":1,"crewId":"01000000000000000000000000000000","role":"lead"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		crew, err := trust.Decode(data)
		if err != nil {
			return
		}
		written, err := trust.Encode(crew)
		if err != nil {
			t.Fatalf("what was read is not written: %v", err)
		}
		if again, err := trust.Decode(written); err != nil || !reflect.DeepEqual(again, crew) {
			t.Errorf("read again: %v\n%+v\n%+v", err, again, crew)
		}
	})
}
