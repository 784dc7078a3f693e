package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A place is a workspace folder beside Collie's own folders.
type place struct {
	t                   *testing.T
	root, state, config string
	*Viewer
}

func newPlace(t *testing.T) *place {
	t.Helper()
	base := t.TempDir()
	p := &place{t: t, root: filepath.Join(base, "work"), state: filepath.Join(base, "state"), config: filepath.Join(base, "config")}
	for _, dir := range []string{p.root, p.state, p.config} {
		must(t, os.Mkdir(dir, 0o700))
	}
	p.Viewer = New(p.state, p.config)
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *place) write(path, text string) string {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.root, path)
	}
	must(p.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(p.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (p *place) link(target, name string) {
	p.t.Helper()
	must(p.t, os.Symlink(target, filepath.Join(p.root, name)))
}

func (p *place) text(path string) string {
	p.t.Helper()
	look, err := p.Look(p.root, path)
	if err != nil || look.Text == nil {
		p.t.Fatalf("%s: %+v, %v", path, look, err)
	}
	return string(look.Text.Data)
}

func (p *place) refused(path string, want error) {
	p.t.Helper()
	if look, err := p.Look(p.root, path); !errors.Is(err, want) {
		p.t.Errorf("%q: %+v, %v; want %v", path, look, err, want)
	}
}

func (p *place) names(path string) string {
	p.t.Helper()
	look, err := p.Look(p.root, path)
	if err != nil || look.Listing == nil {
		p.t.Fatalf("%q: %+v, %v", path, look, err)
	}
	var names []string
	for _, entry := range look.Listing.Entries {
		names = append(names, string(entry.Kind)+" "+entry.Name)
	}
	return strings.Join(names, ", ")
}

func TestAFolderIsListedFoldersFirstAndAFileIsRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("src/main.go", "package main\n")
	p.write(".env", "A=1\n")
	p.write("b.txt", "b")
	p.link("b.txt", "a-link")
	must(t, syscall.Mkfifo(filepath.Join(p.root, "pipe"), 0o600))
	if got, want := p.names(""), "folder src, file .env, link a-link, file b.txt, other pipe"; got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
	if got := p.text("src/main.go"); got != "package main\n" {
		t.Errorf("read %q", got)
	}
	if got := p.text("a-link"); got != "b" {
		t.Errorf("through a link that stays inside: %q", got)
	}
}

func TestWhatLeavesTheFolderIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	outside := p.write(filepath.Join(filepath.Dir(p.root), "outside.txt"), "out")
	p.write("in/file", "in")
	p.link(outside, "absolute")
	p.link(filepath.Join(p.root, "in/file"), "absolute-inside")
	p.link("../outside.txt", "up")
	p.link("..", "in/parent")
	p.link("../..", "in/grandparent")
	p.link("loop-b", "loop-a")
	p.link("loop-a", "loop-b")
	for _, path := range []string{"absolute", "absolute-inside", "up", "in/grandparent", "in/grandparent/outside.txt", "loop-a"} {
		p.refused(path, ErrOutside)
	}
	if got := p.text("in/parent/in/file"); got != "in" {
		t.Errorf("a link to the folder itself: %q", got)
	}
	for _, path := range []string{"..", "../outside.txt", "/etc/passwd", "in/../in/file", "in//file", "./in", "in/", "a\x00b", strings.Repeat("a/", maxDepth) + "a"} {
		p.refused(path, ErrPath)
	}
	p.refused("nothing", ErrNotFound)
	p.refused("in/file/deeper", ErrNotFound)
}

func TestGitAndCollieAndItsSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".git/config", "[core]")
	p.write("sub/.GIT/config", "[core]")
	p.write("submodule/.git", "gitdir: x")
	p.write("backup/identity.pem", "key")
	p.write("backup/.identity.pem.123.tmp", "key")
	p.write("backup/crew.json", "{}")
	p.write("backup/kept.txt", "yes")
	p.link(".git", "disguise")
	p.link("backup/identity.pem", "second")
	for _, path := range []string{
		".git", ".git/config", ".GIT/config", "sub/.GIT", "submodule/.git", "disguise", "disguise/config",
		"backup/identity.pem", "backup/IDENTITY.PEM", "backup/.identity.pem.123.tmp", "backup/crew.json", "second",
	} {
		p.refused(path, ErrHidden)
		if path != "disguise" && path != "second" && !p.Hides(p.root, path) {
			t.Errorf("%s is shown by way of git", path)
		}
	}
	if got := p.names("backup"); got != "file kept.txt" {
		t.Errorf("listed %s", got)
	}
	if got := p.names("sub"); got != "" {
		t.Errorf("listed %s", got)
	}
	if p.Hides(p.root, "backup/kept.txt") || p.Hides(p.root, "gone/file.go") {
		t.Error("an ordinary path is hidden")
	}
	if _, err := p.Look(filepath.Join(p.root, ".git"), "config"); !errors.Is(err, ErrHidden) {
		t.Errorf("a pane in .git: %v", err)
	}
}

