package harness

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/control"
	"collie/node/link"
)

// A TestLead is a lead in the test's own process, which can be made to lie: it
// holds a real pin and the real crew secret of a real member.
type TestLead struct {
	Identity *identity.Identity
	Store    *trust.Store
	Endpoint *mesh.Endpoint
	MemberID string
	member   identity.Fingerprint
}

// LeadFor founds a crew and has a solo machine join it.
func LeadFor(t *testing.T, m *Machine) *TestLead {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := &TestLead{}
	var err error
	l.Identity, err = identity.Generate(rand.Reader, time.Now())
	must(err)
	l.Store, err = trust.Open(filepath.Join(t.TempDir(), trust.FileName), time.Now)
	must(err)
	id, err := statement.NewCrewID(rand.Reader)
	must(err)
	token := secret.NewToken(rand.Reader)
	must(l.Store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		crew, err := trust.Found(old, trust.Founding{ID: id, Name: "test", Label: "liar", Secret: secret.NewKey(rand.Reader)})
		if err == nil {
			crew, _, err = trust.AddInvite(crew, secret.Hash(token), time.Now())
		}
		return crew, err
	}))
	l.Endpoint, err = mesh.Listen(context.Background(), mesh.Config{
		Address: "127.0.0.1:0", Identity: l.Identity, Store: l.Store, Handler: http.NotFoundHandler(),
		Build: "test", ProcessID: secret.NewToken(rand.Reader), Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	must(err)
	t.Cleanup(func() { _ = l.Endpoint.Close() })
	invite := mesh.InviteToken{Secret: token, Lead: l.Identity.Fingerprint()}.String()
	result := m.Run(invite, "--json", "crew", "join", l.Endpoint.Addr().String(), "-")
	if result.Exit != 0 {
		t.Fatalf("%s did not join the test lead: %s", m.Name, result.Stderr)
	}
	Eventually(t, "the link to "+m.Name, func() bool {
		for _, member := range l.Store.Crew().Members {
			l.MemberID, l.member = member.ID, member.Fingerprint
			return l.Endpoint.LinkState(member.Fingerprint).Up
		}
		return false
	})
	return l
}

// Call makes one exchange with the member.
func (l *TestLead) Call(path string, in, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	return link.Call(ctx, l.Endpoint.RoundTripper(l.member), path, in, out)
}

// Transport speaks to the member over the link, with any request.
func (l *TestLead) Transport() http.RoundTripper { return l.Endpoint.RoundTripper(l.member) }

// Token finds the walky token of a pane of a machine, as the machine says it.
func Token(t *testing.T, m *Machine, pane string) string {
	t.Helper()
	for _, s := range JSON[[]control.WalkySession](m, "walky", "who") {
		if s.Pane == pane {
			return s.Token
		}
	}
	t.Fatalf("%s lists no session in %s", m.Name, pane)
	return ""
}
