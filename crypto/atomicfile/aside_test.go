package atomicfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"collie/crypto/atomicfile"
)

func TestOnlyTheNewestOfWhatWasSetAsideStay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "x.json")
	for _, other := range []string{"x.json.refused-now", "y.json.refused-20261201T000000.000Z", "x.json.refused-20261201T000000.000Zz", "x.jsonl"} {
		if err := os.WriteFile(filepath.Join(folder, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for n, c := range []struct {
		minute  int // of the clock, which is set back at the end
		removed int
	}{{1, 0}, {2, 0}, {3, 0}, {4, 1}, {5, 1}, {0, 1}} {
		if err := os.WriteFile(path, []byte{byte('0' + n)}, 0o600); err != nil {
			t.Fatal(err)
		}
		aside, removed, err := atomicfile.SetAside(path, start.Add(time.Duration(c.minute)*time.Minute))
		if err != nil || removed != c.removed {
			t.Errorf("%d: %d removed, %v, want %d", n, removed, err, c.removed)
		}
		if data, err := os.ReadFile(aside); err != nil || string(data) != string(rune('0'+n)) {
			t.Errorf("%d: %s holds %q, %v", n, aside, data, err)
		}
	}
	entries, err := os.ReadDir(folder)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{
		"x.json.refused-20261201T000000.000Z", "x.json.refused-20261201T000000.000Zz", "x.json.refused-20261201T000400.000Z",
		"x.json.refused-20261201T000500.000Z", "x.json.refused-now", "x.jsonl", "y.json.refused-20261201T000000.000Z",
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, %v", names, err)
	}
}

func TestWhatIsNotThereCannotBeSetAside(t *testing.T) {
	t.Parallel()
	if _, _, err := atomicfile.SetAside(filepath.Join(t.TempDir(), "x"), time.Now()); !os.IsNotExist(err) {
		t.Errorf("set aside: %v", err)
	}
}
