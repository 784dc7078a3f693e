package link_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"collie/mesh"
	"collie/node/api"
	"collie/node/link"
	"collie/node/walky"
)

const messageID = "01JZZZZZZZZZZZZZZZZZZZZZZZ"

// liar answers every request with what a test says.
type liar struct {
	status int
	body   io.Reader
	err    error
}

func (l liar) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: l.status, Body: io.NopCloser(l.body)}, l.err
}

// broken fails in the middle of an answer.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// endless never stops to answer.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAnAnswerThatIsNoneIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		peer liar
		want error
	}{
		{"no JSON", liar{200, strings.NewReader("hello"), nil}, link.ErrAnswer},
		{"nothing", liar{200, strings.NewReader(""), nil}, link.ErrAnswer},
		{"without end", liar{200, endless{}, nil}, link.ErrAnswer},
		{"a refusal without end", liar{409, endless{}, nil}, link.ErrAnswer},
		{"broken off", liar{200, broken{}, nil}, io.ErrUnexpectedEOF},
		{"a refusal that nobody knows", liar{418, strings.NewReader(`{"code":"teapot"}`), nil}, api.ErrHostAnswer},
		{"the bare 401", liar{401, strings.NewReader(`{"error":"unauthorized"}`), nil}, api.ErrHostAnswer},
		{"a known refusal", liar{409, strings.NewReader(`{"code":"walky_refused"}`), nil}, api.ErrWalkyRefused},
		{"no answer", liar{0, http.NoBody, mesh.ErrNoAnswer}, mesh.ErrNoAnswer},
	} {
		err := link.Call(t.Context(), c.peer, "/x", document{}, &document{})
		if !errors.Is(err, c.want) || errors.Is(err, mesh.ErrUnreachable) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, err := link.Send(t.Context(), c.peer, "/x", messageID, document{}); err == nil || errors.Is(err, walky.ErrNotSent) {
			t.Errorf("%s: a message that may have arrived: %v", c.name, err)
		}
	}
}

func TestACallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var budget bool
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		_, budget = r.Context().Deadline()
		cancel()
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	if err := link.Call(ctx, transport, "/x", document{}, &document{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !budget {
		t.Error("the call has no budget")
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAReceiptIsAboutTheMessageThatWasSent(t *testing.T) {
	t.Parallel()
	const other = "01JYYYYYYYYYYYYYYYYYYYYYYY"
	for _, c := range []struct {
		name, answer string
		want         walky.Receipt // its ID and State
		err          error
	}{
		{"of the message", `{"id":"` + messageID + `","state":"held","at":1}`, walky.Receipt{ID: messageID, State: walky.Held}, nil},
		{"a refusal that names none", `{"state":"refused","reason":"busy","at":1}`, walky.Receipt{ID: messageID, State: walky.Refused}, nil},
		{"of another message", `{"id":"` + other + `","state":"read","at":1}`, walky.Receipt{}, link.ErrAnswer},
		{"a refusal of another message", `{"id":"` + other + `","state":"refused","reason":"off","at":1}`, walky.Receipt{}, link.ErrAnswer},
		{"a delivery that names none", `{"state":"delivered","at":1}`, walky.Receipt{}, link.ErrAnswer},
	} {
		got, err := link.Send(t.Context(), liar{200, strings.NewReader(c.answer), nil}, "/walky/deliver", messageID, document{})
		if !errors.Is(err, c.err) || got.ID != c.want.ID || got.State != c.want.State {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}
