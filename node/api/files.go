package api

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"
)

// A FileMachine shows what is on a machine's disk below a pane's folder, and
// which folders a pane could be opened in. It changes nothing.
type FileMachine interface {
	// Files opens one folder or one text file below a pane's folder.
	Files(ctx context.Context, id string, at FilesAt) (Files, error)
	// Folders lists folder names below the home folder.
	Folders(ctx context.Context, at FoldersAt) (Folders, error)
}

// Refusals of what is on the disk.
var (
	ErrFileNotFound = Refusal(http.StatusNotFound, "file_not_found", "there is no such file or folder")
	ErrFileNotShown = Refusal(http.StatusForbidden, "file_not_shown", "that file or folder is not shown here")
	ErrFileChanged  = Refusal(http.StatusConflict, "file_changed", "the file changed while it was read")
)

// FilesAt names a folder or a file below a pane's folder.
type FilesAt struct {
	Path string // with slashes; empty is the pane's folder itself
	From int    // where a page of a file begins, as the page before said
}

// Files is one folder or one file: one of the two is set.
type Files struct {
	Path   string      `json:"path"`
	Folder *FolderView `json:"folder,omitempty"`
	File   *FileView   `json:"file,omitempty"`
}

// FolderView is what a folder holds, as far as it is shown.
type FolderView struct {
	Entries []FileEntry `json:"entries"`
	More    bool        `json:"more"` // there is more than is listed
}

// FileEntry is one name in a folder.
type FileEntry struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // folder, file, link, other
	SizeBytes  int64  `json:"sizeBytes"`
	ModifiedAt int64  `json:"modifiedAt"` // epoch milliseconds
	// Opens says that the name is shown as it is, so that asking for it finds it.
	Opens bool `json:"opens"`
}

// FileView is one page of a text file. From and Next count bytes of the text as
// it is shown, marks included.
type FileView struct {
	SizeBytes  int64  `json:"sizeBytes"` // on the disk
	ModifiedAt int64  `json:"modifiedAt"`
	Binary     bool   `json:"binary"`
	Text       string `json:"text" mask:"file"`
	From       int    `json:"from"`
	Next       int    `json:"next"` // where the next page begins; 0 is none
	Cut        bool   `json:"cut"`  // the last page is not the end of the file
	// Above is what stands before a page, whole lines, for a lead whose mask has to
	// know where a long secret begins. A phone never gets it.
	Above  string `json:"above,omitempty" mask:"file"`
	Masked bool   `json:"masked"`
}

// FoldersAt names a folder below the home folder, and how the names in it begin.
type FoldersAt struct {
	Path  string
	Start string
}

// Folders are names of folders below the home folder.
type Folders struct {
	Home    string   `json:"home"` // its absolute path
	Path    string   `json:"path"` // of the folder that is listed, below it
	Folders []string `json:"folders"`
	More    bool     `json:"more"`
}

func (h *Handlers) fileRoutes() []Route {
	return []Route{
		{http.MethodGet, "/pane/:id/files", h.files},
		{http.MethodGet, "/folders", h.folders},
	}
}

func (h *Handlers) files(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	at := FilesAt{Path: r.URL.Query().Get("path")}
	var ok bool
	if at.From, ok = number(r, "from", 0); !ok || at.From < 0 || len(at.Path) > MaxPathBytes {
		WriteError(w, ErrBadRequest.With("from is a whole number, and a path has at most "+strconv.Itoa(MaxPathBytes)+" bytes"))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (Files, error) {
		found, err := m.Files(ctx, p.ByName("id"), at)
		if found.File != nil && !h.Link {
			file := *found.File
			file.Above, found.File = "", &file
		}
		return found, err
	})
}

func (h *Handlers) folders(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	at := FoldersAt{Path: r.URL.Query().Get("path"), Start: r.URL.Query().Get("start")}
	if len(at.Path)+len(at.Start) > MaxPathBytes {
		WriteError(w, ErrBadRequest.With("a path has at most "+strconv.Itoa(MaxPathBytes)+" bytes"))
		return
	}
	read(h, w, r, func(ctx context.Context, m Machine) (Folders, error) { return m.Folders(ctx, at) })
}

func (c *Client) Files(ctx context.Context, id string, at FilesAt) (Files, error) {
	query := url.Values{"path": {at.Path}, "from": {strconv.Itoa(at.From)}}
	found, err := get[Files](ctx, c, panePath(id, "/files"), query, maxFolderValues)
	switch {
	case err != nil:
		return Files{}, err
	case found.Folder == nil && found.File == nil,
		found.Folder != nil && len(found.Folder.Entries) > MaxFolderEntries,
		found.File != nil && (len(found.File.Text) > maxShownPage || len(found.File.Above) > maxShownAbove || found.File.From < 0 || found.File.Next < 0):
		return Files{}, ErrHostAnswer
	}
	return found, nil
}

func (c *Client) Folders(ctx context.Context, at FoldersAt) (Folders, error) {
	found, err := get[Folders](ctx, c, "/folders", url.Values{"path": {at.Path}, "start": {at.Start}}, maxFolderValues)
	if err == nil && len(found.Folders) > MaxFolders {
		return Folders{}, ErrHostAnswer
	}
	return found, err
}
