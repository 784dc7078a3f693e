package node_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// allow writes the operator's launchers.toml.
func allow(t testing.TB, n *node.Node, text string) {
	t.Helper()
	if err := os.MkdirAll(n.Config.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(n.Config.Dir, "launchers.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program puts a script where the node looks for programs first, and returns the
// setting that makes it look there.
func program(t testing.TB, name, script string) (path string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}

func launchersOf(t testing.TB, n *node.Node) api.Launchers {
	t.Helper()
	all, err := n.Local().Launchers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func auditLog(t testing.TB, n *node.Node) string {
	t.Helper()
	data, err := os.ReadFile(n.Folder.Path("audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestARecipeOpensAPaneWithTheFlagsOfTheTableOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	n := open(t, program(t, "claude", `printf 'agent %s in %s' "$*" "$PWD"; cat`))
	allow(t, n, "[[launcher]]\nname = \"Site\"\nharness = \"claude\"\noptions = [\"continue\", \"skip-permissions\"]\n")
	row := launchersOf(t, n).Rows[0]
	if row.Line != "claude --continue --dangerously-skip-permissions" || !row.NoConfirmation || row.Harness != "claude" {
		t.Fatalf("the row is %+v", row)
	}
	_, err := n.Local().Launch(asPixel(t), api.Launch{ID: row.ID})
	refused(t, "a row that is not confirmed", err, api.ErrLauncherUnconfirmed)
	_, err = n.Local().Launch(t.Context(), api.Launch{ID: row.ID, Confirmed: true})
	refused(t, "nobody's launch", err, api.ErrNotAllowed)
	_, err = n.Local().Launch(asPixel(t), api.Launch{ID: "nothing"})
	refused(t, "an unknown row", err, api.ErrLauncherNotFound)
	for _, folder := range []string{"../..", "/etc", "nowhere", "site/../../.."} {
		if _, err := n.Local().Launch(asPixel(t), api.Launch{ID: row.ID, Confirmed: true, Folder: &folder}); err == nil {
			t.Errorf("it was started in %q", folder)
		}
	}
	if panes := n.Panes.List(); len(panes) != 0 {
		t.Fatalf("a refusal opened %+v", panes)
	}
	launched, err := n.Local().Launch(asPixel(t), api.Launch{ID: row.ID, Confirmed: true})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, launched.ID, "agent --continue --dangerously-skip-permissions in ")
	info, err := n.Panes.Get(pane.ID(launched.ID))
	if err != nil || info.Label != "Site" || info.Harness != "claude" || !info.OpenedByOperator {
		t.Errorf("the pane is %+v, %v", info, err)
	}
	if log := auditLog(t, n); !strings.Contains(log, `"action":"pane.launch","session":null,"pane":null,"device":"pixel","host":null,"via":"phone","what":"claude --continue --dangerously-skip-permissions","outcome":"accepted"`) ||
		!strings.Contains(log, `"pane":"`+launched.ID+`","device":"pixel","host":null,"via":"phone","what":null,"outcome":"ok"`) {
		t.Errorf("the audit log is\n%s", log)
	}
}

func TestARowOfAPhoneIsStartedOnlyAsFarAsTheOperatorAllows(t *testing.T) {
	t.Parallel()
	n := open(t, program(t, "claude", `printf 'agent in %s' "$PWD"; cat`))
	recipe := &api.AddedRow{Name: "Mine", Harness: "claude"}
	typed := &api.AddedRow{Name: "Typed", Command: "printf typed; cat"}
	launch := func(row *api.AddedRow) error {
		_, err := n.Local().Launch(asPixel(t), api.Launch{Row: row})
		return err
	}
	refused(t, "a typed row", launch(typed), api.ErrLauncherRefused)
	refused(t, "a flag of the phone's own", launch(&api.AddedRow{Name: "x", Harness: "claude", Options: []string{"--yolo"}}), api.ErrLauncherInvalid)
	refused(t, "a harness that is none", launch(&api.AddedRow{Name: "x", Harness: "bash"}), api.ErrLauncherInvalid)
	if err := launch(recipe); err != nil {
		t.Error(err)
	}
	allow(t, n, "[phone]\nfree_text = true\n")
	if err := launch(typed); err != nil {
		t.Error(err)
	}
	allow(t, n, "[phone]\nadds = false\nfree_text = true\n")
	refused(t, "a recipe while adds is off", launch(recipe), api.ErrLauncherRefused)
	refused(t, "a typed row while adds is off", launch(typed), api.ErrLauncherRefused)
	allow(t, n, "[phone]\nadds = maybe\n")
	refused(t, "a recipe while the file is broken", launch(recipe), api.ErrLaunchersUnavailable)
	if _, err := n.Local().Launchers(t.Context()); !strings.Contains(api.AsError(err).Detail.(string), "line 2, column 8") {
		t.Errorf("the refusal says %v", api.AsError(err).Detail)
	}
}

func TestAOneOffLineRunsInANewShellAndIsRememberedUnlessItMayHoldASecret(t *testing.T) {
	t.Parallel()
	n := open(t)
	path, record := recorder(t)
	for _, line := range []string{"printf 'one\\n' >> " + path, "ZEBRA=two; printf '%s\\n' $ZEBRA >> " + path, " printf 'zebra\\n' >> " + path} {
		launched, err := n.Local().Run(asPixel(t), api.Run{Line: line})
		if err != nil || !launched.Submitted {
			t.Fatalf("%q: %+v, %v", line, launched, err)
		}
		want := map[byte]string{'p': "one\n", 'Z': "one\ntwo\n", ' ': "one\ntwo\nzebra\n"}[line[0]]
		eventually(t, "what "+line+" writes", func() bool { return record() == want })
	}
	want := "printf 'one\\n' >> " + path
	if got := sentLines(t, n); !slices.Equal(got, []string{want}) {
		t.Errorf("sent are %q", got)
	}
	if recent := launchersOf(t, n).Recent; len(recent) != 1 || recent[0].Line != want {
		t.Errorf("the latest lines are %+v", recent)
	}
	log := auditLog(t, n)
	if !strings.Contains(log, `"what":"printf (`) || strings.Contains(strings.ToLower(log), "zebra") || strings.Contains(log, path) {
		t.Errorf("the audit log is\n%s", log)
	}
	for name, line := range map[string]string{"two lines": "a\nb", "an escape": "a\x1b[A", "201 characters": strings.Repeat("x", 201), "nothing": ""} {
		_, err := n.Local().Run(asPixel(t), api.Run{Line: line})
		refused(t, name, err, api.ErrBadRequest)
	}
	_, err := n.Local().Run(t.Context(), api.Run{Line: "make"})
	refused(t, "nobody's line", err, api.ErrNotAllowed)
	allow(t, n, "[phone]\nrun = false\n")
	_, err = n.Local().Run(asPixel(t), api.Run{Line: "make"})
	refused(t, "a line while run is off", err, api.ErrLauncherRefused)
	if panes := n.Panes.List(); len(panes) != 3 {
		t.Errorf("there are %d panes", len(panes))
	}
	sent, err := n.Local().Sent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Local().SentForget(asPixel(t), api.SentForget{ID: sent.Lines[0].ID}); err != nil {
		t.Fatal(err)
	}
	allow(t, n, "")
	if recent := launchersOf(t, n).Recent; len(recent) != 0 {
		t.Errorf("a line that was forgotten is among the latest: %+v", recent)
	}
}

func TestWithoutAFileAShellAndWhatIsInstalledCanBeStarted(t *testing.T) {
	t.Parallel()
	n := open(t, program(t, "codex", "cat"))
	all := launchersOf(t, n)
	var names []string
	for _, row := range all.Rows {
		names = append(names, row.Name)
	}
	if !slices.Contains(names, "Shell") || !slices.Contains(names, "codex") || !all.Phone.Adds || all.Phone.FreeText || !all.Phone.Run {
		t.Errorf("%q, %+v", names, all.Phone)
	}
	folder := ".."
	if _, err := n.Local().Launch(asPixel(t), api.Launch{ID: all.Rows[0].ID, Folder: &folder}); err == nil {
		t.Error("a shell was opened above the home folder")
	}
	folder = ""
	launched, err := n.Local().Launch(asPixel(t), api.Launch{ID: all.Rows[0].ID, Folder: &folder})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, n, launched.ID, "$")
}

// oneOff runs a one-off line in a shell that behaves as a script says.
func oneOff(t *testing.T, shell string) (n *node.Node, launched api.Launched, err error) {
	t.Helper()
	path := program(t, "shell", shell)
	dir, _, _ := strings.Cut(strings.TrimPrefix(path, "PATH="), ":")
	n = open(t, "SHELL="+filepath.Join(dir, "shell"))
	launched, err = n.Local().Run(asPixel(t), api.Run{Line: "make test"})
	return n, launched, err
}

func runOutcomes(t *testing.T, n *node.Node) string {
	t.Helper()
	return strings.Join(outcomes(t, n, "pane.run"), " ")
}

func TestTheAuditLogSaysWhatBecameOfAOneOffLine(t *testing.T) {
	t.Parallel()
	t.Run("not submitted", func(t *testing.T) {
		t.Parallel()
		n, launched, err := oneOff(t, `stty raw -echo; printf 'quiet> '; exec cat >/dev/null`)
		if err != nil || launched.ID == "" || launched.Submitted || launched.Reason != "not_submitted" {
			t.Fatalf("%+v, %v", launched, err)
		}
		if got := runOutcomes(t, n); got != "accepted not_submitted" {
			t.Errorf("the audit log says %s", got)
		}
		if recent := launchersOf(t, n).Recent; len(recent) != 0 || len(sentLines(t, n)) != 0 {
			t.Errorf("a line that was not submitted is among the latest: %+v, %q", recent, sentLines(t, n))
		}
		if _, err := n.Local().Reply(asPixel(t), launched.ID, api.Reply{Submit: true, Screen: screenNow(t, n, launched.ID)}); !errors.Is(err, api.ErrOutcomeUnknown) {
			t.Errorf("a Submit of which nothing is seen: %v", err)
		}
		if recent := launchersOf(t, n).Recent; len(recent) != 1 || recent[0].Line != "make test" {
			t.Errorf("a line that was submitted by hand is not among the latest: %+v", recent)
		}
	})
	t.Run("entered, and nothing seen of it", func(t *testing.T) {
		t.Parallel()
		n, launched, err := oneOff(t, `stty raw -echo; printf 'still> '; text=$(dd bs=9 count=1 2>/dev/null); printf %s "$text"; exec cat >/dev/null`)
		if err != nil || launched.Submitted || launched.Reason != "write_outcome_unknown" {
			t.Fatalf("%+v, %v", launched, err)
		}
		if got := runOutcomes(t, n); got != "accepted write_outcome_unknown" {
			t.Errorf("the audit log says %s", got)
		}
		if recent := launchersOf(t, n).Recent; len(recent) != 1 || recent[0].Line != "make test" || !slices.Equal(sentLines(t, n), []string{"make test"}) {
			t.Errorf("the latest lines are %+v, sent are %q", recent, sentLines(t, n))
		}
	})
	t.Run("submitted", func(t *testing.T) {
		t.Parallel()
		// The prompt comes in two pieces, the second once something was typed.
		n, launched, err := oneOff(t, `stty raw -echo; printf 'me'; text=$(dd bs=9 count=1 2>/dev/null); stty sane; printf '@here> %s' "$text"; exec cat >/dev/null`)
		if err != nil || !launched.Submitted || launched.Reason != "" {
			t.Fatalf("%+v, %v", launched, err)
		}
		if got := runOutcomes(t, n); got != "accepted ok" {
			t.Errorf("the audit log says %s", got)
		}
	})
}
