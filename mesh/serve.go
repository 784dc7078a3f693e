package mesh

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/mesh/trust"
)

// A Peer is who sent a request: known from the handshake and graded by the live
// trust store when the request came in, never by what the request says.
type Peer struct {
	Fingerprint identity.Fingerprint
	Grade       trust.Grade
	MemberID    string
}

type peerKey struct{}

// PeerFrom returns the sender of the request whose context it is given.
func PeerFrom(ctx context.Context) (Peer, bool) {
	p, ok := ctx.Value(peerKey{}).(Peer)
	return p, ok
}

// streamKey is the key of an exchange's *streamConn.
type streamKey struct{}

// newServer returns the HTTP server of all exchanges that peers start.
func (e *Endpoint) newServer() *http.Server {
	server := &http.Server{
		Handler:                      http.HandlerFunc(e.serve),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            headerTimeout,
		MaxHeaderBytes:               MaxHeader,
		ErrorLog:                     slog.NewLogLogger(e.config.Log.Handler(), slog.LevelDebug),
		BaseContext:                  func(net.Listener) context.Context { return e.ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, streamKey{}, c)
		},
	}
	server.SetKeepAlivesEnabled(false)
	return server
}

// acceptStreams hands a link's streams to the HTTP server until it is over.
func (e *Endpoint) acceptStreams(l *link) {
	for {
		stream, err := l.conn.AcceptStream(e.ctx)
		if err != nil {
			return // the link is over, and tend knows why
		}
		e.deliver(l, stream, func() {})
	}
}

// deliver hands one stream to the HTTP server; closed runs once it is over.
func (e *Endpoint) deliver(l *link, stream *quic.Stream, closed func()) {
	e.group.Add(1)
	e.streams.deliver(&streamConn{stream: stream, link: l, closed: func() {
		closed()
		e.group.Done()
	}})
}

// serve is the one way in: nothing passes that it did not let through.
func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	conn, ok := r.Context().Value(streamKey{}).(*streamConn)
	if !ok {
		unauthorized(w)
		return
	}
	// The server notices a caller that goes away only once the handler has read
	// the whole body. The stream knows at once.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(conn.stream.Context(), cancel)()
	// What the handler left of the body the server reads, but not for ever. (A
	// stream that is over takes no deadline, and needs none.)
	defer func() { _ = conn.SetReadDeadline(time.Now().Add(headerTimeout)) }()
	r, l := r.WithContext(ctx), conn.link
	if !wellFormed(r) {
		answer(w, http.StatusBadRequest, refusal{Error: "bad request", Code: "bad_request"})
		return
	}
	if l.enroll {
		e.serveEnroll(w, r, l)
		return
	}
	crew := e.config.Store.Crew()
	memberID, grade := crew.Pin(l.peer)
	if grade == trust.GradeNone {
		unauthorized(w)
		return
	}
	if told, differ := e.conflict(crew, l.peer, r.Header); differ {
		answerConflict(w, told) // before the secret, which may have been replaced since
		return
	}
	if grade == trust.GradeEnded { // it has heard, and is what it is besides
		if crew, memberID, grade = e.heardOfEnd(l.peer, generationOf(r.Header)); grade == trust.GradeNone {
			unauthorized(w)
			return
		}
	}
	if !l.binding.verify(r.Header, crew.Secret, l.peer, e.own) {
		unauthorized(w)
		return
	}
	if received, err := strconv.Atoi(r.Header.Get(headerProtocol)); err != nil || received != Protocol {
		answer(w, http.StatusConflict, mismatch{
			refusal: refusal{Error: "another version of the protocol is spoken here", Code: "protocol_mismatch"}, Expected: Protocol, Received: received,
		})
		return
	}
	if r.URL.Path == HelloPath && r.Method == http.MethodGet {
		e.serveHello(w, r, l, grade, crew.SecretGeneration)
		return
	}
	if grade == trust.GradeUnconfirmed {
		unauthorized(w)
		return
	}
	if !counts(ctx, l, r.URL.Path == SecretPath && grade == trust.GradeLead) {
		unauthorized(w)
		return
	}
	r.Header.Del(headerProof)
	if r.Body != http.NoBody {
		r.Body = &impatientBody{ReadCloser: r.Body, control: http.NewResponseController(w)}
	}
	ctx = context.WithValue(ctx, peerKey{}, Peer{Fingerprint: l.peer, Grade: grade, MemberID: memberID})
	e.config.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// heardOfEnd notes that a deputy knows that it is one no more, and returns what it
// is then.
func (e *Endpoint) heardOfEnd(peer identity.Fingerprint, generation uint64) (crew *trust.Crew, memberID string, grade trust.Grade) {
	err := e.config.Store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HeardOfItsEnd(old, peer, generation) })
	if err != nil {
		e.config.Log.Warn("that a deputy has heard of its end could not be stored", "peer", peer, "error", err)
	}
	crew = e.config.Store.Crew()
	if memberID, grade = crew.Pin(peer); grade == trust.GradeEnded {
		return crew, "", trust.GradeNone // it is not stored, and is tried again
	}
	return crew, memberID, grade
}

// counts waits until this side's hello was answered on the link, so that what
// comes before is not served to the second owner of an identity. What tells a
// new secret is served earlier; see greet.
func counts(ctx context.Context, l *link, tellsSecret bool) bool {
	var expecting <-chan struct{}
	if tellsSecret {
		expecting = l.expecting
	}
	select {
	case <-l.settled:
	case <-expecting:
	case <-ctx.Done():
	}
	return ctx.Err() == nil && l.conn.Context().Err() == nil
}

// wellFormed says whether a request is one that the link has a place for.
func wellFormed(r *http.Request) bool {
	return r.ProtoAtLeast(1, 1) && r.URL.Host == "" && checkRequest(r) == nil
}

// impatientBody is a request's body that fails when its sender keeps us waiting.
type impatientBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *impatientBody) Read(p []byte) (int, error) {
	if err := b.control.SetReadDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	// Afterwards the server reads on, for as long as the handler runs, to
	// notice a caller that goes away.
	if clearErr := b.control.SetReadDeadline(time.Time{}); err == nil {
		err = clearErr
	}
	return n, err
}

// refusal is the body of an answer that refuses.
type refusal struct {
	Error string `json:"error"`
	Code  string `json:"code,omitempty"`
}

// mismatch is the refusal of another version of the protocol.
type mismatch struct {
	refusal
	Expected int `json:"expected"`
	Received int `json:"received"`
}

// unauthorized is the one answer to whatever is wrong with who is calling.
func unauthorized(w http.ResponseWriter) {
	answer(w, http.StatusUnauthorized, refusal{Error: "unauthorized"})
}

// answer writes a JSON answer.
func answer(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		status, data = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // whom it does not reach is gone
}
