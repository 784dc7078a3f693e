package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"github.com/julienschmidt/httprouter"
)

// A BlobMachine has the pictures of the chats that were read there.
type BlobMachine interface {
	Blob(ctx context.Context, hash string) (Blob, error)
}

// ErrNoBlob refuses a name that no picture has.
var ErrNoBlob = Refusal(http.StatusNotFound, "blob_not_found", "there is no such picture here any more")

// A Blob is a picture. Its type is what its bytes are.
type Blob struct {
	Data []byte `json:"data"`
}

// blobTypes are the pictures that are shown: none that a browser would run.
var blobTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

var blobHash = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ValidBlobHash reports whether a name may be a picture's.
func ValidBlobHash(hash string) bool { return blobHash.MatchString(hash) }

// Check refuses what is not the picture of that name.
func (b *Blob) Check(hash string) error {
	sum := sha256.Sum256(b.Data)
	if hex.EncodeToString(sum[:16]) != hash || len(b.Data) > MaxBlobBytes || !slices.Contains(blobTypes, http.DetectContentType(b.Data)) {
		return ErrHostAnswer
	}
	return nil
}

func (h *Handlers) blobRoutes() []Route {
	return []Route{{http.MethodGet, "/blobs/:hash", h.blob}}
}

// blob answers a phone with the picture itself, and a lead with a document.
func (h *Handlers) blob(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	ask := func(ctx context.Context, m Machine) (Blob, error) {
		hash := p.ByName("hash")
		if !ValidBlobHash(hash) {
			return Blob{}, ErrNoBlob
		}
		blob, err := m.Blob(ctx, hash)
		if err == nil {
			err = blob.Check(hash)
		}
		return blob, err
	}
	if h.Link {
		read(h, w, r, ask)
		return
	}
	m, err := h.Machine(r)
	var blob Blob
	if err == nil {
		blob, err = ask(r.Context(), m)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", http.DetectContentType(blob.Data))
	header.Set("Cache-Control", "private, no-store")
	header.Set("Content-Disposition", "inline")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(blob.Data) // a client that went away is nobody to tell
}

// Blob asks the other machine for a picture, and believes only its bytes.
func (c *Client) Blob(ctx context.Context, hash string) (Blob, error) {
	blob, err := get[Blob](ctx, c, "/blobs/"+url.PathEscape(hash), nil, maxPlainValues)
	if err == nil {
		err = blob.Check(hash)
	}
	if err != nil {
		return Blob{}, err
	}
	return blob, nil
}
