package schedule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"collie/crypto/atomicfile"
)

// An entry that was ended must not come back from a copy of it, nor one be left
// out or said twice.
func TestAFileWithAnEntryMoreOrLessIsRefused(t *testing.T) {
	t.Parallel()
	folder, m := t.TempDir(), &mouth{}
	a := newAgenda(folder, m, time.Now)
	mustAdd(t, a, "first", "@daily", "first")
	mustAdd(t, a, "second", "@daily", "second")
	path := filepath.Join(folder, fileName)
	for name, change := range map[string]func(all []json.RawMessage) []json.RawMessage{
		"one left out": func(all []json.RawMessage) []json.RawMessage { return all[:1] },
		"one doubled":  func(all []json.RawMessage) []json.RawMessage { return append(all, all[0]) },
		"another order": func(all []json.RawMessage) []json.RawMessage {
			return []json.RawMessage{all[1], all[0]}
		},
		"as it was": func(all []json.RawMessage) []json.RawMessage { return all },
	} {
		var stored struct {
			Entries []json.RawMessage `json:"entries"`
			Seal    []byte            `json:"seal"`
		}
		if err := atomicfile.ReadJSON(path, version, &stored); err != nil {
			t.Fatal(err)
		}
		stored.Entries = change(stored.Entries)
		edited := t.TempDir()
		if err := atomicfile.WriteJSON(filepath.Join(edited, fileName), version, stored); err != nil {
			t.Fatal(err)
		}
		key, err := os.ReadFile(filepath.Join(folder, keyName))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(edited, keyName), key, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newAgenda(edited, m, time.Now).List(Schedule); (err == nil) != (name == "as it was") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAKeyOfAWrongSizeIsSaidBeforeAnythingIsBooked(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 5, 31, 33, 5000} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, keyName), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newAgenda(folder, &mouth{}, time.Now).List(Schedule); err == nil {
			t.Errorf("%d bytes: no error", size)
		}
	}
}
