package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// ErrToken says that a text is not an invite's token.
var ErrToken = errors.New("not an invite: want the token and the lead's fingerprint with a dot between them, as collie crew invite prints it")

// An InviteToken is what a lead prints once and a joiner is given: a secret, and
// who may be told it.
type InviteToken struct {
	Secret string
	Lead   identity.Fingerprint
}

// String returns the form that is printed.
func (t InviteToken) String() string { return t.Secret + "." + t.Lead.String() }

// ParseInviteToken reads the form of String; space around it does not matter.
func ParseInviteToken(text string) (InviteToken, error) {
	token, lead, found := strings.Cut(strings.TrimSpace(text), ".")
	if !found || len(token) != secret.TokenLen {
		return InviteToken{}, ErrToken
	}
	fp, err := identity.ParseFingerprint(lead)
	if err != nil {
		return InviteToken{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	return InviteToken{Secret: token, Lead: fp}, nil
}

// A JoinConfig says where to join and as whom.
type JoinConfig struct {
	// Address is where the lead is dialled, host:port.
	Address string
	// Token is the form of InviteToken.
	Token string
	// Label is what the lead makes the member id of.
	Label string
	// Addresses are where this node can be dialled; none if it only dials out.
	Addresses []string
	Identity  *identity.Identity
	Build     string
	// PacketConn is the socket to dial from; if nil one is opened. Join closes
	// it in any case. With it nothing goes over TCP, but through DialTCP.
	PacketConn net.PacketConn
	// DialTCP is used in the place of the system's TCP; optional.
	DialTCP DialFunc
}

// A JoinResult is what a member has to know and store: see trust.Join.
type JoinResult struct {
	CrewID           statement.CrewID
	CrewName         string
	MemberID         string
	Secret           []byte
	SecretGeneration uint64
	Generation       uint64
	LeadID           string
	LeadLabel        string
	LeadFingerprint  identity.Fingerprint
	LeadCertificate  []byte // DER
	// Dialled is the address at which the lead was found, LeadAddresses are those
	// that it told.
	Dialled       string
	LeadAddresses []string
}

// Joined returns the result in the form that trust.Join takes; label is the
// one that was sent.
func (r JoinResult) Joined(label string) trust.Joined {
	return trust.Joined{
		ID: r.CrewID, Name: r.CrewName, Generation: r.Generation, Secret: r.Secret, SecretGeneration: r.SecretGeneration,
		Self: trust.Self{SelfID: r.MemberID, SelfLabel: label},
		Lead: trust.Lead{
			ID: r.LeadID, Label: r.LeadLabel, Fingerprint: r.LeadFingerprint, Certificate: r.LeadCertificate, Addresses: r.LeadAddresses,
		},
		Dialled: r.Dialled,
	}
}

// Join asks the lead at an address to let this node in. It sends nothing, the
// token least of all, before the handshake has shown that the certificate there
// has the fingerprint from the token. Nothing is stored; the lead waits a minute
// for the first hello.
//
// Its refusals are told apart: trust.ErrAddress, ErrToken, ErrWrongNode,
// ErrNoReply, ErrNoProtocol (nobody is invited there now), and, wrapped in
// ErrRefused, trust.ErrInvite, trust.ErrInviteExpired and the others of
// trust.Admit. ErrNoAnswer says that the node may have been let in.
func Join(ctx context.Context, config JoinConfig) (_ JoinResult, err error) {
	token, err := checkJoin(config)
	if err != nil {
		return JoinResult{}, errors.Join(err, closeSocket(config.PacketConn))
	}
	ctx, cancel := context.WithTimeout(ctx, enrollTimeout)
	defer cancel()
	socket := config.PacketConn
	if socket == nil {
		if socket, err = openSocket(":0"); err != nil {
			return JoinResult{}, err
		}
	}
	transport := &quic.Transport{Conn: socket}
	defer func() { err = errors.Join(err, transport.Close(), socket.Close()) }()
	if err := ready(transport); err != nil {
		return JoinResult{}, fmt.Errorf("cannot open a socket to join from: %w", err)
	}
	way := overUDP(transport)
	if dial := tcpDialer(config.DialTCP, config.PacketConn); dial != nil {
		var tunnels sync.WaitGroup
		defer tunnels.Wait()
		way = withFallback(way, overTCP(dial, &tunnels))
	}
	conn, err := race(ctx, []string{config.Address}, way, dialTLS(config.Identity, ALPNEnroll, token.Lead))
	if err != nil {
		return JoinResult{}, notInviting(err)
	}
	defer func() { _ = conn.CloseWithError(codeDone, "") }() // it has served its purpose
	got, err := requestEnrolment(ctx, conn, enrollRequest{
		Token: token.Secret, Label: config.Label, Addresses: config.Addresses, Build: config.Build,
	})
	if err != nil {
		return JoinResult{}, notInviting(err)
	}
	return JoinResult{
		CrewID: got.CrewID, CrewName: got.CrewName, MemberID: got.MemberID,
		Secret: got.Secret, SecretGeneration: got.SecretGeneration, Generation: got.Generation,
		LeadID: got.LeadID, LeadLabel: got.LeadLabel, LeadFingerprint: token.Lead,
		LeadCertificate: conn.ConnectionState().TLS.PeerCertificates[0].Raw,
		Dialled:         config.Address,
		LeadAddresses:   got.LeadAddresses,
	}, nil
}

// notInviting says what it means that a lead does not speak ALPNEnroll.
func notInviting(err error) error {
	if errors.Is(err, ErrNoProtocol) {
		return fmt.Errorf("nobody is invited there now, because the invite has expired, was used, or is of another node: %w", err)
	}
	return err
}

func closeSocket(socket net.PacketConn) error {
	if socket == nil {
		return nil
	}
	return socket.Close()
}

// checkJoin refuses what need not be tried.
func checkJoin(config JoinConfig) (InviteToken, error) {
	if err := trust.CheckAddress(config.Address); err != nil {
		if with := config.Address + DefaultAddress; trust.CheckAddress(with) == nil {
			return InviteToken{}, fmt.Errorf("%w; did you mean %s?", err, with)
		}
		return InviteToken{}, err
	}
	if config.Identity == nil {
		return InviteToken{}, errors.New("a node needs an identity to join")
	}
	if err := errors.Join(trust.CheckLabel(config.Label), trust.CheckAddresses(config.Addresses)); err != nil {
		return InviteToken{}, err
	}
	return ParseInviteToken(config.Token)
}

// requestEnrolment is the one exchange of a connection for joining.
func requestEnrolment(ctx context.Context, conn *quic.Conn, request enrollRequest) (enrollAnswer, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return enrollAnswer{}, err
	}
	x := &exchange{link: &link{conn: conn, enroll: true}}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, exchangeKey{}, x), http.MethodPost, "http://collie"+EnrollPath, bytes.NewReader(body))
	if err != nil {
		return enrollAnswer{}, err
	}
	client := newClient()
	defer client.CloseIdleConnections()
	resp, err := client.RoundTrip(req)
	if err != nil {
		if reason := overBecause(conn, err); reason != nil {
			err = reason
		}
		// The lead judges the handshake after our side of it is complete, so
		// that its refusal comes now; then the request was never read.
		if errors.Is(err, ErrNoProtocol) || errors.Is(err, ErrNotPinned) || errors.Is(err, ErrBusy) {
			return enrollAnswer{}, err
		}
		return enrollAnswer{}, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	defer func() { _ = resp.Body.Close() }() // what matters of it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxEnroll))
	if err != nil {
		return enrollAnswer{}, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return parseEnrollAnswer(resp.StatusCode, data)
}
