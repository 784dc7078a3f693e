package hooks_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/crypto/need"
	"collie/node/hooks"
)

func TestAPluginIsAFileOfItsOwnThatGoesAgain(t *testing.T) {
	t.Parallel()
	f := hooks.Named("opencode").File(t.TempDir())
	if got := install(t, f, false); !got.Changed || got.State != hooks.Installed {
		t.Errorf("the install says %+v", got)
	}
	once := read(t, f)
	if !strings.Contains(once, `const program = "/opt/my tools/collie"`) {
		t.Errorf("it runs something else:\n%s", once)
	}
	if got := install(t, f, false); got.Changed || read(t, f) != once {
		t.Errorf("a second install says %+v", got)
	}
	for where, want := range map[string]hooks.State{program: hooks.Installed, "/elsewhere/collie": hooks.Outdated} {
		if got, err := f.Status(where); err != nil || got.State != want {
			t.Errorf("for %s the status is %+v, %v", where, got, err)
		}
	}
	if got, err := f.Install("/elsewhere/collie", false); err != nil || !got.Changed {
		t.Errorf("for another place: %+v, %v", got, err)
	}
	if got := uninstall(t, f); !got.Changed || read(t, f) != "-" {
		t.Errorf("the uninstall says %+v", got)
	}
	if uninstall(t, f).Changed {
		t.Error("a second uninstall changes something")
	}
	if got, err := f.Status(program); err != nil || got.State != hooks.Absent {
		t.Errorf("the status is %+v, %v", got, err)
	}
	if _, err := f.Install(program, true); err == nil || read(t, f) != "-" {
		t.Error("it holds permissions")
	}
}

func TestAPluginThatWasEditedIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := hooks.Named("opencode").File(t.TempDir())
	install(t, f, false)
	for _, text := range []string{read(t, f) + "// mine\n", strings.Replace(read(t, f), "5000", "9000", 1), "export const Mine = async () => ({})\n", ""} {
		must(t, os.WriteFile(f.Path, []byte(text), 0o600))
		if _, err := f.Install(program, false); !errors.Is(err, hooks.ErrEdited) {
			t.Errorf("an install: %v", err)
		}
		if _, err := f.Uninstall(); !errors.Is(err, hooks.ErrEdited) {
			t.Errorf("an uninstall: %v", err)
		}
		if got, err := f.Status(program); err != nil || got.State != hooks.Outdated {
			t.Errorf("the status is %+v, %v", got, err)
		}
		if diff := cmp.Diff(text, read(t, f)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	}
}

func TestOpencodesFolderIsWhereItsVariablesSay(t *testing.T) {
	t.Parallel()
	home, there := t.TempDir(), t.TempDir()
	for want, variables := range map[string]map[string]string{
		filepath.Join(home, ".config/opencode"): {"HOME": home},
		filepath.Join(there, "opencode"):        {"HOME": home, "XDG_CONFIG_HOME": there},
		there:                                   {"HOME": home, "OPENCODE_CONFIG_DIR": there},
	} {
		got := hooks.Named("opencode").Folders(func(name string) string { return variables[name] })
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", variables, diff)
		}
	}
}

// TestAPluginTellsOfItsPanesOwnSession runs the plugin beside a program that
// writes down what it is told.
func TestAPluginTellsOfItsPanesOwnSession(t *testing.T) {
	t.Parallel()
	node := need.Program(t, "node")
	dir := t.TempDir()
	told, collie := filepath.Join(dir, "told"), filepath.Join(dir, "my collie")
	must(t, os.WriteFile(collie, []byte("#!/bin/sh\n{ echo \"$* $(cat)\"; } >> '"+told+"'\n"), 0o700))
	f := hooks.Named("opencode").File(dir)
	_, err := f.Install(collie, false)
	must(t, err)
	plugin := filepath.Join(dir, "plugin.mjs") // OpenCode's own runtime takes any name
	must(t, os.WriteFile(plugin, []byte(read(t, f)), 0o600))
	output, err := exec.CommandContext(t.Context(), node, "testdata/opencode-events.mjs", plugin, told).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	got, err := os.ReadFile(told)
	must(t, err)
	want := `_hook opencode {"hook_event_name":"UserPromptSubmit","session_id":"ses_1"}
_hook opencode {"hook_event_name":"PermissionRequest","session_id":"ses_1"}
_hook opencode {"hook_event_name":"UserPromptSubmit","session_id":"ses_1"}
_hook opencode {"hook_event_name":"Notification","session_id":"ses_1","notification_type":"elicitation_dialog"}
_hook opencode {"hook_event_name":"UserPromptSubmit","session_id":"ses_1"}
_hook opencode {"hook_event_name":"Stop","session_id":"ses_1"}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
