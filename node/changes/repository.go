package changes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"collie/crypto/atomicfile"
)

// A repository is one that git found around a folder, and our own git folder
// that stands for it wherever content is read.
type repository struct {
	git    *Git
	top    string // of the work tree
	dir    string // its git folder
	common string // the git folder that it shares with its worktrees
	prefix string // of the folder below top, with a slash at its end, or ""
	branch string // a full name, "" when HEAD is none
	head   string // a commit, "" when there is none

	index, objects, format string
	env                    []string
	ours                   string // our git folder
}

var (
	commitForm = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	branchForm = regexp.MustCompile(`^refs/[^\x00-\x20\x7f~^:?*\[\\]+$`)
	// settingForm is what a setting may say that is taken over.
	settingForm = regexp.MustCompile(`^(true|false|yes|no|on|off|0|1|input|lf|crlf|native|default|minimal)$`)
)

const settingNames = `^core\.(autocrlf|eol|filemode|ignorecase|symlinks|precomposeunicode|trustctime|checkstat|excludesfile)$`

// find asks git which repository a folder is in, and makes our git folder for
// it. It must be closed.
func (g *Git) find(ctx context.Context, folder string) (*repository, error) {
	ask := func(args ...string) (string, error) {
		out, cut, err := g.run(ctx, folder, nil, maxSmallBytes, args...)
		if cut {
			err = fmt.Errorf("%w: it says too much", ErrGit)
		}
		return string(out), err
	}
	said, err := ask("rev-parse", "--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir",
		"--git-path", "objects", "--git-path", "index", "--show-object-format", "--show-prefix")
	if err != nil {
		return nil, refusal(err)
	}
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	if len(lines) != 7 {
		return nil, fmt.Errorf("%w: a path with a line break in it", ErrGit)
	}
	r := &repository{
		git: g, top: lines[0], dir: lines[1], common: lines[2], objects: lines[3], index: lines[4], format: lines[5], prefix: lines[6],
	}
	if r.format != "sha1" && r.format != "sha256" {
		return nil, fmt.Errorf("%w: an object format of a later version", ErrGit)
	}
	if err := r.contains(folder); err != nil {
		return nil, err
	}
	branch, err := ask("symbolic-ref", "-q", "HEAD")
	if branch = strings.TrimSpace(branch); err == nil && branchForm.MatchString(branch) {
		r.branch = branch
	} else if err != nil && !ended(err, 1) {
		return nil, err
	}
	head, err := ask("rev-parse", "-q", "--verify", "HEAD")
	if head = strings.TrimSpace(head); err == nil && commitForm.MatchString(head) {
		r.head = head
	} else if err != nil && !ended(err, 1) {
		return nil, err
	}
	settings, err := ask("config", "-z", "--show-scope", "--get-regexp", settingNames)
	if err != nil && !ended(err, 1) {
		return nil, err
	}
	return r, r.prepare(settings)
}

// contains checks that the work tree is one that the folder is in: a repository
// may say that its work tree is anywhere.
func (r *repository) contains(folder string) error {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGit, err)
	}
	if filepath.Join(r.top, r.prefix) != real || r.prefix != "" && !strings.HasSuffix(r.prefix, "/") {
		return ErrNone
	}
	return nil
}

// prepare makes our git folder.
func (r *repository) prepare(settings string) (err error) {
	if r.ours, err = os.MkdirTemp("", "collie-git-"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	for _, dir := range []string{"refs", "objects", "info"} {
		if err := os.Mkdir(filepath.Join(r.ours, dir), 0o700); err != nil {
			return err
		}
	}
	head := r.head
	if head == "" {
		head = "ref: refs/heads/none"
	}
	for name, text := range map[string]string{"HEAD": head + "\n", "config": r.configuration(settings), "info/exclude": r.excluded()} {
		if err := os.WriteFile(filepath.Join(r.ours, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	r.env = []string{
		"GIT_DIR=" + r.ours, "GIT_WORK_TREE=" + r.top, "GIT_INDEX_FILE=" + r.index, "GIT_OBJECT_DIRECTORY=" + r.objects,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	}
	return r.sharedIndexes()
}

func (r *repository) close() { _ = os.RemoveAll(r.ours) } // what stays is empty of secrets and the system's to sweep

// configuration is that of our git folder: the few settings of the repository
// that say how files look on this disk, and which files the account ignores.
func (r *repository) configuration(settings string) string {
	var text strings.Builder
	text.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tattributesFile = /dev/null\n" +
		"\tbigFileThreshold = 8m\n\tuntrackedCache = false\n[diff]\n\trenameLimit = 400\n")
	if r.format != "sha1" {
		text.WriteString("[extensions]\n\tobjectFormat = " + r.format + "\n")
	}
	text.WriteString("[core]\n")
	fields := strings.Split(settings, "\x00") // scope, key and value, …
	for i := 0; i+1 < len(fields); i += 2 {
		scope, pair := fields[i], fields[i+1]
		key, value, _ := strings.Cut(pair, "\n")
		name := strings.TrimPrefix(key, "core.")
		switch {
		case name == "excludesfile" && (scope == "global" || scope == "system"):
			fmt.Fprintf(&text, "\texcludesFile = %q\n", value)
		case name != "excludesfile" && settingForm.MatchString(value):
			fmt.Fprintf(&text, "\t%s = %s\n", name, value)
		}
	}
	return text.String()
}

// excluded is the repository's own list of ignored files.
func (r *repository) excluded() string {
	data, err := atomicfile.Read(filepath.Join(r.common, "info", "exclude"), maxExcludeBytes)
	if err != nil {
		return "" // it may be missing, and is never more than a convenience
	}
	return string(data)
}

// sharedIndexes lets git find the rest of a split index.
func (r *repository) sharedIndexes() error {
	dir := filepath.Dir(r.index)
	folder, err := os.Open(dir)
	if err != nil {
		return nil // a repository without an index
	}
	defer func() { _ = folder.Close() }()
	for range maxSharedIndexes {
		entries, err := folder.ReadDir(100)
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), "sharedindex.") || !entry.Type().IsRegular() {
				continue
			}
			if err := os.Symlink(filepath.Join(dir, entry.Name()), filepath.Join(r.ours, entry.Name())); err != nil {
				return err
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return nil
}

// run runs git on our git folder, from the top of the work tree.
func (r *repository) run(ctx context.Context, most int, args ...string) ([]byte, bool, error) {
	return r.git.run(ctx, r.top, r.env, most, args...)
}

// pathspec is the folder as git is asked for it.
func (r *repository) pathspec() string {
	if r.prefix == "" {
		return "."
	}
	return strings.TrimSuffix(r.prefix, "/")
}

// below makes a path of the repository one below the folder, and reports
// whether it is.
func (r *repository) below(path *string) bool {
	rest, ok := strings.CutPrefix(*path, r.prefix)
	*path = rest
	return ok && rest != ""
}

func ended(err error, code int) bool {
	var exit *exitError
	return errors.As(err, &exit) && exit.code == code
}

// refusal tells why git does not know a repository. It speaks English: see
// fixed.
func refusal(err error) error {
	var exit *exitError
	if !errors.As(err, &exit) {
		return err
	}
	switch {
	case strings.Contains(exit.said, "dubious ownership"):
		return ErrUnsafe
	case strings.Contains(exit.said, "not a git repository"), strings.Contains(exit.said, "must be run in a work tree"),
		strings.Contains(exit.said, "safe.bareRepository"):
		return ErrNone
	}
	return err
}
