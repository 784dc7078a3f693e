package mask

import (
	"go/build"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// sourceSample bounds how much of the standard library the test reads.
const sourceSample = 2000

func TestStandardLibraryStaysReadable(t *testing.T) {
	t.Parallel()
	root := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the standard library's source is not here")
	}
	var files []string
	for _, folder := range []string{"net", "crypto", "os", "encoding", "go", "cmd/go/internal", "text"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sort.Strings(files)
	m := New()
	for _, path := range files[:min(len(files), sourceSample)] {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		masked, found := m.Text(string(data), Options{Surface: "file"})
		if !found {
			continue
		}
		want, got := strings.Split(string(data), "\n"), strings.Split(masked, "\n")
		for i := range want {
			if want[i] != got[i] {
				t.Logf("%s:%d:\n\t%s\n\t%s", strings.TrimPrefix(path, root), i+1, want[i], got[i])
			}
		}
	}
}
