package node_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// repository is a pane in a real repository with one commit.
func repository(t *testing.T, n *node.Node) (id, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "repo")
	plant(t, filepath.Join(dir, "kept.txt"), "one\n")
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return run(t, n, pane.Spec{Cwd: dir}, "echo ready; cat", "ready"), dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.example"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestWhatChangedInAPanesRepositoryIsShownMasked(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := repository(t, n)
	plant(t, filepath.Join(dir, "kept.txt"), "token: "+token+"\n\x1b[31m\n")
	plant(t, filepath.Join(dir, token), "")
	got, err := n.Local().Changes(t.Context(), id, api.ChangesOf{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Entries) != 2 || !got.Repository || got.Branch != "main" || len(got.Head) != 40 ||
		got.Entries[0] != (api.ChangeEntry{Path: "kept.txt", Unstaged: "modified", Opens: true}) ||
		!strings.HasPrefix(got.Entries[1].Path, "ghp_••") || got.Entries[1].Opens {
		t.Errorf("%+v", got)
	}
	got, err = n.Local().Changes(t.Context(), id, api.ChangesOf{Path: "kept.txt"})
	if err != nil {
		t.Fatal(err)
	}
	want := "@@ -1,1 +1,2 @@\n-one\n+token: ghp_" + strings.Repeat("•", len(token)-4) + "\n+\uFFFD[31m\n"
	if diff := got.Diff; !strings.HasSuffix(diff.Text, want) || !diff.Masked || diff.Path != "kept.txt" {
		t.Errorf("%+v, want it to end in %q", diff, want)
	}
}

// What is changed is the middle of a private key, and the line that says so is
// far above it.
func TestAChangeInTheMiddleOfAKeyIsMasked(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := repository(t, n)
	line := "MIIEowIBAAKCAQEAxk9mB3nQMIIEowIBAAKCAQEAxk9mB3nQMIIEowIBAAKCAQEA\n"
	key := func(middle string) string {
		return "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(line, 20) + middle + strings.Repeat(line, 20) + "-----END RSA PRIVATE KEY-----\n"
	}
	plant(t, filepath.Join(dir, "key"), key(line))
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "a key")
	plant(t, filepath.Join(dir, "key"), key("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJz\n"))
	got, err := n.Local().Changes(t.Context(), id, api.ChangesOf{Path: "key"})
	if err != nil || got.Diff == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if text := got.Diff.Text; strings.Contains(text, "MIIE") || strings.Contains(text, "QUJD") || strings.Count(text, "\n") != 4+1+8 {
		t.Errorf("the diff is\n%s", text)
	}
}

func TestAFolderWithoutARepositoryHasNoChanges(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := workspace(t, n)
	got, err := n.Local().Changes(t.Context(), id, api.ChangesOf{})
	if err != nil || got.Repository || got.Entries == nil {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = n.Local().Changes(t.Context(), id, api.ChangesOf{Path: "x"})
	refused(t, "a diff", err, api.ErrNoRepository)
	_, err = n.Local().Changes(t.Context(), id, api.ChangesOf{Path: ".git/config"})
	refused(t, "a diff of .git", err, api.ErrFileNotShown)
	_, err = n.Local().Worktree(t.Context(), id, api.Worktree{Branch: "x"})
	refused(t, "a worktree", err, api.ErrNoRepository)
}

func TestAWorktreeIsMadeWithAPaneAndBothAreAudited(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := repository(t, n)
	made, err := n.Local().Worktree(t.Context(), id, api.Worktree{Branch: "fix/login"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := n.Panes.Get(pane.ID(made.ID))
	if err != nil || info.Cwd != dir+".worktrees/fix-login" || made.Path != info.Cwd || info.Label != "fix/login" || !info.OpenedByOperator {
		t.Errorf("%+v, %+v, %v", made, info, err)
	}
	for branch, refusal := range map[string]*api.Error{"fix/login": api.ErrWorktreeExists, "-x": api.ErrBadRequest} {
		_, err := n.Local().Worktree(t.Context(), id, api.Worktree{Branch: branch})
		refused(t, branch, err, refusal)
	}
	var got []string
	for _, line := range auditLines(t, n, "pane.worktree") {
		got = append(got, line.Outcome+" "+line.What)
	}
	slices.Sort(got) // two refusals, in any order
	if want := "accepted -x, accepted fix/login, accepted fix/login, bad_request , worktree_exists "; strings.Join(got, ", ") != want {
		t.Errorf("audited %q, want %q", got, want)
	}
}

type auditLine struct{ Action, Outcome, What string }

// auditLines are those of an action in the audit log.
func auditLines(t *testing.T, n *node.Node, action string) []auditLine {
	t.Helper()
	data, err := os.ReadFile(n.Folder.Path("audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	var all []auditLine
	for text := range strings.Lines(string(data)) {
		var line auditLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line.Action == action {
			all = append(all, line)
		}
	}
	return all
}

func TestAnUploadIsKeptAndItsPathIsTyped(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := workspace(t, n)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 30)
	kept, err := n.Local().Upload(cli(t), id, api.Upload{Name: "a b.png", Size: int64(len(png)), Body: strings.NewReader(png)})
	if err != nil || !kept.Pasted || kept.Type != "image/png" || filepath.Dir(kept.Path) != n.Folder.Path("uploads") {
		t.Fatalf("%+v, %v", kept, err)
	}
	waitFor(t, n, id, kept.Name)
	if data, err := os.ReadFile(kept.Path); err != nil || string(data) != png {
		t.Errorf("%q, %v", data, err)
	}
	if got := auditLines(t, n, "pane.upload"); len(got) != 1 || got[0].What != "a b.png" || got[0].Outcome != "accepted" {
		t.Errorf("audited %+v", got)
	}
	_, err = n.Local().Upload(cli(t), "nobody", api.Upload{Name: "x", Size: 1, Body: strings.NewReader("x")})
	refused(t, "no such pane", err, api.ErrPaneNotFound)
	_, err = n.Local().Upload(cli(t), id, api.Upload{Name: "x", Size: -1, Body: strings.NewReader("")})
	refused(t, "an empty file", err, api.ErrBadRequest)
	stale, err := n.Local().Upload(cli(t), id, api.Upload{Name: "x", Size: 1, Body: strings.NewReader("x"), Screen: strings.Repeat("a", 24)})
	if err != nil || stale.Pasted || stale.Reason != "screen_changed" || stale.Path == "" {
		t.Errorf("when the screen is another one: %+v, %v", stale, err)
	}
}

func TestAPathIsNotTypedWhereAPasswordIsAskedFor(t *testing.T) {
	t.Parallel()
	n := open(t)
	id := run(t, n, pane.Spec{}, "stty -echo; printf 'Password: '; cat", "Password:")
	kept, err := n.Local().Upload(cli(t), id, api.Upload{Name: "x", Size: 1, Body: strings.NewReader("x")})
	if err != nil || kept.Pasted || kept.Reason != "password_prompt" {
		t.Errorf("%+v, %v", kept, err)
	}
}
