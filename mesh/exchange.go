package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"collie/crypto/identity"
)

// exchange is one request on its way, the value of exchangeKey in its context.
type exchange struct {
	link   *link
	opened atomic.Bool // a stream was opened, so the request may have been sent
}

type exchangeKey struct{}

// newClient returns an HTTP client whose every request opens a stream on the
// link of its exchange. It keeps nothing and adds nothing of its own.
func newClient() *http.Transport {
	return &http.Transport{
		DialContext:            openStream,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: MaxHeader,
		ResponseHeaderTimeout:  answerTimeout,
	}
}

func openStream(ctx context.Context, _, _ string) (net.Conn, error) {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("there is no link to open a stream on")
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	stream, err := x.link.conn.OpenStreamSync(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%d exchanges are open already: %w", MaxStreams, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open a stream: %w", explain(err))
	}
	x.opened.Store(true)
	return &streamConn{stream: stream, link: x.link, caller: true, closed: func() {}}, nil
}

// RoundTripper sends requests over the link to a peer, whatever it is at that
// moment. Of a request's URL the path and the query are used. It refuses at once
// with ErrUnreachable when there is no link; see also ErrNoAnswer.
func (e *Endpoint) RoundTripper(fp identity.Fingerprint) http.RoundTripper {
	return &roundTripper{endpoint: e, peer: fp}
}

type roundTripper struct {
	endpoint *Endpoint
	peer     identity.Fingerprint
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	l := t.endpoint.registry.inUse(t.peer)
	if l == nil {
		closeBody(req)
		return nil, fmt.Errorf("%w: %s", ErrUnreachable, t.endpoint.registry.view(t.peer).Reason)
	}
	leave, err := enter(req.Context(), l.open)
	if err != nil {
		closeBody(req)
		return nil, fmt.Errorf("%w: %d exchanges are open already: %w", ErrUnreachable, MaxExchanges, err)
	}
	resp, err := t.endpoint.send(l, req)
	if err != nil {
		leave()
		return nil, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), eventStream) {
		select {
		case l.long <- struct{}{}:
			short := leave
			leave = func() { <-l.long; short() }
		default:
			_ = resp.Body.Close() // nobody is to read it
			leave()
			return nil, fmt.Errorf("%w: %w: %d live answers are open already", ErrNoAnswer, ErrBusy, MaxLong)
		}
	}
	resp.Body = &countedBody{ReadCloser: resp.Body, leave: sync.OnceFunc(leave)}
	return resp, nil
}

// eventStream is the type of an answer that goes on until somebody ends it.
const eventStream = "text/event-stream"

// enter takes one of a bounded number of places, and returns how to leave it.
func enter(ctx context.Context, places chan struct{}) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// countedBody is the body of an answer whose exchange holds places.
type countedBody struct {
	io.ReadCloser
	leave func()
}

func (b *countedBody) Close() error {
	defer b.leave()
	return b.ReadCloser.Close()
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // it was not read
	}
}

// send sends a request over one link.
func (e *Endpoint) send(l *link, req *http.Request) (*http.Response, error) {
	crew := e.config.Store.Crew()
	if crew == nil {
		closeBody(req)
		return nil, fmt.Errorf("%w: this node is in no crew", ErrUnreachable)
	}
	if err := checkRequest(req); err != nil {
		closeBody(req)
		return nil, errors.Join(ErrUnreachable, err)
	}
	x := &exchange{link: l}
	out := req.WithContext(context.WithValue(req.Context(), exchangeKey{}, x))
	out.URL = &url.URL{Scheme: "http", Host: "collie", Path: req.URL.Path, RawPath: req.URL.RawPath, RawQuery: req.URL.RawQuery}
	out.Host = ""
	out.Header = maps.Clone(req.Header)
	if out.Header == nil {
		out.Header = http.Header{}
	}
	out.Header["User-Agent"] = []string{""} // says nothing that hello does not
	says := AllegianceOf(crew)
	out.Header.Set(headerGeneration, strconv.FormatUint(says.Generation, 10))
	out.Header.Set(headerLead, says.Lead)
	l.binding.sign(out.Header, crew.SecretFor(l.peer), e.own, l.peer)
	resp, err := e.client.RoundTrip(out)
	if err == nil && (resp.StatusCode < 200 || resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.StatusCode != http.StatusNotModified) {
		_ = resp.Body.Close() // nobody is to read it
		err = fmt.Errorf("the answer has the status %d, which the link has no place for", resp.StatusCode)
	}
	if err != nil {
		if reason := overBecause(l.conn, err); reason != nil {
			err = reason
		}
	}
	switch {
	case err == nil:
		resp.Request = req
		return resp, nil
	case x.opened.Load():
		return nil, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	default:
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
}

// checkRequest refuses what the other side would.
func checkRequest(req *http.Request) error {
	switch {
	case req.Method == http.MethodConnect:
		return fmt.Errorf("%w: CONNECT", ErrRequest)
	case len(req.Trailer) > 0:
		return fmt.Errorf("%w: it has trailers", ErrRequest)
	case req.Header.Get("Upgrade") != "":
		return fmt.Errorf("%w: it asks for an upgrade", ErrRequest)
	}
	return repeatedHeader(req.Header)
}

// repeatedHeader refuses a header whose meaning hangs on one value and that has
// several.
func repeatedHeader(header http.Header) error {
	for name, values := range header {
		if len(values) > 1 && (name == headerProof || strings.HasPrefix(name, headerPrefix)) {
			return fmt.Errorf("%w: the header %s occurs twice", ErrRequest, name)
		}
	}
	return nil
}
