package launch

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/node/harness"
)

func parse(t testing.TB, text string) Table {
	t.Helper()
	table, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestWithoutAFileAPhoneMayAddRecipesAndRunLines(t *testing.T) {
	t.Parallel()
	table, err := Load(filepath.Join(t.TempDir(), TableName))
	if err != nil || len(table.Rows) != 0 || table.Phone != (Phone{Adds: true, FreeText: false, Run: true}) {
		t.Errorf("%+v, %v", table, err)
	}
}

func TestARecipesFlagsComeFromTheTable(t *testing.T) {
	t.Parallel()
	table := parse(t, `
[phone]
adds = false
free_text = true
run = false

[[launcher]]
name = "Site"
harness = "claude"
options = ["continue", "skip-permissions"]
folder = "~/src/site"

[[launcher]]
name = "Watch"
command = "make watch | tee log"
`)
	if table.Phone != (Phone{FreeText: true}) || len(table.Rows) != 2 {
		t.Fatalf("%+v", table)
	}
	site, watch := table.Rows[0], table.Rows[1]
	if site.Line() != "claude --continue --dangerously-skip-permissions" || !site.NoConfirmation() || watch.NoConfirmation() {
		t.Errorf("%q, %v, %v", site.Line(), site.NoConfirmation(), watch.NoConfirmation())
	}
	for _, c := range []struct {
		row   Row
		found bool
		want  []string
	}{
		{site, true, []string{"claude", "--continue", "--dangerously-skip-permissions"}},
		{site, false, []string{"/bin/zsh", "-l", "-i", "-c", "exec claude --continue --dangerously-skip-permissions"}},
		{watch, true, []string{"/bin/zsh", "-l", "-i", "-c", "make watch | tee log"}},
	} {
		if got := c.row.Start("/bin/zsh", func(string) bool { return c.found }); !slices.Equal(got, c.want) {
			t.Errorf("%s is started as %q, want %q", c.row.Name, got, c.want)
		}
	}
}

func TestEveryHarnessOfTheTableHasAnAdapter(t *testing.T) {
	t.Parallel()
	for _, h := range Harnesses() {
		found := harness.Builtin().Of(h.Program, []string{h.Program})
		if found == nil || found.Name != h.Name {
			t.Errorf("%s is recognised as %v", h.Name, found)
		}
	}
}

func TestATypedCommandThatAsksLessIsFound(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"claude --dangerously-skip-permissions": true, "cd x && codex --full-auto": true, "gemini --yolo": true,
		"sh -c 'claude --dangerously-skip-permissions'": true, "claude --permission-mode=acceptEdits": true, "claude --permission-mode acceptEdits": true,
		"claude --permission-mode plan": false, "make test": false, "claude": false, "echo --yolos": false,
	} {
		if got := (Row{Name: "x", Command: command}).NoConfirmation(); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestARefusalNamesLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[phone]\n  ads = true\n":   "line 2, column 3: unknown key phone.ads",
		"[phone]\nadds = \"yes\"\n": "line 2, column 8: ",
		"[phone\n":                  "line 1, column ",
		"\n[[launcher]]\nname = \"x\"\nharness = \"claude\"\nflags = [\"-x\"]":                                   "line 5, column 1: unknown key launcher.flags",
		"[[launcher]]\nname = \"x\"\nharness = \"claude\"\n\n [[launcher]]\nname = \"y\"\nharness = \"cloud\"\n": `line 5, column 2: harness "cloud" is none of claude, codex, gemini, opencode`,
		"[[launcher]]\nname = \"x\"\nharness = \"claude\"\noptions = [\"--yolo\"]":                               `line 1, column 1: claude has no option "--yolo"`,
		"[[launcher]]\nname = \"x\"\nharness = \"claude\"\noptions = [\"plan\", \"plan\"]":                       "is there twice",
		"[[launcher]]\nname = \"x\"\nharness = \"claude\"\ncommand = \"x\"":                                      "not both",
		"[[launcher]]\nname = \"x\"\n":                                             "either harness or command",
		"[[launcher]]\nname = \"\"\ncommand = \"x\"":                               "name has to be",
		"[[launcher]]\nname = \"a\\nb\"\ncommand = \"x\"":                          "name has to be",
		"[[launcher]]\nname = \"x\"\ncommand = \"a\\u001b[2Jb\"":                   "command has to be one line",
		"[[launcher]]\nname = \"x\"\ncommand = \"y\"\nfolder = \"src\"":            "folder has to begin with",
		"[[launcher]]\nname = \"x\"\ncommand = \"y\"\noptions = [\"plan\"]":        "options belong to a harness",
		strings.Repeat("[[launcher]]\nname = \"x\"\ncommand = \"y\"\n", MaxRows+1): "more than 100 rows",
	} {
		_, err := Parse([]byte(text))
		if !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
}

func TestOneOffLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"make": true, " make": true, strings.Repeat("é", MaxLineChars): true, "": false, strings.Repeat("x", MaxLineChars+1): false,
		"a\nb": false, "a\tb": false, "a\x1bb": false, "a\u202eb": false, "a\u2028b": true, "a\xff": false,
	} {
		if err := CheckLine(line); (err == nil) != want {
			t.Errorf("%.20q: %v", line, err)
		}
	}
}

func TestTheLatestTwelveLinesAreRememberedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "recent.json")
	r := OpenRecent(path, slog.New(slog.DiscardHandler))
	for i := range 14 {
		if err := r.Add(fmt.Sprint("line ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add("line 5"); err != nil {
		t.Fatal(err)
	}
	want := []string{"line 5", "line 13", "line 12", "line 11", "line 10", "line 9", "line 8", "line 7", "line 6", "line 4", "line 3", "line 2"}
	for _, r := range []*Recent{r, OpenRecent(path, slog.New(slog.DiscardHandler))} {
		if got := r.Lines(); !slices.Equal(got, want) {
			t.Errorf("lines are %q", got)
		}
	}
	if err := r.Forget("line 13"); err != nil || slices.Contains(r.Lines(), "line 13") || len(r.Lines()) != 11 {
		t.Errorf("forget: %v, %q", err, r.Lines())
	}
	if err := r.Forget(""); err != nil || len(r.Lines()) != 0 {
		t.Errorf("forget all: %v, %q", err, r.Lines())
	}
	if err := os.WriteFile(path, []byte(`{"version":1,"lines":["a\nb"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r = OpenRecent(path, slog.New(slog.DiscardHandler))
	if err := r.Add("x"); !errors.Is(err, ErrUnavailable) || len(r.Lines()) != 0 {
		t.Errorf("a file that is not believed: %v, %q", err, r.Lines())
	}
	if err := r.Forget(""); err != nil {
		t.Error(err)
	}
	if err := r.Add("x"); err != nil {
		t.Error(err)
	}
}

func TestAddedRowsBelongToOnePairingAndAreTwentyAMachine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "added.json")
	silent := slog.New(slog.DiscardHandler)
	a := OpenAdded(path, silent)
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	pixel, later := Owner{"pixel", noon}, Owner{"pixel", noon.Add(time.Hour)}
	add := func(host string, owner Owner, name string) error {
		return a.Add(AddedRow{Host: host, Owner: owner, Row: Row{Name: name, Harness: "claude"}})
	}
	for i := range MaxAdded {
		if err := add("juno", pixel, fmt.Sprint("row ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := add("juno", later, "one more"); !errors.Is(err, ErrTooMany) {
		t.Errorf("row 21: %v", err)
	}
	if err := errors.Join(add("", pixel, "here"), add("", later, "here")); err != nil {
		t.Errorf("on another machine: %v", err)
	}
	if err := add("", pixel, "here"); !errors.Is(err, ErrExists) {
		t.Errorf("the same row: %v", err)
	}
	mine, others := a.Of("")[0], a.Of("")[1]
	if err := a.Remove("", pixel, others.ID()); !errors.Is(err, ErrNoRow) {
		t.Errorf("another device's row: %v", err)
	}
	if err := a.Remove("juno", pixel, mine.ID()); !errors.Is(err, ErrNoRow) {
		t.Errorf("a row of another machine: %v", err)
	}
	a = OpenAdded(path, silent)
	if gone, err := a.Prune(later.Is); err != nil || gone != MaxAdded+1 {
		t.Errorf("%d are gone, %v", gone, err)
	}
	if a = OpenAdded(path, silent); len(a.Of("juno")) != 0 || len(a.Of("")) != 1 || !a.Of("")[0].Owner.Is(later) {
		t.Errorf("left are %v and %v", a.Of("juno"), a.Of(""))
	}
	if err := a.Remove("", later, others.ID()); err != nil || len(a.Of("")) != 0 {
		t.Errorf("remove: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"version":9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a = OpenAdded(path, silent)
	if err := a.Add(mine); !errors.Is(err, ErrUnavailable) || len(a.Of("")) != 0 {
		t.Errorf("a file that is not believed: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[phone]\nrun = false\n[[launcher]]\nname = \"x\"\nharness = \"claude\"\noptions = [\"plan\"]\nfolder = \"~/x\""))
	f.Add([]byte("launcher = [{name = \"x\", command = \"y\"}]"))
	f.Add([]byte("[[launcher"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrTable) || len(table.Rows) > 0 || table.Phone != (Phone{}) {
				t.Errorf("%v, %+v", err, table)
			}
			return
		}
		for _, row := range table.Rows {
			if argv := row.Start("/bin/sh", func(string) bool { return true }); argv[0] == "" || row.ID() == "" {
				t.Errorf("%+v is started as %q", row, argv)
			}
		}
	})
}
