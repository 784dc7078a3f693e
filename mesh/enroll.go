package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/quic-go/quic-go"

	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// EnrollPath is the one route of ALPNEnroll.
const EnrollPath = "/crew/v1/enroll"

// enrollRequest is what a node that wants to join says. Its certificate is the
// one that it presented.
type enrollRequest struct {
	Token     string   `json:"token"`
	Label     string   `json:"label"`
	Addresses []string `json:"addresses,omitempty"`
	Build     string   `json:"build,omitempty"`
}

// enrollAnswer is what a lead gives to a node that it admitted.
type enrollAnswer struct {
	CrewID           statement.CrewID `json:"crewId"`
	CrewName         string           `json:"crewName"`
	MemberID         string           `json:"memberId"`
	Secret           []byte           `json:"secret"`
	SecretGeneration uint64           `json:"secretGeneration"`
	Generation       uint64           `json:"generation"`
	LeadID           string           `json:"leadMemberId"`
	LeadLabel        string           `json:"leadLabel"`
	LeadAddresses    []string         `json:"leadAddresses,omitempty"`
}

// enrollRefusals are the refusals of an enrolment: the named error, how it is
// told, and by that how the other side knows it again.
var enrollRefusals = []struct {
	err    error
	status int
	code   string
}{
	{trust.ErrInvite, http.StatusForbidden, "invite_unknown"},
	{trust.ErrInviteExpired, http.StatusForbidden, "invite_expired"},
	{trust.ErrOwnCertificate, http.StatusConflict, "own_certificate"},
	{trust.ErrFull, http.StatusConflict, "crew_full"},
	{trust.ErrLabelTaken, http.StatusConflict, "label_taken"},
	{trust.ErrLabel, http.StatusBadRequest, "label_invalid"},
	{trust.ErrAddress, http.StatusBadRequest, "address_invalid"},
	{ErrDoor, http.StatusTooManyRequests, "too_many_attempts"},
}

var (
	// ErrDoor says that an address sent too many wrong tokens.
	ErrDoor = errors.New("too many wrong tokens came from this address: try again in a minute")
	// ErrRefused is wrapped by whatever a lead answers to a node that it does
	// not let in.
	ErrRefused = errors.New("the lead refused")

	errEnroll = errors.New("the request to join is not valid")
)

// enroll serves the one exchange of a connection that wants to join.
func (e *Endpoint) enroll(conn *quic.Conn) {
	select {
	case e.enrolling <- struct{}{}:
		defer func() { <-e.enrolling }()
	default:
		closeFor(conn, ErrBusy)
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, enrollTimeout)
	defer cancel()
	// The joiner closes once it has the answer. Closing before would cut it off.
	defer func() { _ = conn.CloseWithError(codeDone, "") }()
	l := &link{conn: conn, enroll: true}
	peer, err := peerFingerprint(conn.ConnectionState().TLS)
	if err != nil {
		return
	}
	l.peer = peer
	openCtx, cancelOpen := context.WithTimeout(ctx, headerTimeout)
	defer cancelOpen()
	stream, err := conn.AcceptStream(openCtx)
	if err != nil {
		return
	}
	e.deliver(l, stream, func() {})
	select {
	case <-ctx.Done():
	case <-conn.Context().Done():
	}
}

// serveEnroll lets a node in: it spends the invite and pins the certificate in
// one commit, and answers with what a member has to know.
func (e *Endpoint) serveEnroll(w http.ResponseWriter, r *http.Request, l *link) {
	if r.URL.Path != EnrollPath || r.Method != http.MethodPost {
		unauthorized(w)
		return
	}
	from := l.conn.RemoteAddr()
	member, err := e.admit(r, l)
	if err != nil {
		if errors.Is(err, trust.ErrInvite) {
			e.door.wrong(from)
		}
		e.config.Log.Warn("a node was refused that wanted to join", "from", from, "certificate", l.peer, "reason", err)
		refuseEnroll(w, err)
		return
	}
	crew := e.config.Store.Crew()
	if crew == nil {
		unauthorized(w)
		return
	}
	if e.config.Enrolled != nil {
		e.config.Enrolled(member, from)
	}
	answer(w, http.StatusOK, enrollAnswer{
		CrewID: crew.ID, CrewName: crew.Name, MemberID: member.ID, Secret: crew.Secret, SecretGeneration: crew.SecretGeneration,
		Generation: crew.Generation, LeadID: crew.SelfID, LeadLabel: crew.SelfLabel, LeadAddresses: e.Addresses(),
	})
}

// admit checks a request to join and carries it out.
func (e *Endpoint) admit(r *http.Request, l *link) (trust.Member, error) {
	if !e.door.open(l.conn.RemoteAddr()) {
		return trust.Member{}, ErrDoor
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxEnroll+1))
	if err != nil {
		return trust.Member{}, fmt.Errorf("the request to join broke off: %w", err)
	}
	request, err := parseEnrollRequest(data)
	if err != nil {
		return trust.Member{}, err
	}
	certificate, err := identity.ParseCertificate(l.conn.ConnectionState().TLS.PeerCertificates[0].Raw)
	if err != nil {
		return trust.Member{}, err
	}
	admission := trust.Admission{
		Token: request.Token, Certificate: certificate, Label: request.Label, Addresses: request.Addresses, Own: e.own,
	}
	var member trust.Member
	err = e.config.Store.Update(func(old *trust.Crew) (next *trust.Crew, err error) {
		next, member, err = trust.Admit(old, admission, e.config.Now())
		return next, err
	})
	return member, err
}

// parseEnrollRequest reads the body of a request to join.
func parseEnrollRequest(data []byte) (enrollRequest, error) {
	var request enrollRequest
	if len(data) > maxEnroll {
		return request, fmt.Errorf("%w: more than %d bytes", errEnroll, maxEnroll)
	}
	if err := json.Unmarshal(data, &request); err != nil {
		return request, fmt.Errorf("%w: %w", errEnroll, err)
	}
	if len(request.Token) != secret.TokenLen {
		return request, trust.ErrInvite
	}
	return request, errors.Join(trust.CheckLabel(request.Label), trust.CheckAddresses(request.Addresses))
}

func refuseEnroll(w http.ResponseWriter, err error) {
	for _, known := range enrollRefusals {
		if errors.Is(err, known.err) {
			answer(w, known.status, refusal{Error: known.err.Error(), Code: known.code})
			return
		}
	}
	answer(w, http.StatusBadRequest, refusal{Error: errEnroll.Error(), Code: "bad_request"})
}

// parseEnrollAnswer reads the answer to a request to join.
func parseEnrollAnswer(status int, data []byte) (enrollAnswer, error) {
	var got enrollAnswer
	if status != http.StatusOK {
		var told refusal
		if json.Unmarshal(data, &told) == nil {
			for _, known := range enrollRefusals {
				if told.Code == known.code {
					return got, fmt.Errorf("%w: %w", ErrRefused, known.err)
				}
			}
		}
		return got, fmt.Errorf("%w: status %d", ErrRefused, status)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		return got, fmt.Errorf("the lead's answer is not valid: %w", err)
	}
	if !trust.ValidID(got.MemberID) || !trust.ValidID(got.LeadID) || got.CrewID.IsZero() || len(got.Secret) != secret.KeySize {
		return got, errors.New("the lead's answer is not valid: it lacks what a member has to know")
	}
	return got, errors.Join(trust.CheckCrewName(got.CrewName), trust.CheckLabel(got.LeadLabel), trust.CheckAddresses(got.LeadAddresses))
}
