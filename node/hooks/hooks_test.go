package hooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/hooks"
)

const program = "/opt/my tools/collie"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB, harness, text string) hooks.File {
	t.Helper()
	f := hooks.Named(harness).File(t.TempDir())
	if text != "-" {
		must(t, os.WriteFile(f.Path, []byte(text), 0o640))
	}
	return f
}

func read(t testing.TB, f hooks.File) string {
	t.Helper()
	data, err := os.ReadFile(f.Path)
	if os.IsNotExist(err) {
		return "-"
	}
	must(t, err)
	return string(data)
}

func install(t testing.TB, f hooks.File, hold bool) hooks.Report {
	t.Helper()
	report, err := f.Install(program, hold)
	must(t, err)
	return report
}

func uninstall(t testing.TB, f hooks.File) hooks.Report {
	t.Helper()
	report, err := f.Uninstall()
	must(t, err)
	return report
}

// settings are files that people have.
var settings = map[string]string{
	"none":          "-",
	"empty":         "",
	"an object":     "{}",
	"compact":       `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
	"no line end":   "{\n  \"a\": 1\n}",
	"tabs":          "{\n\t\"zeta\": true,\n\t\"alpha\": {\"b\": [1, 2,3]}\n}\n",
	"windows":       "{\r\n  \"a\": 1\r\n}\r\n",
	"foreign hooks": "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"matcher\": \"\", \"hooks\": [ {\"type\": \"command\", \"command\": \"a\", \"odd\": null} ] }\n    ],\n    \"Later\": \"whatever\"\n  },\n  \"permissions\": { \"allow\": [\"Bash(ls)\"] },\n  \"$schema\": \"https://example.org\"\n}\n",
	"comments":      "// mine\n{\n  /* all */ \"hooks\": {\n    \"PermissionRequest\": [\n      // theirs\n      {\"hooks\": []}, // first\n    ],\n  },\n  \"x\": 1, // last\n}\n",
	"empty lists":   "{\"hooks\": {\"Stop\": [], \"SessionEnd\": [ ]}}\n",
	"odd keys":      "{\"a/b~c\": 1, \"\": 2, \"é\": \"\\u00e9\", \"n\": 1e400}\n",
}

// TestWhatAPersonHasInTheirSettingsSurvives installs twice and uninstalls: the
// second run writes nothing, and the end is the beginning, byte for byte.
func TestWhatAPersonHasInTheirSettingsSurvives(t *testing.T) {
	t.Parallel()
	for _, harness := range []string{"claude", "codex", "gemini"} {
		for name, text := range settings {
			f := file(t, harness, text)
			if got := install(t, f, false); !got.Changed || got.State != hooks.Installed {
				t.Errorf("%s, %s: the install says %+v", harness, name, got)
			}
			once := read(t, f)
			if got := install(t, f, false); got.Changed || read(t, f) != once {
				t.Errorf("%s, %s: a second install says %+v and the file is\n%s", harness, name, got, read(t, f))
			}
			if got, err := f.Status(program); err != nil || got.State != hooks.Installed {
				t.Errorf("%s, %s: the status is %+v, %v", harness, name, got, err)
			}
			if got := uninstall(t, f); !got.Changed {
				t.Errorf("%s, %s: the uninstall says %+v", harness, name, got)
			}
			if diff := cmp.Diff(text, read(t, f)); diff != "" {
				t.Errorf("%s, %s (-before +after):\n%s", harness, name, diff)
			}
			if text == "-" {
				continue
			}
			if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%s, %s: the mode is %v, %v", harness, name, info.Mode(), err)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Path), "*")); len(left) != 1 {
				t.Errorf("%s, %s: this is left: %q", harness, name, left)
			}
		}
	}
}

func TestWhatWasChangedMeanwhileStays(t *testing.T) {
	t.Parallel()
	f := file(t, "claude", settings["foreign hooks"])
	install(t, f, true)
	const mine = "\"model\": \"opus\", // new\n  \"permissions\""
	must(t, os.WriteFile(f.Path, []byte(strings.Replace(read(t, f), `"permissions"`, mine, 1)), 0o640))
	uninstall(t, f)
	if diff := cmp.Diff(strings.Replace(settings["foreign hooks"], `"permissions"`, mine, 1), read(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if uninstall(t, f).Changed {
		t.Error("a second uninstall changes something")
	}
}

func TestAHookOfOthersInOurGroupStays(t *testing.T) {
	t.Parallel()
	f := file(t, "claude", "{}")
	install(t, f, false)
	const theirs = `{"type":"command","command":"theirs"},`
	must(t, os.WriteFile(f.Path, []byte(strings.Replace(read(t, f), `"hooks":[{`, `"hooks":[`+theirs+`{`, 1)), 0o600))
	uninstall(t, f)
	if got := read(t, f); !strings.Contains(got, "theirs") || strings.Contains(got, "_hook") {
		t.Errorf("the file is %s", got)
	}
}

func TestHoldingIsTakenUpAndGivenUp(t *testing.T) {
	t.Parallel()
	f := file(t, "claude", settings["tabs"])
	install(t, f, false)
	plain := read(t, f)
	if got := install(t, f, true); !got.Changed || !got.Holds {
		t.Errorf("%+v", got)
	}
	if got, err := f.Status(program); err != nil || !got.Holds || strings.Count(read(t, f), hooks.HoldFlag) != 1 {
		t.Errorf("%+v, %v, the file is %s", got, err, read(t, f))
	}
	install(t, f, false)
	if diff := cmp.Diff(plain, read(t, f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := file(t, "gemini", "{}").Install(program, true); err == nil {
		t.Error("a harness that lets no hook answer was told to hold")
	}
}

func TestAProgramThatMovedIsOutdated(t *testing.T) {
	t.Parallel()
	f := file(t, "claude", "{}")
	install(t, f, true)
	if got, err := f.Status("/elsewhere/collie"); err != nil || got.State != hooks.Outdated || !got.Holds {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := f.Install("/elsewhere/collie", true); err != nil || !got.Changed || strings.Contains(read(t, f), program) {
		t.Errorf("%+v, %v: %s", got, err, read(t, f))
	}
	uninstall(t, f)
	if got := read(t, f); got != "{}" {
		t.Errorf("the end is %q", got)
	}
}

func TestAFileThatIsNotUnderstoodIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"torn": `{"hooks": {`, "a list": "[]", "hooks are a list": `{"hooks": []}`, "an event is a text": `{"hooks": {"Stop": "x"}}`, "two documents": "{}{}",
		"too large": `{"x": "` + strings.Repeat("x", 4<<20) + `"}`,
	} {
		f := file(t, "claude", text)
		if _, err := f.Install(program, false); err == nil || !strings.Contains(err.Error(), f.Path) {
			t.Errorf("%s: %v", name, err)
		}
		if read(t, f) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestALinkIsFollowedToTheFile(t *testing.T) {
	t.Parallel()
	target := filepath.Join(t.TempDir(), "dotfiles.json")
	must(t, os.WriteFile(target, []byte("{}\n"), 0o600))
	f := file(t, "claude", "-")
	must(t, os.Symlink(target, f.Path))
	install(t, f, false)
	data, err := os.ReadFile(target)
	must(t, err)
	if info, err := os.Lstat(f.Path); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(data), "_hook") {
		t.Errorf("%v, %v: %s", info.Mode(), err, data)
	}
	uninstall(t, f)
	if data, _ := os.ReadFile(target); string(data) != "{}\n" {
		t.Errorf("the end is %q", data)
	}
}

// TestTheHooksAreOfTheFormThatTheProgramsRead holds the form that was seen to
// work with Claude Code 2.1, Codex 0.171 and Gemini CLI 0.61.
func TestTheHooksAreOfTheFormThatTheProgramsRead(t *testing.T) {
	t.Parallel()
	f := file(t, "claude", "-")
	install(t, f, true)
	var got struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	must(t, json.Unmarshal([]byte(read(t, f)), &got))
	if len(got.Hooks) != 8 {
		t.Errorf("%d events", len(got.Hooks))
	}
	ask := got.Hooks["PermissionRequest"][0]
	if ask.Matcher != "*" || ask.Hooks[0].Type != "command" || ask.Hooks[0].Command != `'/opt/my tools/collie' _hook claude --hold` || ask.Hooks[0].Timeout != 600 {
		t.Errorf("%+v", ask)
	}
	g := file(t, "gemini", "-")
	install(t, g, false)
	if text := read(t, g); !strings.Contains(text, `"timeout":5000`) {
		t.Errorf("Gemini CLI counts milliseconds: %s", text)
	}
}

func TestEveryFolderOfAHarnessIsFound(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	must(t, os.Mkdir(filepath.Join(home, ".claude"), 0o700))
	env := func(name string) string {
		return map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": "/srv/profile/"}[name]
	}
	want := []string{filepath.Join(home, ".claude"), "/srv/profile"}
	if diff := cmp.Diff(want, hooks.Named("claude").Folders(env)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzInstallAndUninstall(f *testing.F) {
	for _, text := range settings {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, hold bool) {
		s := file(t, "claude", text)
		if _, err := s.Install(program, hold); err != nil {
			if read(t, s) != text {
				t.Fatalf("refused with %v, and changed to %q", err, read(t, s))
			}
			return
		}
		once := read(t, s)
		install(t, s, hold)
		if read(t, s) != once {
			t.Fatalf("a second install makes %q of %q", read(t, s), once)
		}
		if !strings.Contains(text, "_hook claude") {
			uninstall(t, s)
			if got := read(t, s); got != text {
				t.Fatalf("the end is %q, the beginning was %q", got, text)
			}
		}
	})
}
