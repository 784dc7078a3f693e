package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/atomicfile/diskfault"
)

func TestWriteReplacesWholeAndPrivately(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, content := range []string{"first", "second, longer", ""} {
		if err := atomicfile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := atomicfile.Read(path, 100)
		if err != nil || string(got) != content {
			t.Fatalf("read %q, %v, want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	onlyFile(t, path)
}

func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestEveryFailedStepLeavesOldOrNew(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s persists %v", step, persist), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "file")
				disk := &diskfault.Disk{}
				if err := atomicfile.WriteOn(disk, path, []byte("old")); err != nil {
					t.Fatal(err)
				}
				disk.Fail(step, persist)
				err := atomicfile.WriteOn(disk, path, []byte("new"))
				if !errors.Is(err, diskfault.ErrFault) || !strings.Contains(err.Error(), path) {
					t.Fatalf("error is %v", err)
				}
				late := step == diskfault.Rename || step == diskfault.SyncFolder
				if errors.Is(err, atomicfile.ErrMayPersist) != late {
					t.Errorf("whether it may persist is not told right: %v", err)
				}
				want := "old"
				if step == diskfault.SyncFolder || step == diskfault.Rename && persist {
					want = "new"
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != want {
					t.Errorf("then the file reads %q, %v, want %q", got, err, want)
				}
				if step != diskfault.Create {
					onlyFile(t, path)
				}
				disk.Heal()
				if err := atomicfile.WriteOn(disk, path, []byte("newer")); err != nil {
					t.Errorf("once the disk is well: %v", err)
				}
			})
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		file:                         atomicfile.ErrTooLarge,
		link:                         atomicfile.ErrNotRegular,
		pipe:                         atomicfile.ErrNotRegular,
		dir:                          atomicfile.ErrNotRegular,
		filepath.Join(dir, "absent"): fs.ErrNotExist,
	} {
		if _, err := atomicfile.Read(path, 4); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	if got, err := atomicfile.Read(file, 5); err != nil || string(got) != "12345" {
		t.Errorf("a file of the very limit: %q, %v", got, err)
	}
}

func TestRemoveIsDoneWhenNothingIsThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := atomicfile.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

type document struct {
	Name  string   `json:"name"`
	Parts []string `json:"parts,omitempty"`
}

func TestJSONCarriesItsVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file.json")
	want := document{Name: "a", Parts: []string{"b"}}
	if err := atomicfile.WriteJSON(path, 3, want); err != nil {
		t.Fatal(err)
	}
	const text = "{\n  \"version\": 3,\n  \"name\": \"a\",\n  \"parts\": [\n    \"b\"\n  ]\n}\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file is %q, %v", got, err)
	}
	var got document
	if err := atomicfile.ReadJSON(path, 3, &got); err != nil || got.Name != "a" || len(got.Parts) != 1 {
		t.Errorf("read %+v, %v", got, err)
	}
	if data, err := atomicfile.EncodeJSON(1, struct{}{}); err != nil || string(data) != "{\n  \"version\": 1\n}\n" {
		t.Errorf("an object without fields is %q, %v", data, err)
	}
	if err := atomicfile.WriteJSON(path, 1, []int{1}); !errors.Is(err, atomicfile.ErrJSON) {
		t.Errorf("an array: %v", err)
	}
}

func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		``:                                      atomicfile.ErrJSON,
		`null`:                                  atomicfile.ErrVersion,
		`[]`:                                    atomicfile.ErrJSON,
		`{`:                                     atomicfile.ErrJSON,
		`{"name":"a"}`:                          atomicfile.ErrVersion,
		`{"version":2,"name":"a"}`:              atomicfile.ErrVersion,
		`{"version":"1","name":"a"}`:            atomicfile.ErrVersion,
		`{"version":1.0,"name":"a"}`:            atomicfile.ErrVersion,
		`{"version":1,"name":"a","more":1}`:     atomicfile.ErrJSON,
		`{"version":1,"name":"a"}{}`:            atomicfile.ErrJSON,
		`{"version":1,"name":"a"} x`:            atomicfile.ErrJSON,
		`{"version":1,"name":1}`:                atomicfile.ErrJSON,
		`{"version":1,"name":"a","NAME":"b"}`:   atomicfile.ErrJSON,
		`{"version":1,"version":2,"name":"a"}`:  atomicfile.ErrJSON,
		`{"version":1,"parts":[{"a":1,"a":2}]}`: atomicfile.ErrJSON,
		`{"version":1,"name":"a","parts":["b"],}`: atomicfile.ErrJSON,
	} {
		var d document
		if err := atomicfile.DecodeJSON([]byte(text), 1, &d); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	var d document
	if err := atomicfile.DecodeJSON([]byte(`{"version":1,"name":"a","parts":["a","a"]}`), 1, &d); err != nil {
		t.Errorf("a value that occurs twice: %v", err)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	f.Add([]byte(`{"version":1,"name":"a","parts":["b"]}`))
	f.Add([]byte(`{"version":1,"name":{"a":[{}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		if atomicfile.DecodeJSON(data, 1, &d) != nil {
			return
		}
		again, err := atomicfile.EncodeJSON(1, d)
		if err != nil {
			t.Fatal(err)
		}
		var back document
		if err := atomicfile.DecodeJSON(again, 1, &back); err != nil || back.Name != d.Name || len(back.Parts) != len(d.Parts) {
			t.Errorf("%q is written as %q, %v", data, again, err)
		}
	})
}

func TestChangeOfAFileIsSeen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	look := func() os.FileInfo {
		t.Helper()
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if err := atomicfile.Write(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	before := look()
	if !atomicfile.Unchanged(before, look()) || atomicfile.Unchanged(nil, before) {
		t.Error("a file that nobody touched has changed, or was known before the first look")
	}
	for name, change := range map[string]func() error{
		"replaced":     func() error { return atomicfile.Write(path, []byte("two")) },
		"longer":       func() error { return os.WriteFile(path, []byte("longer"), 0o600) },
		"another time": func() error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
		"another mode": func() error { return os.Chmod(path, 0o640) },
	} {
		before := look()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if atomicfile.Unchanged(before, look()) {
			t.Errorf("%s: not seen", name)
		}
	}
}

func TestWhatACutOffReplacementLeavesIsKnownByItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := &diskfault.Disk{}
	disk.Fail(diskfault.Create, true) // the file is made, and left
	if err := atomicfile.WriteOn(disk, filepath.Join(dir, "crew.json"), []byte("x")); err == nil {
		t.Fatal("the disk did not fail")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !atomicfile.IsTemporary(left[0].Name()) {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, name := range []string{"crew.json", ".crew.json", ".tmp", "..1.tmp", ".crew.json.tmp", ".crew.json.1x.tmp", "crew.json.1.tmp", ".1.tmp", ".a..tmp", ".a.1.tmp~"} {
		if atomicfile.IsTemporary(name) {
			t.Errorf("%s is taken for one", name)
		}
	}
}
