package link_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/quic-go/quic-go/testutils/simnet"
	"go.uber.org/goleak"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
	"collie/node/walky"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long a test waits for what has to come.
const limit = 20 * time.Second

// lead is the lead of a crew of two, on a network in memory, and its member has
// the table that a test gives it.
type lead struct {
	endpoint *mesh.Endpoint
	member   identity.Fingerprint
}

// to is the lead's way to a member with a table.
func to(t *testing.T, table http.Handler) http.RoundTripper {
	t.Helper()
	l := crewWith(t, table)
	return l.endpoint.RoundTripper(l.member)
}

func crewWith(t *testing.T, table http.Handler) lead {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var network simnet.PerfectRouter
	socket := func(host byte) net.PacketConn {
		return simnet.NewBlockingSimConn(&net.UDPAddr{IP: net.IPv4(10, 0, 0, host).To4(), Port: 8788}, &network)
	}
	var ids [2]*identity.Identity
	var stores [2]*trust.Store
	for i := range ids {
		var err error
		ids[i], err = identity.Generate(rand.Reader, time.Now())
		must(err)
		stores[i], err = trust.Open(filepath.Join(t.TempDir(), trust.FileName), time.Now)
		must(err)
	}
	crewID, err := statement.NewCrewID(rand.Reader)
	must(err)
	token := secret.NewToken(rand.Reader)
	must(stores[0].Update(func(old *trust.Crew) (*trust.Crew, error) {
		crew, err := trust.Found(old, trust.Founding{ID: crewID, Name: "barn", Label: "lead", Secret: secret.NewKey(rand.Reader)})
		if err == nil {
			crew, _, err = trust.AddInvite(crew, secret.Hash(token), time.Now())
		}
		return crew, err
	}))
	listen := func(i int, handler http.Handler) *mesh.Endpoint {
		endpoint, err := mesh.Listen(context.Background(), mesh.Config{
			Identity: ids[i], Store: stores[i], Handler: handler, ProcessID: secret.NewToken(rand.Reader),
			PacketConn: socket(byte(1 + i)), Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
		})
		must(err)
		t.Cleanup(func() { must(endpoint.Close()) })
		return endpoint
	}
	endpoint := listen(0, http.NotFoundHandler())
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	result, err := mesh.Join(ctx, mesh.JoinConfig{
		Address: "10.0.0.1:8788", Token: mesh.InviteToken{Secret: token, Lead: ids[0].Fingerprint()}.String(), Label: "atlas",
		Identity: ids[1], PacketConn: socket(3),
	})
	must(err)
	must(stores[1].Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Join(old, result.Joined("atlas")) }))
	must(listen(1, table).Dial(ctx, ids[0].Fingerprint(), []string{"10.0.0.1:8788"}))
	l := lead{endpoint, ids[1].Fingerprint()}
	changed, stop := endpoint.Watch(l.member)
	defer stop()
	for !endpoint.LinkState(l.member).Up {
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("the link never came up")
		}
	}
	return l
}

func answers(text string) httprouter.Handle {
	return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { _, _ = io.WriteString(w, text) }
}

