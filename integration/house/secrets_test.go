package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"collie/node/files"
)

// A file with the name of one of Collie's secrets is shown to nobody. This finds
// the names of keys in the code, so that a new one is not forgotten.
func TestEveryKeyFileIsOneThatFilesHides(t *testing.T) {
	t.Parallel()
	key := regexp.MustCompile(`^[a-z-]+\.(key|pem)$|^local-secret$`)
	found := 0
	goFiles(t, func(path string, source []byte, _ *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/integration/") || strings.Contains(path, "/node/mask/") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := text(n); ok && key.MatchString(name) {
				if found++; !slices.Contains(files.Secrets(), name) {
					t.Errorf("%s names %s, which is not one of files.Secrets", path, name)
				}
			}
			return true
		})
	})
	if found < 4 {
		t.Errorf("only %d names of keys were found", found)
	}
}
