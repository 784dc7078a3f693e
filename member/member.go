// Package member is a node's side towards its lead: it keeps the link up, shows
// the lead its panes, takes what the lead passes on from a phone, and hands it
// the walky messages of its own sessions. It believes nobody but its pinned
// lead, and applies its own checks to all of it.
package member

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"collie/crypto/identity"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/link"
	"collie/node/walky"
)

// beat is how often a stream to the lead says that it lives.
const beat = 5 * time.Second

// A Member follows a lead.
type Member struct {
	node *node.Node
	now  func() time.Time
	log  *slog.Logger
}

// New returns the member's side of a node.
func New(n *node.Node, now func() time.Time, log *slog.Logger) *Member {
	return &Member{node: n, now: now, log: log}
}

// A Crew is what a member needs to follow its lead.
type Crew struct {
	Store    *trust.Store
	Endpoint *mesh.Endpoint
	Identity *identity.Identity
}

// Run keeps the link to the lead until ctx ends or the lead is no longer the
// one that was pinned at the start.
func (m *Member) Run(ctx context.Context, crew Crew) error {
	state := crew.Store.Crew()
	if state == nil || state.Lead == nil {
		return trust.ErrSolo
	}
	m.node.SetRoute(&uplink{member: m, crew: crew, self: state.SelfID, lead: state.Lead.Fingerprint})
	defer m.node.SetRoute(nil)
	crew.Endpoint.Maintain(ctx, state.Lead.Fingerprint, func() []string {
		if now := crew.Store.Crew(); now != nil && now.Lead != nil {
			return now.Lead.Addresses
		}
		return nil
	})
	return ctx.Err()
}

// Routes are what the lead may call on its member: everything that a phone can
// do here, and what becomes of messages.
func (m *Member) Routes(crew Crew) []link.Route {
	handlers := m.node.Handlers(func(*http.Request) (api.Machine, error) { return m.node.Local(), nil }, beat)
	routes := []link.Route{
		{Method: http.MethodPost, Path: "/walky/deliver", Grade: trust.GradeLead, Handle: link.Exchange(func(ctx context.Context, delivery walky.Delivery) (walky.Receipt, error) {
			return m.receive(ctx, crew, delivery)
		})},
		{Method: http.MethodPost, Path: "/walky/result", Grade: trust.GradeLead, Handle: link.Exchange(func(_ context.Context, receipt walky.Receipt) (api.Done, error) {
			if err := m.node.Walky.Result("", receipt); err != nil {
				m.log.Warn("a receipt from the lead was refused", "error", err)
				return api.Done{}, api.ErrWalkyRefused.With(err.Error())
			}
			return api.Done{OK: true}, nil
		})},
	}
	for _, route := range handlers.Routes() {
		if route.Path == "/walky/send" { // a phone's message is the lead's to send
			continue
		}
		routes = append(routes, link.Route{Method: route.Method, Path: route.Path, Grade: trust.GradeLead, Handle: attributed(route.Handle)})
	}
	return routes
}

// receive takes a message that the lead attests.
func (m *Member) receive(ctx context.Context, crew Crew, delivery walky.Delivery) (walky.Receipt, error) {
	state := crew.Store.Crew()
	if state == nil || state.Lead == nil {
		return walky.Receipt{}, api.ErrWrongRole
	}
	certificate, err := identity.ParseCertificate(state.Lead.Certificate)
	if err != nil {
		return walky.Receipt{}, err
	}
	receipt, err := m.node.Walky.Receive(ctx, delivery, walky.Receiver{
		CrewID: state.ID, Generation: state.Generation, MemberID: state.SelfID,
		Lead: state.Lead.ID, LeadCert: certificate, LeadNow: m.leadNow(crew, state.Lead.Fingerprint),
	})
	if err != nil && receipt.State == "" {
		return walky.Receipt{}, err
	}
	return receipt, nil // a check that failed is in the receipt
}

// leadNow is the lead's clock, as its beats tell it.
func (m *Member) leadNow(crew Crew, lead identity.Fingerprint) time.Time {
	return m.now().Add(crew.Endpoint.LinkState(lead).ClockAhead)
}

// Leave tells the lead that this member goes. The lead may not hear it; the
// member goes all the same.
func (m *Member) Leave(ctx context.Context, crew Crew) error {
	state := crew.Store.Crew()
	if state == nil || state.Lead == nil {
		return trust.ErrSolo
	}
	return link.Call(ctx, crew.Endpoint.RoundTripper(state.Lead.Fingerprint), "/leave", struct{}{}, &api.Done{})
}

// uplink is how messages of this machine leave it: through the lead.
type uplink struct {
	member *Member
	crew   Crew
	self   string
	lead   identity.Fingerprint
}

var _ walky.Route = (*uplink)(nil)

func (u *uplink) SelfMember() string { return u.self }

func (u *uplink) Who(ctx context.Context) ([]walky.Peer, error) {
	var answer api.WalkyPeers
	err := link.Call(ctx, u.crew.Endpoint.RoundTripper(u.lead), "/walky/who", struct{}{}, &answer)
	return answer.Peers[:min(len(answer.Peers), api.MaxPanes)], err
}

func (u *uplink) Forward(ctx context.Context, out walky.Outgoing) (walky.Receipt, error) {
	state := u.crew.Store.Crew()
	if state == nil || state.SelfID != u.self {
		return walky.Receipt{}, walky.ErrNotSent
	}
	out.SentAt = u.member.leadNow(u.crew, u.lead)
	envelope, err := walky.Seal(u.crew.Identity, state.ID, state.SelfID, out)
	if err != nil {
		return walky.Receipt{}, fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	var receipt walky.Receipt
	err = link.Call(ctx, u.crew.Endpoint.RoundTripper(u.lead), "/walky/send", envelope, &receipt)
	return receipt, notSent(err)
}
