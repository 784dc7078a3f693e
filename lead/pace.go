package lead

import (
	"context"
	"io"
	"net/http"

	"golang.org/x/time/rate"
)

// A paced transport reads the answers of one member no faster than memberRate,
// all of them together.
type paced struct {
	next http.RoundTripper
	pace *rate.Limiter
}

func newPaced(next http.RoundTripper) *paced {
	return &paced{next: next, pace: rate.NewLimiter(memberRate, memberBurst)}
}

func (p *paced) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := p.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &pacedBody{ReadCloser: response.Body, ctx: r.Context(), pace: p.pace}
	return response, nil
}

type pacedBody struct {
	io.ReadCloser
	ctx  context.Context // of the request; a read that would outlast it fails
	pace *rate.Limiter
}

func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), memberBurst)])
	if waitErr := b.pace.WaitN(b.ctx, n); err == nil {
		err = waitErr
	}
	return n, err
}
