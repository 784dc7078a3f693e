package house_test

import (
	"go/ast"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"collie/node/config"
	"collie/node/mask"
)

// page reads a page of the documentation.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// section returns what stands below a heading, up to the next one of its kind.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("there is no section %q", heading)
	}
	before, _, _ := strings.Cut(after, "\n## ")
	return before
}

var codeCell = regexp.MustCompile("^`([^`]+)`$")

// table returns the rows of all tables in text whose first cell is one word of
// code, by that word, and reports words that have two rows.
func table(t *testing.T, text string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || !strings.HasSuffix(line, " |") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		word := codeCell.FindStringSubmatch(cells[0])
		if word == nil {
			continue
		}
		if rows[word[1]] != nil {
			t.Errorf("%s has two rows", word[1])
		}
		rows[word[1]] = cells[1:]
	}
	return rows
}

// sameWords reports what only one of two lists has.
func sameWords(t *testing.T, where string, listed, real []string) {
	t.Helper()
	for _, word := range real {
		if !slices.Contains(listed, word) {
			t.Errorf("%s does not list %s", where, word)
		}
	}
	for _, word := range listed {
		if !slices.Contains(real, word) {
			t.Errorf("%s lists %s, which does not exist", where, word)
		}
	}
}

func keysOf(rows map[string][]string) []string {
	var words []string
	for word := range rows {
		words = append(words, word)
	}
	return words
}

func TestEverySettingIsDocumentedWithItsDefault(t *testing.T) {
	t.Parallel()
	settings, err := config.Load([]string{"HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(page(t, "docs/configuration.md"), "\n## ")
	rows := table(t, text)
	var real []string
	for _, value := range settings.Values() {
		real = append(real, value.Name)
		row := rows[value.Name]
		if row == nil {
			continue // reported below
		}
		if value.Default != "" && row[0] != "`"+value.Default+"`" {
			t.Errorf("the default of %s is documented as %s, it is %s", value.Name, row[0], value.Default)
		}
	}
	sameWords(t, "docs/configuration.md", keysOf(rows), real)
}

func TestTheArchitecturePageNamesEveryPackage(t *testing.T) {
	t.Parallel()
	text := section(t, page(t, "docs/architecture.md"), "Packages")
	var listed, real []string
	for _, word := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(text, -1) {
		listed = append(listed, word[1])
	}
	goFiles(t, func(path string, _ []byte, _ *ast.File) {
		if folder := filepath.Dir(path); !slices.Contains(real, folder) {
			real = append(real, folder)
		}
	})
	sameWords(t, "docs/architecture.md", listed, real)
}

// documents calls each with every page.
func documents(t *testing.T, each func(name, text string)) {
	t.Helper()
	names := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			relative, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(relative))
		}
	}
	for _, name := range names {
		each(name, page(t, name))
	}
}

var link = regexp.MustCompile(`\]\(([^)]+)\)`)

func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	documents(t, func(name, text string) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, err := url.Parse(found[1])
			if err != nil || target.IsAbs() || target.Path == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), target.Path)); err != nil {
				t.Errorf("%s links to %s: %v", name, found[1], err)
			}
		}
	})
}

func TestPagesHoldNothingOfTheShapeOfASecret(t *testing.T) {
	t.Parallel()
	masker := mask.New()
	documents(t, func(name, text string) {
		if hidden, found := masker.Text(text, mask.Options{}); found {
			for n, line := range strings.Split(text, "\n") {
				if masked := strings.Split(hidden, "\n")[n]; masked != line {
					t.Errorf("%s, line %d: %s", name, n+1, masked)
				}
			}
		}
	})
}
