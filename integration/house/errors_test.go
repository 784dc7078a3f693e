package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"collie/lead/frontdoor"
	"collie/lead/pairing"
	"collie/node/api"
	"collie/standby"
)

const errorsPage = "docs/errors.md"

// checkCodes compares one section of the page with what the program says, word
// for word.
func checkCodes(t *testing.T, heading string, real []*api.Error) {
	t.Helper()
	rows := table(t, section(t, page(t, errorsPage), heading))
	var codes []string
	for _, refusal := range real {
		codes = append(codes, refusal.Code)
		row := rows[refusal.Code]
		if row == nil {
			continue // reported below
		}
		if want := strconv.Itoa(refusal.Status); row[0] != want {
			t.Errorf("%s is documented with the status %s, it is %s", refusal.Code, row[0], want)
		}
		if row[1] != refusal.Message {
			t.Errorf("%s is documented as %q, it says %q", refusal.Code, row[1], refusal.Message)
		}
		if row[2] == "" {
			t.Errorf("%s: the page does not say what to do", refusal.Code)
		}
	}
	sameWords(t, errorsPage, keysOf(rows), codes)
}

func TestEveryCodeOfTheAPIIsDocumented(t *testing.T) {
	t.Parallel()
	checkCodes(t, "The API, on the phone and on the crew link", api.Codes())
}

func TestEveryCodeOfPairingAndTheGatesIsDocumented(t *testing.T) {
	t.Parallel()
	checkCodes(t, "Pairing and the front door", append(pairing.Codes(), frontdoor.Codes()...))
}

func TestEveryCodeOfTakingOverIsDocumented(t *testing.T) {
	t.Parallel()
	checkCodes(t, "Taking over", standby.Codes())
}

// inspect goes through the code of one package, tests left out.
func inspect(t *testing.T, folder string, each func(ast.Node)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no code in %s (%v)", folder, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			each(n)
			return true
		})
	}
}

// text returns what a string literal stands for.
func text(n ast.Node) (string, bool) {
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(literal.Value)
	return value, err == nil
}

// constants returns the exported string constants of a package whose names
// begin so.
func constants(t *testing.T, folder, prefix string) []string {
	t.Helper()
	var values []string
	inspect(t, folder, func(n ast.Node) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return
		}
		for i, name := range spec.Names {
			if !strings.HasPrefix(name.Name, prefix) || i >= len(spec.Values) {
				continue
			}
			if value, ok := text(spec.Values[i]); ok {
				values = append(values, value)
			}
		}
	})
	return values
}

func TestEveryCodeReasonAndCheckOfWalkyIsDocumented(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`^walky_[a-z_]*[a-z]$`)
	var real []string
	inspect(t, "node/walky", func(n ast.Node) {
		if value, ok := text(n); ok && code.MatchString(value) {
			real = append(real, value)
		}
	})
	real = append(real, constants(t, "node/walky", "Reason")...)
	crossedNoLink := []string{"local caller", "webhook signature", "schedule seal", "paired phone"}
	for _, check := range constants(t, "node/walky", "Check") {
		if !slices.Contains(crossedNoLink, check) {
			real = append(real, check)
		}
	}
	sameWords(t, errorsPage, keysOf(table(t, section(t, page(t, errorsPage), "Walky messages"))), real)
}

func TestEveryCodeOfTheCrewLinkIsDocumented(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)
	var real []string
	seen := map[string]bool{}
	inspect(t, "mesh", func(n ast.Node) {
		if value, ok := text(n); ok && code.MatchString(value) && !seen[value] {
			seen[value] = true
			real = append(real, value)
		}
	})
	sameWords(t, errorsPage, keysOf(table(t, section(t, page(t, errorsPage), "The crew link itself"))), real)
}

func TestFuzzTargetsHaveASeedCorpus(t *testing.T) {
	t.Parallel()
	goFiles(t, func(path string, text []byte, _ *ast.File) {
		for _, found := range regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`).FindAllSubmatch(text, -1) {
			corpus := filepath.Join(root, filepath.Dir(path), "testdata", "fuzz", string(found[1]))
			files, err := filepath.Glob(filepath.Join(corpus, "*"))
			if err == nil && len(files) > 0 {
				continue
			}
			if !strings.Contains(string(text), "f.Add(") {
				t.Errorf("%s: %s has neither f.Add nor files in testdata/fuzz", path, found[1])
			}
		}
	})
}
