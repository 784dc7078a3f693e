package mesh_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/mesh"
	"collie/mesh/trust"
)

func (n *node) join(config mesh.JoinConfig) error {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, err := mesh.Join(ctx, config)
	return err
}

func TestJoinGivesWhatAMemberHasToKnow(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	joiner := newNode(t)
	config := joiner.joinConfig(lead, "Büro 2")
	config.Addresses = []string{"10.1.2.3:8788"}
	got, err := mesh.Join(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	crew := lead.store.Crew()
	if got.CrewID != crew.ID || got.CrewName != "barn" || got.MemberID != "b-ro-2" || string(got.Secret) != string(crew.Secret) ||
		got.Generation != 1 || got.SecretGeneration != 1 || got.LeadID != "lead" || got.LeadLabel != "lead" ||
		got.LeadFingerprint != lead.fp() || string(got.LeadCertificate) != string(lead.id.Certificate()) ||
		len(got.LeadAddresses) != 1 || got.LeadAddresses[0] != lead.address() {
		t.Errorf("got %+v", got)
	}
	m, _ := crew.Member("b-ro-2")
	if m.State != trust.StateUnconfirmed || m.Fingerprint != joiner.fp() || len(m.Addresses) != 1 || m.Addresses[0] != "10.1.2.3:8788" {
		t.Errorf("stored is %+v", m)
	}
}

// TestJoinSaysWhatIsWrong is trial C02: an address without a port, and failures
// that all read alike.
func TestJoinSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	lead, other := newLead(t), newLead(t)
	other.invite()
	joiner := newNode(t)
	good := joiner.joinConfig(lead, "a")
	host, _, err := net.SplitHostPort(lead.address())
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	token, _, _ := strings.Cut(good.Token, ".")
	wrong := mesh.InviteToken{Secret: strings.Repeat("A", secret.TokenLen), Lead: lead.fp()}.String()
	tests := map[string]struct {
		change func(*mesh.JoinConfig)
		want   error
		words  string
	}{
		"no port":           {func(c *mesh.JoinConfig) { c.Address = host }, trust.ErrAddress, "did you mean " + host + ":8788?"},
		"a URL":             {func(c *mesh.JoinConfig) { c.Address = "https://host:8788" }, trust.ErrAddress, "host:port"},
		"another node":      {func(c *mesh.JoinConfig) { c.Address = other.address() }, mesh.ErrWrongNode, "another node answered"},
		"nobody there":      {func(c *mesh.JoinConfig) { c.Address = silent.LocalAddr().String() }, mesh.ErrNoReply, "nothing answered"},
		"a web server":      {func(c *mesh.JoinConfig) { c.Address = web.Listener.Addr().String() }, mesh.ErrNoReply, "over TCP: what answered there is no node: it speaks no TLS"},
		"a token alone":     {func(c *mesh.JoinConfig) { c.Token = token }, mesh.ErrToken, "not an invite"},
		"a cut invite":      {func(c *mesh.JoinConfig) { c.Token = c.Token[:100] }, mesh.ErrToken, "not an invite"},
		"a wrong token":     {func(c *mesh.JoinConfig) { c.Token = wrong }, trust.ErrInvite, "the token is wrong, or it was used"},
		"no label":          {func(c *mesh.JoinConfig) { c.Label = "" }, trust.ErrLabel, "label"},
		"the lead's own":    {func(c *mesh.JoinConfig) { c.Identity = lead.id }, trust.ErrOwnCertificate, "cannot join itself"},
		"no identity":       {func(c *mesh.JoinConfig) { c.Identity = nil }, nil, "identity"},
		"a bad own address": {func(c *mesh.JoinConfig) { c.Addresses = []string{"x"} }, trust.ErrAddress, "host:port"},
	}
	seen := map[string]string{}
	for name, test := range tests {
		config := good
		test.change(&config)
		err := joiner.join(config)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if before, ok := seen[err.Error()]; ok {
			t.Errorf("%s reads like %s: %v", name, before, err)
		}
		seen[err.Error()] = name
	}
	if err := joiner.join(good); err != nil {
		t.Errorf("the invite was spent by what was refused: %v", err)
	}
	if err := joiner.join(good); !errors.Is(err, mesh.ErrNoProtocol) {
		t.Errorf("once nobody is invited any more: %v", err)
	}
	lead.invite()
	if err := joiner.join(good); !errors.Is(err, trust.ErrInvite) || !errors.Is(err, mesh.ErrRefused) {
		t.Errorf("a token that was used: %v", err)
	}
}

