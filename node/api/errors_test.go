package api_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"collie/node/api"
)

func TestCodesAreUniqueAndStable(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	seen := map[string]bool{}
	for _, refused := range api.Codes() {
		switch {
		case !form.MatchString(refused.Code):
			t.Errorf("%q is not in snake case", refused.Code)
		case seen[refused.Code]:
			t.Errorf("%q names two refusals", refused.Code)
		case refused.Status < 400 || refused.Status > 599:
			t.Errorf("%s is answered with %d", refused.Code, refused.Status)
		case refused.Message == "" || strings.HasSuffix(refused.Message, "."):
			t.Errorf("%s says %q", refused.Code, refused.Message)
		}
		seen[refused.Code] = true
	}
}

func TestCodesListsEveryRefusal(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && fmt.Sprint(call.Fun) == "Refusal" {
				declared = append(declared, strings.Trim(call.Args[1].(*ast.BasicLit).Value, `"`))
			}
			return true
		})
	}
	listed := map[string]bool{}
	for _, refused := range api.Codes() {
		listed[refused.Code] = true
	}
	if len(declared) != len(listed) {
		t.Errorf("%d refusals are declared, %d are listed", len(declared), len(listed))
	}
	for _, code := range declared {
		if !listed[code] {
			t.Errorf("%s is not listed", code)
		}
	}
}

func TestCopiesOfARefusalLeaveItAlone(t *testing.T) {
	t.Parallel()
	one := api.ErrPaneGone.On("atlas").With("x")
	if api.ErrPaneGone.Host != "" || api.ErrPaneGone.Detail != nil {
		t.Errorf("the refusal became %+v", api.ErrPaneGone)
	}
	if one.Host != "atlas" || one.Detail != "x" || one.Code != "pane_gone" || one.Status != 410 {
		t.Errorf("the copy is %+v", one)
	}
	if got := api.AsError(fmt.Errorf("reading: %w", one)); got != one {
		t.Errorf("found %+v", got)
	}
	if got := api.AsError(fmt.Errorf("reading")); got != api.ErrInternal {
		t.Errorf("found %+v", got)
	}
}
