package lead

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/link"
	"collie/node/walky"
)

// retry is the pause before an exchange that ended early is begun again.
const retry = time.Second

// A router carries walky messages: those of this machine to a member, and those
// of one member to another one or to this machine.
type router struct {
	lead *Lead
	crew Crew
}

var _ walky.Route = (*router)(nil)

func (r *router) SelfMember() string {
	if crew := r.crew.Store.Crew(); crew != nil {
		return crew.SelfID
	}
	return ""
}

// Who lists the agent sessions of every member that can be read now.
func (r *router) Who(context.Context) ([]walky.Peer, error) {
	return r.lead.herd.peers(""), nil
}

// Forward sends a message of this machine, or of a phone, to a member. It goes
// through the same two statements as a member's own.
func (r *router) Forward(ctx context.Context, out walky.Outgoing) (walky.Receipt, error) {
	crew := r.crew.Store.Crew()
	if crew == nil {
		return walky.Receipt{}, walky.ErrNotSent
	}
	own, err := identity.ParseCertificate(r.crew.Identity.Certificate())
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	out.SentAt = r.lead.now()
	envelope, err := walky.Seal(r.crew.Identity, crew.ID, crew.SelfID, out)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	verified, err := walky.OpenEnvelope(envelope, walky.Member{CrewID: crew.ID, ID: crew.SelfID, Certificate: own}, r.lead.now())
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return r.deliver(ctx, crew, verified)
}

// take is a member's message: for this machine, or for another member.
func (r *router) take(ctx context.Context, from trust.Member, envelope walky.Envelope) (walky.Receipt, error) {
	crew := r.crew.Store.Crew()
	certificate, err := identity.ParseCertificate(from.Certificate)
	if crew == nil || err != nil {
		return walky.Receipt{}, errors.Join(api.ErrWrongRole, err)
	}
	station := r.lead.node.Walky
	verified, err := walky.OpenEnvelope(envelope, walky.Member{CrewID: crew.ID, ID: from.ID, Certificate: certificate}, r.lead.now())
	if err != nil {
		return station.Reject(from.ID, err), nil
	}
	if verified.Message().To.Member == crew.SelfID {
		return station.Accept(ctx, verified)
	}
	receipt, fresh, err := station.Pass(ctx, verified)
	if err != nil || !fresh {
		return receipt, err
	}
	first, err := r.deliver(ctx, crew, verified)
	switch {
	case errors.Is(err, walky.ErrNotSent):
		first = walky.Receipt{ID: receipt.ID, State: walky.Refused, Reason: walky.ReasonUnreachable, At: r.lead.now()}
		if _, known := crew.Member(verified.Message().To.Member); !known {
			first.Reason = walky.ReasonNoMachine
		}
	case err != nil:
		first = walky.Receipt{ID: receipt.ID, State: walky.Unknown, At: r.lead.now()}
	}
	if err := station.Result("", first); err != nil {
		r.lead.log.Warn("a receipt could not be kept", "message", receipt.ID, "error", err)
	}
	return first, nil
}

// deliver attests a message and hands it to the member that it is for.
func (r *router) deliver(ctx context.Context, crew *trust.Crew, verified walky.Verified) (walky.Receipt, error) {
	to, ok := crew.Member(verified.Message().To.Member)
	if !ok {
		return walky.Receipt{}, fmt.Errorf("%w: no such member", walky.ErrNotSent)
	}
	delivery, err := walky.Attest(r.crew.Identity, crew.Generation, r.lead.now(), verified)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	var receipt walky.Receipt
	err = link.Call(ctx, r.crew.Endpoint.RoundTripper(to.Fingerprint), "/walky/deliver", delivery, &receipt)
	if errors.Is(err, mesh.ErrUnreachable) {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return receipt, err
}

// Routes are what members may call on their lead.
func (l *Lead) Routes(crew Crew) []link.Route {
	r := &router{lead: l, crew: crew}
	return []link.Route{
		{Method: http.MethodPost, Path: "/walky/send", Grade: trust.GradeMember, Handle: link.Exchange(func(ctx context.Context, envelope walky.Envelope) (walky.Receipt, error) {
			from, err := r.caller(ctx)
			if err != nil {
				return walky.Receipt{}, err
			}
			return r.take(ctx, from, envelope)
		})},
		{Method: http.MethodPost, Path: "/walky/who", Grade: trust.GradeMember, Handle: link.Exchange(func(ctx context.Context, _ struct{}) (api.WalkyPeers, error) {
			from, err := r.caller(ctx)
			if err != nil {
				return api.WalkyPeers{}, err
			}
			own, err := l.node.Walky.Peers(ctx, walky.Sender{})
			return api.WalkyPeers{Peers: append(own, l.herd.peers(from.ID)...)}, err
		})},
		{Method: http.MethodPost, Path: "/leave", Grade: trust.GradeMember, Handle: link.Exchange(func(ctx context.Context, _ struct{}) (api.Done, error) {
			from, err := r.caller(ctx)
			if err != nil {
				return api.Done{}, err
			}
			return api.Done{OK: true}, l.left(crew.Store, from.ID)
		})},
	}
}

// caller is the member that a request came from.
func (r *router) caller(ctx context.Context) (trust.Member, error) {
	peer, _ := mesh.PeerFrom(ctx)
	if crew := r.crew.Store.Crew(); crew != nil {
		if member, ok := crew.Member(peer.MemberID); ok {
			return member, nil
		}
	}
	return trust.Member{}, api.ErrNotAllowed
}

// left takes a member out that says that it goes.
func (l *Lead) left(store *trust.Store, id string) error {
	if err := l.node.Audit.Write(audit.Entry{Action: "crew.leave", Host: id, Via: "crew", Outcome: "accepted"}); err != nil {
		return api.ErrAuditUnavailable
	}
	return store.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, id) })
}

// pause waits for a moment, and reports false when ctx ended meanwhile.
func pause(ctx context.Context, moment time.Duration) bool {
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