func TestExpiredTokenIsToldFromAWrongOne(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	token := mesh.InviteToken{Secret: strings.Repeat("B", secret.TokenLen), Lead: lead.fp()}
	lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		next, _, err := trust.AddInvite(old, secret.Hash(token.Secret), time.Now().Add(-trust.InviteLife))
		return next, err
	})
	joiner := newNode(t)
	config := joiner.joinConfig(lead, "a") // another invite that lives
	config.Token = token.String()
	if err := joiner.join(config); !errors.Is(err, trust.ErrInviteExpired) {
		t.Errorf("an expired token: %v", err)
	}
}

func TestTenWrongTokensCloseTheDoor(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	joiner := newNode(t)
	good := joiner.joinConfig(lead, "a")
	bad := good
	bad.Token = mesh.InviteToken{Secret: strings.Repeat("A", secret.TokenLen), Lead: lead.fp()}.String()
	for range 10 {
		if err := joiner.join(bad); !errors.Is(err, trust.ErrInvite) {
			t.Fatal(err)
		}
	}
	if err := joiner.join(good); !errors.Is(err, mesh.ErrDoor) {
		t.Errorf("the right token after ten wrong ones: %v", err)
	}
}

func TestEnrolmentsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	joiner := newNode(t)
	config := joiner.joinConfig(lead, "a")
	// Strangers take places and say nothing, until one of them is turned away.
	var turnedAway error
	for turnedAway == nil {
		conn := stranger{certificatesOf(mint(t)), []string{mesh.ALPNEnroll}}.dial(t, lead)
		select {
		case <-conn.Context().Done():
			turnedAway = context.Cause(conn.Context())
		case <-time.After(50 * time.Millisecond):
		}
	}
	if !strings.Contains(turnedAway.Error(), "0x16") {
		t.Errorf("the one too many ended with %v", turnedAway)
	}
	if err := joiner.join(config); !errors.Is(err, mesh.ErrBusy) {
		t.Errorf("joining when all places are taken: %v", err)
	}
	for deadline := time.Now().Add(limit); len(lead.store.Crew().Members) == 0; time.Sleep(100 * time.Millisecond) {
		if err := joiner.join(config); err != nil && !errors.Is(err, mesh.ErrBusy) || time.Now().After(deadline) {
			t.Fatalf("the places never become free: %v", err)
		}
	}
}

func TestMemberJoinsAgainUnderItsID(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	result, err := mesh.Join(context.Background(), member.joinConfig(lead, "other"))
	if err != nil || result.MemberID != "atlas" {
		t.Errorf("it joined again as %q, %v", result.MemberID, err)
	}
	if !lead.endpoint.LinkState(member.fp()).Up {
		t.Error("its link went down")
	}
}

func TestNothingIsSentBeforeTheLeadIsKnown(t *testing.T) {
	t.Parallel()
	lead, impostor := newLead(t), newLead(t)
	joiner := newNode(t)
	config := joiner.joinConfig(lead, "a")
	impostor.invite()
	config.Address = impostor.address()
	if err := joiner.join(config); !errors.Is(err, mesh.ErrWrongNode) {
		t.Errorf("joining at an impostor: %v", err)
	}
	// Had the token reached the impostor, it would be a member of the lead now.
	if n := len(impostor.store.Crew().Members) + len(lead.store.Crew().Members); n != 0 {
		t.Errorf("%d members were made", n)
	}
}

func FuzzParseInviteToken(f *testing.F) {
	token := mesh.InviteToken{Secret: strings.Repeat("A", secret.TokenLen)}
	f.Add(token.String())
	f.Add(" .")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := mesh.ParseInviteToken(text)
		if err != nil {
			return
		}
		again, err := mesh.ParseInviteToken(parsed.String())
		if err != nil || again != parsed {
			t.Errorf("%q is written as %q: %v", text, parsed, err)
		}
	})
}
