package strict

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

type rows struct {
	Row []struct {
		Name string `toml:"name"`
	} `toml:"row"`
}

func TestARefusalSaysLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "",
		"[[row]]\nname = \"a\"\n":             "",
		"[[row]]\nname = \"a\"\n  colour = 1": "line 3, column 3: unknown key row.colour",
		"[other]\nx = 1":                      "line 1, column 2: unknown key other",
		"[[row]]\nname = 1":                   "line 2, column 8: ",
		"[[row]]\nname = \"a":                 "line 2, column 9: ",
		"[[row]]\nname = \"a\"\nname = \"b\"": "line 3, column 1: ",
	} {
		var into rows
		err := Parse([]byte(text), &into)
		if want == "" && err != nil || want != "" && (err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestARowIsNamedByWhereItBegins(t *testing.T) {
	t.Parallel()
	wrong := errors.New("it is wrong")
	data := []byte("# [[row]]\n[[row]]\nname = \"a\"\n\n  [[ row ]]\nname = \"b\"\n")
	for n, want := range []string{"line 2, column 1: it is wrong", "line 5, column 3: it is wrong", "line 1, column 1: it is wrong"} {
		if err := In(data, "row", n, wrong); err.Error() != want || !errors.Is(err, wrong) {
			t.Errorf("row %d: %v, want %s", n, err, want)
		}
	}
}

func TestAFileThatIsNotThereIsEmptyAndALinkIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var into rows
	if _, err := Load(filepath.Join(dir, "none.toml"), &into); err != nil {
		t.Error(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link.toml")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(filepath.Join(dir, "link.toml"), &into); err == nil {
		t.Error("a link was followed")
	}
}
