package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ReadBody parses a strict JSON request; see ParseStrict. One of more than
// MaxRequestBytes, or than an http.MaxBytesReader lets through, is ErrTooLarge.
func ReadBody(r *http.Request, v any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, MaxRequestBytes+1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) || len(data) > MaxRequestBytes:
		return ErrTooLarge
	case err != nil:
		return ErrBadRequest.With("the body could not be read")
	}
	return ParseStrict(data, v)
}

// ParseStrict parses one JSON object that has no unknown field. Nothing is an
// empty object. Every other text is ErrBadRequest.
func ParseStrict(data []byte, v any) error {
	text := strings.TrimSpace(string(data))
	switch {
	case text == "":
		text = "{}"
	case text[0] != '{':
		return ErrBadRequest.With("it is not a JSON object")
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return ErrBadRequest.With(problem(err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return ErrBadRequest.With("bytes after the document")
	}
	return nil
}

// problem says what is wrong with a document, in the words of the API and not
// in those of this program.
func problem(err error) string {
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return cut(fmt.Sprintf("a %s does not belong in %q", kind.Value, kind.Field))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return cut("unknown field " + name)
	}
	return "it is not valid JSON"
}

func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxProblemBytes)], "")
}