func TestCollieFoldersAreHiddenWhereverTheyAreSeen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	base := filepath.Dir(p.root)
	p.write(filepath.Join(p.state, "panes/note.txt"), "x")
	for _, root := range []string{p.state, filepath.Join(p.state, "panes"), p.config} {
		if _, err := p.Look(root, ""); !errors.Is(err, ErrHidden) {
			t.Errorf("a pane in %s: %v", root, err)
		}
	}
	must(t, os.Symlink("state", filepath.Join(base, "alias")))
	p.root = base
	for _, path := range []string{"state", "state/panes", "state/panes/note.txt", "alias", "alias/panes/note.txt", "config"} {
		p.refused(path, ErrHidden)
	}
	if !p.Hides(base, "state/panes/note.txt") || !p.Hides(base, "state/gone") {
		t.Error("a file of Collie's is shown by way of git")
	}
	if got := p.names(""); got != "folder work, link alias" {
		t.Errorf("listed %s", got)
	}
}

func TestASecondNameOfACollieFileIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	own := p.write(filepath.Join(p.state, "sub/anything"), "secret")
	mine := p.write("one", "mine")
	must(t, os.Link(own, filepath.Join(p.root, "innocent.txt")))
	must(t, os.Link(mine, filepath.Join(p.root, "two")))
	p.refused("innocent.txt", ErrHidden)
	if !p.Hides(p.root, "innocent.txt") {
		t.Error("it is shown by way of git")
	}
	if got := p.text("two"); got != "mine" {
		t.Errorf("an ordinary second name: %q", got)
	}
}

func TestWhatIsNoRegularFileIsNeverOpened(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	must(t, syscall.Mkfifo(filepath.Join(p.root, "pipe"), 0o600))
	p.link("pipe", "to-pipe")
	p.refused("pipe", ErrSpecial)
	p.refused("to-pipe", ErrSpecial)
	if _, err := p.Look("/dev", "null"); !errors.Is(err, ErrSpecial) {
		t.Errorf("a device: %v", err)
	}
	if _, err := p.Look("/", "proc/self/environ"); !errors.Is(err, ErrHidden) {
		t.Errorf("what the kernel says of a process: %v", err)
	}
	if _, err := p.Look("/proc/self", "environ"); !errors.Is(err, ErrHidden) {
		t.Errorf("a pane in /proc: %v", err)
	}
}

// The folder that was looked at is not the one that is opened: it was swapped.
func TestAFolderThatIsSwappedWhileItIsOpenedIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("a/file", "a")
	p.write("b/file", "b")
	d, err := p.descend(p.root)
	must(t, err)
	defer d.close()
	seen, err := d.here().Lstat("a")
	must(t, err)
	must(t, os.Rename(filepath.Join(p.root, "a"), filepath.Join(p.root, "away")))
	p.link("b", "a")
	if err := d.down("a", seen); !errors.Is(err, ErrChanged) {
		t.Errorf("a swapped folder: %v", err)
	}
}

func TestAFileThatIsSwappedWhileItIsOpenedIsRefused(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(p *place, path string){
		"another file": func(p *place, path string) {
			p.write("new", "new")
			must(t, os.Rename(filepath.Join(p.root, "new"), path))
		},
		"a pipe": func(_ *place, path string) { must(t, os.Remove(path)); must(t, syscall.Mkfifo(path, 0o600)) },
		"a link": func(_ *place, path string) { must(t, os.Remove(path)); must(t, os.Symlink("other", path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := p.write("file", "old")
			p.write("other", "other")
			d, err := p.descend(p.root)
			must(t, err)
			defer d.close()
			at, err := d.walk("file")
			must(t, err)
			swap(p, path)
			if text, err := d.read(at); err == nil {
				t.Errorf("read %q", text.Data)
			}
		})
	}
}

func TestAHugeFileShowsItsBeginningAndABinaryOneNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("huge", strings.Repeat("a", MaxTextBytes-1)+"çç")
	look, err := p.Look(p.root, "huge")
	must(t, err)
	if text := look.Text; !text.Cut || text.Size != MaxTextBytes+3 || len(text.Data) != MaxTextBytes-1 {
		t.Errorf("cut %v, size %d, %d bytes", text.Cut, text.Size, len(text.Data))
	}
	must(t, os.Truncate(p.write("sparse", "x"), 1<<40))
	look, err = p.Look(p.root, "sparse")
	must(t, err)
	if text := look.Text; !text.Binary || text.Data != nil || text.Size != 1<<40 {
		t.Errorf("a sparse file: %+v", text)
	}
	for name, want := range map[string]bool{"caf\xe9 noir": true, "": true, "\x89PNG\r\n\x1a\n\x00": false, strings.Repeat("\xff\xfe", 50): false} {
		if got := isText([]byte(name)); got != want {
			t.Errorf("%q: text %v", name, got)
		}
	}
}

func TestAListingIsBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for i := range MaxEntries + 1 {
		p.write(fmt.Sprintf("f%04d", i), "")
	}
	look, err := p.Look(p.root, "")
	must(t, err)
	entries := look.Listing.Entries
	if len(entries) != MaxEntries || !look.Listing.More || entries[MaxEntries-1].Name != "f0999" {
		t.Errorf("%d entries, more %v, the last %s", len(entries), look.Listing.More, entries[len(entries)-1].Name)
	}
}

func TestBrowseOffersFoldersThatStayInsideAndNoneOfCollie(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Dir(p.root)
	for _, name := range []string{"Code", "cozy", ".config-x", "x\u202ey", "Code/.git", "Code/deep"} {
		must(t, os.MkdirAll(filepath.Join(home, name), 0o700))
	}
	p.write(filepath.Join(home, "file"), "")
	for name, target := range map[string]string{"in": "Code", "out": "/tmp", "up": "..", "gone": "nowhere", "to-file": "file", "own": "state"} {
		must(t, os.Symlink(target, filepath.Join(home, name)))
	}
	for _, test := range []struct{ path, start, want string }{
		{"", "", "Code cozy in work"},
		{"", "CO", "Code cozy"},
		{"", ".", ".config-x"},
		{"Code", "", "deep"},
		{"in", "", "deep"},
		{"Code", ".", ""},
	} {
		names, more, err := p.Folders(home, test.path, test.start)
		if got := strings.Join(names, " "); got != test.want || more || err != nil {
			t.Errorf("%q %q: %s, %v, %v; want %s", test.path, test.start, got, more, err, test.want)
		}
	}
	for path, want := range map[string]error{"file": ErrNotFound, "out": ErrOutside, "state": ErrHidden, "Code/.git": ErrHidden, "..": ErrPath} {
		if _, _, err := p.Folders(home, path, ""); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	many := filepath.Join(home, "many")
	for i := range MaxFolders + 1 {
		must(t, os.MkdirAll(filepath.Join(many, fmt.Sprintf("d%03d", i)), 0o700))
	}
	if names, more, err := p.Folders(home, "many", ""); len(names) != MaxFolders || !more || err != nil {
		t.Errorf("%d names, %v, %v", len(names), more, err)
	}
}

func TestPlainShowsWhatWouldBeHidden(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain.go":        "plain.go",
		"a\u202egpj.exe":  "a\uFFFDgpj.exe",
		"a\nb\tc\x1b[31m": "a\uFFFDb\uFFFDc\uFFFD[31m",
		"zero\u200bwidth": "zero\uFFFDwidth",
		"latin\xe9":       "latin\uFFFD",
		"türkçe 日本":       "türkçe 日本",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if got := PlainText("a\r\n\tb\x00\u2066c\n"); got != "a\n\tb\uFFFD\uFFFDc\n" {
		t.Errorf("%q", got)
	}
}

func FuzzWalkNeverLeavesTheFolder(f *testing.F) {
	for _, path := range []string{"", "a", "../x", "a/../../x", "link/x", "deep/up/up/x", ".git/config", "a\x00", "//", "./."} {
		f.Add(path)
	}
	base := f.TempDir()
	root := filepath.Join(base, "root")
	if err := os.MkdirAll(filepath.Join(root, "deep", ".git"), 0o700); err != nil {
		f.Fatal(err)
	}
	for name, target := range map[string]string{"link": "..", "deep/up": "..", "a": "deep"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			f.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(base, "x"), filepath.Join(root, "deep", ".git", "config")} {
		if err := os.WriteFile(path, []byte("not to be seen"), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, path string) {
		look, err := New().Look(root, path)
		if err == nil && look.Text != nil && bytes.Contains(look.Text.Data, []byte("not to be seen")) {
			t.Errorf("%q shows what it must not", path)
		}
	})
}
