package api

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"collie/node/mask"
)

// read answers a GET with what the machine says, and an ETag.
func read[T any](h *Handlers, w http.ResponseWriter, r *http.Request, do func(context.Context, Machine) (T, error)) {
	m, err := h.Machine(r)
	var answer T
	if err == nil {
		answer, err = do(r.Context(), m)
	}
	var body []byte
	if err == nil {
		answer, _ = mask.Answer(h.Mask, answer)
		body, err = json.Marshal(answer)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	etag := h.etag(body)
	w.Header().Set("ETag", etag)
	if holds(r, etag) {
		w.Header().Set("Cache-Control", "private, no-store")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeBody(w, http.StatusOK, body)
}

// write answers a POST once the machine has done it.
func write[B, T any](h *Handlers, w http.ResponseWriter, r *http.Request, do func(context.Context, Machine, B) (T, error)) {
	var body B
	err := ReadBody(r, &body)
	var m Machine
	if err == nil {
		m, err = h.Machine(r)
	}
	var answer T
	if err == nil {
		answer, err = do(r.Context(), m, body)
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	answer, _ = mask.Answer(h.Mask, answer)
	WriteJSON(w, answer)
}

func (h *Handlers) fail(w http.ResponseWriter, r *http.Request, err error) {
	h.logFailure(r, err)
	WriteError(w, Refused(h.Mask, err))
}

// Refused is the refusal in err as a phone may read it: what it says of the case
// may quote what was asked for, or a file. A nil mask hides nothing.
func Refused(m *mask.Mask, err error) *Error {
	refused, _ := mask.Answer(m, AsError(err))
	return refused
}

// logFailure logs what is nobody's refusal, unless the caller went away.
func (h *Handlers) logFailure(r *http.Request, err error) {
	if AsError(err) == ErrInternal && h.Log != nil && r.Context().Err() == nil {
		h.Log(r, err)
	}
}

func (h *Handlers) etag(body []byte) string {
	mac := hmac.New(sha256.New, h.ETagKey)
	_, _ = io.WriteString(mac, h.Version+"\x00")
	_, _ = mac.Write(body)
	return `"` + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18]) + `"`
}

// holds reports whether the caller has this answer already (RFC 9110, 13.1.2).
func holds(r *http.Request, etag string) bool {
	for _, value := range r.Header.Values("If-None-Match") {
		for known := range strings.SplitSeq(value, ",") {
			if strings.TrimPrefix(strings.TrimSpace(known), "W/") == etag {
				return true
			}
		}
	}
	return false
}

// WriteError answers a request with a refusal.
func WriteError(w http.ResponseWriter, err error) {
	e := AsError(err)
	WriteStatus(w, e.Status, e)
}

// WriteJSON answers 200 with a document.
func WriteJSON(w http.ResponseWriter, v any) { WriteStatus(w, http.StatusOK, v) }

// WriteStatus answers a status with a document.
func WriteStatus(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil { // every type of this package can be written
		status, body = ErrInternal.Status, []byte(`{"error":"`+ErrInternal.Message+`","code":"`+ErrInternal.Code+`"}`)
	}
	writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is nobody to tell
}
