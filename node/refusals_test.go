package node_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"collie/node/api"
)

func TestARefusedFileSaysWhyItIsNotShown(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := workspace(t, n)
	plant(t, filepath.Join(dir, ".git", "config"), "x")
	plant(t, filepath.Join(dir, "identity.pem"), "x")
	if err := os.Link(n.Folder.Path("audit.log"), filepath.Join(dir, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		".git/config":  "what is in .git is not shown",
		"identity.pem": "a file with the name of one of Collie's secrets is not shown",
		"notes.txt":    "a second name (hard link) of one of Collie's own files is not shown",
	} {
		_, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: path})
		refused(t, path, err, api.ErrFileNotShown)
		if got := api.AsError(err).Detail; got != want {
			t.Errorf("%s: the detail is %q, want %q", path, got, want)
		}
	}
}

func TestARefusalDoesNotSayTheSameTwice(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, _ := workspace(t, n)
	_, err := n.Local().Files(t.Context(), id, api.FilesAt{Path: "nothing"})
	if got := *api.AsError(err); got.Code != "file_not_found" || got.Detail != nil {
		t.Errorf("what is not there is %+v", got)
	}
	err = n.Local().Keys(cli(t), id, api.Keys{Keys: []string{"F13"}})
	if got := *api.AsError(err); got.Code != "unknown_key" || got.Detail != `"F13"` {
		t.Errorf("a key that there is not is %+v", got)
	}
}

func TestChangesOfWhatIsNotThereAreNotFound(t *testing.T) {
	t.Parallel()
	n := open(t)
	id, dir := workspace(t, n)
	git := func(args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for _, name := range []string{"same.txt", "gone.txt"} {
		plant(t, filepath.Join(dir, name), "one\n")
	}
	git("add", ".")
	git("commit", "-qm", "one")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	diff := func(path string, staged bool) error {
		_, err := n.Local().Changes(t.Context(), id, api.ChangesOf{Path: path, Staged: staged})
		return err
	}
	refused(t, "a path that there is not", diff("nothing.txt", false), api.ErrFileNotFound)
	for _, staged := range []bool{false, true} {
		for _, path := range []string{"same.txt", "gone.txt"} {
			if err := diff(path, staged); err != nil {
				t.Errorf("%s, staged %v: %v", path, staged, err)
			}
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := n.Local().Changes(t.Context(), id, api.ChangesOf{})
	refused(t, "the changes of a folder that is gone", err, api.ErrFileNotFound)
	_, err = n.Local().Worktree(t.Context(), id, api.Worktree{Branch: "next"})
	refused(t, "a worktree beside a folder that is gone", err, api.ErrFileNotFound)
}