// ask sends a request and returns all of the answer but its date.
func ask(t *testing.T, transport http.RoundTripper, method, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://crew"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	response.Header.Del("Date")
	var all bytes.Buffer
	fmt.Fprintln(&all, response.Proto, response.Status)
	if err := response.Header.Write(&all); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(&all, response.Body); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestWhatATableDoesNotListOrGrantIsTheBare401OfTheLink(t *testing.T) {
	t.Parallel()
	never := func(http.ResponseWriter, *http.Request, httprouter.Params) { t.Error("a handler was called") }
	transport := to(t, link.Handler([]link.Route{
		{Method: http.MethodGet, Path: "/pane/:id", Grades: []trust.Grade{trust.GradeLead}, Handle: answers("a pane")},
		{Method: http.MethodPost, Path: "/walky/send", Grades: []trust.Grade{trust.GradeMember}, Handle: never},
		{Method: http.MethodGet, Path: "/unconfirmed", Grades: []trust.Grade{trust.GradeUnconfirmed}, Handle: never},
	}))
	if got := ask(t, transport, http.MethodGet, "/crew/v1/pane/p1"); !strings.HasSuffix(got, "\r\na pane") {
		t.Fatalf("what is listed and granted is answered %q", got)
	}
	// What the link itself answers to who is not pinned, byte for byte.
	const bare = "HTTP/1.1 401 Unauthorized\nContent-Length: 24\r\nContent-Type: application/json\r\n" + `{"error":"unauthorized"}`
	for _, c := range []struct{ method, path string }{
		{http.MethodPost, "/crew/v1/walky/send"},  // another grade's
		{http.MethodGet, "/crew/v1/unconfirmed"},  // another grade's
		{http.MethodPost, "/crew/v1/pane/p1"},     // another method
		{http.MethodOptions, "/crew/v1/pane/p1"},  // nothing is told about methods
		{http.MethodGet, "/crew/v1/pane/p1/"},     // no redirect
		{http.MethodGet, "/crew/v1/PANE/p1"},      // no redirect
		{http.MethodGet, "/crew/v1/x/../pane/p1"}, // no cleaning
		{http.MethodGet, "/crew/v1/pane"},
		{http.MethodGet, "/crew/v1/nothing"},
		{http.MethodGet, "/crew/v2/pane/p1"},
		{http.MethodGet, "/api/snapshot"},
		{http.MethodGet, "/"},
	} {
		if got := ask(t, transport, c.method, c.path); got != bare {
			t.Errorf("%s %s is answered\n%q, want\n%q", c.method, c.path, got, bare)
		}
	}
}

func TestARequestThatCameOverNoLinkIsRefused(t *testing.T) {
	t.Parallel()
	handler := link.Handler([]link.Route{{Method: http.MethodGet, Path: "/x", Grades: []trust.Grade{trust.GradeNone}, Handle: answers("in")}})
	w := &recorder{header: http.Header{}}
	handler.ServeHTTP(w, mustRequest(t, "/crew/v1/x"))
	if w.status != http.StatusUnauthorized {
		t.Errorf("it is answered %d", w.status)
	}
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }

func mustRequest(t *testing.T, path string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

type document struct {
	Text string `json:"text"`
}

// row is an exchange at /x.
func row(do func(context.Context, document) (document, error)) http.Handler {
	return link.Handler([]link.Route{{
		Method: http.MethodPost, Path: "/x", Grades: []trust.Grade{trust.GradeLead}, Handle: link.Exchange(slog.New(slog.DiscardHandler), do),
	}})
}

func TestADocumentGoesThereAndAnotherComesBack(t *testing.T) {
	t.Parallel()
	transport := to(t, row(func(ctx context.Context, in document) (document, error) {
		peer, _ := mesh.PeerFrom(ctx)
		return document{in.Text + " from " + peer.MemberID}, nil
	}))
	var out document
	if err := link.Call(t.Context(), transport, "/x", document{"Grüße"}, &out); err != nil || out.Text != "Grüße from lead" {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestARefusalKeepsItsCodeAndNoneOfItsWords(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	secretive := errors.New("open /home/rosa/.ssh/id_ed25519: permission denied")
	transport := to(t, link.Handler([]link.Route{{
		Method: http.MethodPost, Path: "/x", Grades: []trust.Grade{trust.GradeLead},
		Handle: link.Exchange(slog.New(slog.NewTextHandler(&logged, nil)), func(_ context.Context, in document) (document, error) {
			if in.Text == "ours" {
				return document{}, fmt.Errorf("deep inside: %w", api.ErrWrongRole.With("words of the other side"))
			}
			return document{}, secretive
		}),
	}}))
	err := link.Call(t.Context(), transport, "/x", document{"ours"}, &document{})
	if !errors.Is(err, api.ErrWrongRole) || strings.Contains(err.Error(), "words of the other side") {
		t.Errorf("a named refusal is %v", err)
	}
	if logged.Len() != 0 {
		t.Errorf("a refusal was logged as a failure: %s", &logged)
	}
	if err = link.Call(t.Context(), transport, "/x", document{}, &document{}); !errors.Is(err, api.ErrInternal) || strings.Contains(err.Error(), "rosa") {
		t.Errorf("a failure is %v", err)
	}
	if !strings.Contains(logged.String(), "rosa") {
		t.Error("the failure was not logged where it happened")
	}
}

func TestARequestThatIsNotStrictNeverReachesItsRoute(t *testing.T) {
	t.Parallel()
	transport := to(t, row(func(context.Context, document) (document, error) {
		t.Error("the route was called")
		return document{}, nil
	}))
	for _, c := range []struct {
		name string
		body any
		want error
	}{
		{"an unknown field", map[string]string{"text": "x", "also": "y"}, api.ErrBadRequest},
		{"another shape", []int{1}, api.ErrBadRequest},
		{"too much", document{strings.Repeat("x", api.MaxRequestBytes)}, api.ErrTooLarge},
	} {
		if err := link.Call(t.Context(), transport, "/x", c.body, &document{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestWithoutALinkNothingIsSentAndTheErrorSaysSo(t *testing.T) {
	t.Parallel()
	l := crewWith(t, http.NotFoundHandler())
	nobody := l.endpoint.RoundTripper(identity.Fingerprint{1})
	if err := link.Call(t.Context(), nobody, "/x", document{}, &document{}); !errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("Call: %v", err)
	}
	if _, err := link.Send(t.Context(), nobody, "/x", messageID, document{}); !errors.Is(err, walky.ErrNotSent) || !errors.Is(err, mesh.ErrUnreachable) {
		t.Errorf("Send: %v", err)
	}
}

func TestTheMeshKnowsTheRouteThatTellsANewSecret(t *testing.T) {
	t.Parallel()
	if got := link.Prefix + link.SecretRoute; got != mesh.SecretPath {
		t.Errorf("the route is %s, and the mesh lets %s through", got, mesh.SecretPath)
	}
}
