package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/node/mask"
)

// An UploadMachine takes a file for a pane.
type UploadMachine interface {
	// Upload keeps a file on the machine of a pane and pastes its path there. It
	// reads the body to its end, or refuses.
	Upload(ctx context.Context, id string, upload Upload) (Uploaded, error)
}

// Refusals of a file.
var (
	ErrUploadsFull   = Refusal(http.StatusInsufficientStorage, "uploads_full", "this machine keeps as many uploaded files as it may")
	ErrUploadTooBig  = Refusal(http.StatusRequestEntityTooLarge, "upload_too_large", "the file is larger than this machine takes")
	ErrUploadAborted = Refusal(http.StatusBadRequest, "upload_aborted", "the file did not arrive whole, so nothing was kept")
)

// Upload is a file on its way.
type Upload struct {
	Name   string // as the sender calls it; never a path
	Size   int64  // -1 when nobody said
	Screen string // of what the person saw; see Reply
	Body   io.Reader
}

// Uploaded is a file that is kept. Pasted says that its path was typed into the
// pane; if not, Reason is the code of the refusal.
type Uploaded struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	Type      string `json:"type"` // by its content
	SizeBytes int64  `json:"sizeBytes"`
	Pasted    bool   `json:"pasted"`
	Reason    string `json:"reason,omitempty"`
}

func (h *Handlers) uploadRoutes() []Route {
	return []Route{{http.MethodPost, "/pane/:id/upload", h.upload}}
}

// upload takes the raw bytes of one file. Its name and the screen are in the
// query, so that there is nothing in the body to be parsed.
func (h *Handlers) upload(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	ctx, cancel := context.WithTimeout(r.Context(), uploadBudget)
	defer cancel()
	query := r.URL.Query()
	upload := Upload{Name: query.Get("name"), Size: r.ContentLength, Screen: query.Get("screen")}
	body := &patientBody{Reader: http.MaxBytesReader(w, r.Body, MaxUploadBytes), control: http.NewResponseController(w)}
	upload.Body = body
	m, err := h.Machine(r)
	var answer Uploaded
	switch {
	case err != nil:
	case len(upload.Name) > MaxPathBytes || len(upload.Screen) > ScreenBytes:
		err = ErrBadRequest.With("the name or the screen is too long")
	case upload.Size > MaxUploadBytes:
		err = ErrUploadTooBig
	default:
		answer, err = m.Upload(ctx, p.ByName("id"), upload)
	}
	if err == nil {
		answer, _ = mask.Answer(h.Mask, answer)
		WriteJSON(w, answer)
		return
	}
	switch {
	case body.tooLarge:
		err = ErrUploadTooBig
	case body.failed: // whoever was to keep it did not get it whole either
		err = ErrUploadAborted
	}
	h.fail(w, r, err)
}

// A patientBody lets a body take its time as long as something comes.
type patientBody struct {
	io.Reader
	control  *http.ResponseController
	failed   bool
	tooLarge bool
}

func (b *patientBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(uploadStall)) // not every connection has deadlines
	_ = b.control.SetWriteDeadline(time.Now().Add(2 * uploadStall))
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		var tooLarge *http.MaxBytesError
		b.failed, b.tooLarge = true, errors.As(err, &tooLarge)
	}
	return n, err
}

func (c *Client) Upload(ctx context.Context, id string, upload Upload) (Uploaded, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadBudget)
	defer cancel()
	query := url.Values{"name": {upload.Name}, "screen": {upload.Screen}}
	request, err := c.request(ctx, http.MethodPost, panePath(id, "/upload"), query)
	if err != nil {
		return Uploaded{}, err
	}
	if upload.Body != nil { // without GetBody, so that no transport sends it twice
		request.Body, request.ContentLength = io.NopCloser(upload.Body), upload.Size
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := c.Transport.RoundTrip(request)
	return written[Uploaded](c, response, err)
}
