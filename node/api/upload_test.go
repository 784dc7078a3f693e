package api_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"collie/node/api"
)

func TestAFileThatIsTooLargeOrBreaksOffIsRefused(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]struct {
		body  io.Reader
		size  int64
		query string
		want  *api.Error
	}{
		"it says that it is too large":  {strings.NewReader("x"), api.MaxUploadBytes + 1, "name=a", api.ErrUploadTooBig},
		"it does not say, and is":       {io.LimitReader(zeros{}, api.MaxUploadBytes+1), -1, "name=a", api.ErrUploadTooBig},
		"it breaks off":                 {io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1, "name=a", api.ErrUploadAborted},
		"its name is too long":          {strings.NewReader("x"), 1, "name=" + strings.Repeat("a", 5000), api.ErrBadRequest},
		"its screen is none":            {strings.NewReader("x"), 1, "screen=" + strings.Repeat("a", 25), api.ErrBadRequest},
		"it is for a machine of nobody": {strings.NewReader("x"), 1, "host=nobody", api.ErrHostUnknown},
	} {
		m := &machine{}
		request := httptest.NewRequest(http.MethodPost, "/crew/v1/pane/p1/upload?"+try.query, try.body)
		request.ContentLength = try.size
		w := httptest.NewRecorder()
		router(handlers(m, false)).ServeHTTP(w, request)
		if err := api.ReadRefusal(w.Body.Bytes()); !errors.Is(err, try.want) || w.Code != try.want.Status {
			t.Errorf("%s: %d %v, want %s", name, w.Code, err, try.want.Code)
		}
		if asked := m.asked(); asked != "" {
			t.Errorf("%s: the machine did %s", name, asked)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAnUploadIsSentOnceAndItsOutcomeMayBeUnknown(t *testing.T) {
	t.Parallel()
	sent := 0
	c := client(roundTrip(func(r *http.Request) (*http.Response, error) {
		sent++
		if r.GetBody != nil || r.ContentLength != 3 || r.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("length %d, headers %v", r.ContentLength, r.Header)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		return nil, io.ErrUnexpectedEOF
	}))
	if _, err := c.Upload(t.Context(), "p1", api.Upload{Name: "a", Size: 3, Body: strings.NewReader("abc")}); !errors.Is(err, api.ErrOutcomeUnknown) || sent != 1 {
		t.Errorf("%v, sent %d times", err, sent)
	}
	c = client(roundTrip(func(*http.Request) (*http.Response, error) { return nil, errRefused }))
	if _, err := c.Upload(t.Context(), "p1", api.Upload{Body: strings.NewReader("")}); !errors.Is(err, api.ErrHostUnreachable) {
		t.Errorf("when nothing was sent: %v", err)
	}
}
