package lead

import (
	"context"
	"errors"
	"fmt"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/node/link"
	"collie/node/walky"
)

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
	if crew == nil || crew.Role != trust.RoleLead {
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
	verified, err := walky.OpenEnvelope(envelope, walky.Member{CrewID: crew.ID, ID: crew.SelfID, Certificate: own, Self: true}, out.SentAt)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return r.deliver(ctx, crew, verified)
}

// take is a member's message: for this machine, or for another member. Refusals
// are receipts; what is wrong with a signature is counted and logged by the
// station.
func (r *router) take(ctx context.Context, from trust.Member, envelope walky.Envelope) (walky.Receipt, error) {
	crew := r.crew.Store.Crew()
	certificate, err := identity.ParseCertificate(from.Certificate)
	if crew == nil || err != nil {
		return walky.Receipt{}, errors.Join(api.ErrWrongRole, err)
	}
	station := r.lead.node.Walky
	verified, err := station.Open(envelope, walky.Member{CrewID: crew.ID, ID: from.ID, Certificate: certificate}, r.lead.now())
	var over *walky.RefusedError
	if errors.As(err, &over) {
		return walky.Receipt{State: walky.Refused, Reason: over.Reason, Wait: over.Wait, At: r.lead.now()}, nil
	}
	if err != nil {
		return station.Reject(from.ID, err), nil
	}
	if verified.Message().To.Member == crew.SelfID {
		return answered(station.Accept(ctx, verified))
	}
	receipt, fresh, err := station.Pass(ctx, verified)
	if err != nil || !fresh {
		return answered(receipt, err)
	}
	return r.pass(ctx, crew, verified)
}

// answered lets a receipt that says what is wrong stand for the error.
func answered(receipt walky.Receipt, err error) (walky.Receipt, error) {
	if receipt.State != "" {
		return receipt, nil
	}
	return receipt, err
}

// pass delivers a recorded message of one member to another one and records the
// first receipt. The receiver may report on this message alone.
func (r *router) pass(ctx context.Context, crew *trust.Crew, verified walky.Verified) (walky.Receipt, error) {
	id, to := verified.Message().ID, verified.Message().To.Member
	station := r.lead.node.Walky
	receipt, err := r.deliver(ctx, crew, verified)
	if err == nil {
		if err = station.Result(to, receipt); err == nil {
			return receipt, nil
		}
	}
	receipt = walky.Receipt{ID: id, State: walky.Unknown, At: r.lead.now()}
	if errors.Is(err, walky.ErrNotSent) {
		receipt.State, receipt.Reason = walky.Refused, walky.ReasonUnreachable
	}
	r.lead.log.Warn("a walky message was not answered for", "message", id, "to", to, "state", receipt.State, "error", err)
	if err := station.Result("", receipt); err != nil {
		r.lead.log.Error("a receipt could not be kept", "message", id, "error", err)
	}
	return receipt, nil
}

// deliver attests a message and hands it to the member that it is for.
func (r *router) deliver(ctx context.Context, crew *trust.Crew, verified walky.Verified) (walky.Receipt, error) {
	message := verified.Message()
	to, ok := crew.Member(message.To.Member)
	if !ok {
		return walky.Receipt{ID: message.ID, State: walky.Refused, Reason: walky.ReasonNoMachine, At: r.lead.now()}, nil
	}
	delivery, err := walky.Attest(r.crew.Identity, crew.Generation, r.lead.now(), verified)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return link.Send(ctx, r.crew.Endpoint.RoundTripper(to.Fingerprint), "/walky/deliver", message.ID, delivery)
}

// Recall asks a member to take back a message of this machine.
func (r *router) Recall(ctx context.Context, to string, what walky.Recall) (walky.Receipt, error) {
	crew := r.crew.Store.Crew()
	if crew == nil {
		return walky.Receipt{}, walky.ErrNotSent
	}
	return r.callBack(ctx, crew, to, walky.Recall{ID: what.ID, Sender: crew.SelfID})
}

// recall is a member that wants a message of its own back.
func (r *router) recall(ctx context.Context, from trust.Member, what walky.Recall) (walky.Receipt, error) {
	crew := r.crew.Store.Crew()
	if crew == nil {
		return walky.Receipt{}, api.ErrWrongRole
	}
	receipt, err := r.lead.node.Walky.Recall(ctx, from.ID, what.ID, func(ctx context.Context, to string) (walky.Receipt, error) {
		return r.callBack(ctx, crew, to, walky.Recall{ID: what.ID, Sender: from.ID})
	})
	if err != nil {
		return walky.Receipt{}, api.ErrWalkyRefused.With(err.Error())
	}
	return receipt, nil
}

func (r *router) callBack(ctx context.Context, crew *trust.Crew, to string, what walky.Recall) (receipt walky.Receipt, err error) {
	member, ok := crew.Member(to)
	if !ok {
		return receipt, walky.ErrNotSent
	}
	err = link.Call(ctx, r.crew.Endpoint.RoundTripper(member.Fingerprint), "/walky/recall", what, &receipt)
	return receipt, err
}

// caller is the member that a request came from.
func (r *router) caller(ctx context.Context) (trust.Member, error) {
	peer, _ := mesh.PeerFrom(ctx)
	if member, ok := r.crew.Store.Crew().Member(peer.MemberID); ok {
		return member, nil
	}
	return trust.Member{}, api.ErrNotAllowed
}
