package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"
)

// A ChangesMachine shows what git sees in a pane's folder, and makes a worktree
// to work in beside it.
type ChangesMachine interface {
	// Changes lists what is changed, or with a path how that path differs.
	Changes(ctx context.Context, id string, of ChangesOf) (Changes, error)
	// Worktree makes a branch and a folder for it, and opens a pane there.
	Worktree(ctx context.Context, id string, ask Worktree) (Worktreed, error)
}

// Refusals of git.
var (
	ErrGitFailed      = Refusal(http.StatusServiceUnavailable, "git_failed", "git did not answer as it should")
	ErrGitSlow        = Refusal(http.StatusServiceUnavailable, "git_slow", "git took too long")
	ErrGitUnsafe      = Refusal(http.StatusForbidden, "git_unsafe", "git does not trust the owner of that repository")
	ErrNoRepository   = Refusal(http.StatusConflict, "no_repository", "that pane's folder is in no git repository, or in one without a commit")
	ErrWorktreeExists = Refusal(http.StatusConflict, "worktree_exists", "there is a branch or a folder of that name already")
)

// ChangesOf asks for the list, or with a path for a diff.
type ChangesOf struct {
	Path   string
	From   string // what the path was called before, or ""
	Staged bool   // the diff between HEAD and the index, not between that and the disk
}

// Changes is what git sees. Diff is set when a path was asked for, the rest
// otherwise.
type Changes struct {
	Repository bool          `json:"repository"` // false: the folder is in none
	Branch     string        `json:"branch"`     // "" when HEAD is no branch
	Head       string        `json:"head"`       // "" when there is no commit
	Entries    []ChangeEntry `json:"entries"`
	More       bool          `json:"more"`
	Diff       *DiffView     `json:"diff,omitempty"`
}

// ChangeEntry is one changed path. Staged and Unstaged are "", added, modified,
// deleted, renamed, copied, typechange, untracked or conflicted. The path of an
// untracked folder ends in a slash.
type ChangeEntry struct {
	Path     string `json:"path"`
	From     string `json:"from,omitempty"`
	Staged   string `json:"staged"`
	Unstaged string `json:"unstaged"`
	// Opens says that the names are shown as they are, so that asking for them
	// finds them.
	Opens bool `json:"opens"`
}

// DiffView is a unified diff of one path.
type DiffView struct {
	Path   string `json:"path"`
	Staged bool   `json:"staged"`
	Text   string `json:"text" mask:"diff"`
	Binary bool   `json:"binary"`
	Cut    bool   `json:"cut"` // the text is the diff's beginning
	Masked bool   `json:"masked"`
}

// Worktree asks for a branch of that name, from the commit that is checked out.
type Worktree struct {
	Branch string `json:"branch"`
}

// Worktreed is the pane that was opened in it.
type Worktreed struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Branch string `json:"branch"`
}

func (h *Handlers) changesRoutes() []Route {
	return []Route{
		{http.MethodGet, "/pane/:id/changes", h.changes},
		{http.MethodPost, "/pane/:id/worktree", h.worktree},
	}
}

func (h *Handlers) changes(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	query := r.URL.Query()
	of := ChangesOf{Path: query.Get("path"), From: query.Get("from"), Staged: query.Get("staged") == "1"}
	if len(of.Path) > MaxPathBytes || len(of.From) > MaxPathBytes {
		WriteError(w, ErrBadRequest.With("a path has at most "+strconv.Itoa(MaxPathBytes)+" bytes"))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (Changes, error) { return m.Changes(ctx, p.ByName("id"), of) })
}

func (h *Handlers) worktree(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	write(h, w, r, func(ctx context.Context, m Machine, body Worktree) (Worktreed, error) {
		return m.Worktree(ctx, p.ByName("id"), body)
	})
}

func (c *Client) Changes(ctx context.Context, id string, of ChangesOf) (Changes, error) {
	query := url.Values{"path": {of.Path}, "from": {of.From}}
	if of.Staged {
		query.Set("staged", "1")
	}
	found, err := get[Changes](ctx, c, panePath(id, "/changes"), query, maxFolderValues)
	if err != nil {
		return Changes{}, err
	}
	if len(found.Entries) > MaxFolderEntries || found.Diff == nil && of.Path != "" || found.Diff != nil && len(found.Diff.Text) > maxShownDiff {
		return Changes{}, ErrHostAnswer
	}
	return found, nil
}

func (c *Client) Worktree(ctx context.Context, id string, ask Worktree) (Worktreed, error) {
	return postWithin[Worktreed](ctx, c, treeBudget, panePath(id, "/worktree"), ask)
}
