// Package house_test holds the structure of the repository: which room may
// import which, that every package says why it exists, and that no file grows
// beyond what fits in a head.
package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root     = "../.."
	module   = "collie/"
	maxLines = 500
)

// rooms says which top-level folders a folder may import besides itself.
var rooms = map[string][]string{
	"crypto":      {},
	"mesh":        {"crypto"},
	"node":        {"crypto", "mesh"},
	"member":      {"crypto", "mesh", "node"},
	"standby":     {"crypto", "mesh", "node"},
	"lead":        {"crypto", "mesh", "node"},
	"web":         {},
	"cmd":         {"crypto", "mesh", "node", "member", "lead", "standby", "web"},
	"integration": {"crypto", "mesh", "node", "member", "lead", "standby", "web", "cmd"},
}

// goFiles calls each with every Go file of the repository.
func goFiles(t *testing.T, each func(path string, text []byte, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		each(filepath.ToSlash(relative), text, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	goFiles(t, func(path string, _ []byte, file *ast.File) {
		room, _, _ := strings.Cut(path, "/")
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s is in no room", path)
			return
		}
		for _, spec := range file.Imports {
			target, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			if !ours {
				continue
			}
			to, _, _ := strings.Cut(target, "/")
			if to != room && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: %s may not import %s", path, target, room, to)
			}
		}
	})
}

// avoided are libraries that only tests may use, and why.
var avoided = map[string]string{
	"github.com/creack/pty": "its Open gave out another terminal's number now and then; see openTTY of node/pane/holder",
}

func TestWhatIsAvoidedIsUsedByTestsAlone(t *testing.T) {
	t.Parallel()
	goFiles(t, func(path string, _ []byte, file *ast.File) {
		for _, spec := range file.Imports {
			if why, found := avoided[strings.Trim(spec.Path.Value, `"`)]; found && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s imports %s: %s", path, spec.Path.Value, why)
			}
		}
	})
}

func TestEveryPackageSaysWhyItExists(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	goFiles(t, func(path string, _ []byte, file *ast.File) {
		dir := filepath.Dir(path)
		if strings.HasSuffix(path, "_test.go") && !documented[dir] {
			return
		}
		documented[dir] = documented[dir] || file.Doc.Text() != ""
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

func TestFilesFitInTheHead(t *testing.T) {
	t.Parallel()
	goFiles(t, func(path string, text []byte, _ *ast.File) {
		if lines := bytes.Count(text, []byte("\n")); lines > maxLines && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines, the most is %d", path, lines, maxLines)
		}
	})
}

// skips are the ways to skip a test.
var skips = []string{"Skip", "Skipf", "SkipNow"}

// A test that is passed over holds nothing: one package says when that may be.
func TestOnlyOnePackageSkipsTests(t *testing.T) {
	t.Parallel()
	goFiles(t, func(path string, text []byte, _ *ast.File) {
		if strings.HasPrefix(path, "crypto/need/") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			t.Error(err)
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if called, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(skips, called.Sel.Name) {
					t.Errorf("%s calls %s: use crypto/need", path, called.Sel.Name)
				}
			}
			return true
		})
	})
}
