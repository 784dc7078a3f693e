// Package member is a node's side towards its lead: it keeps the link up, shows
// the lead its panes, takes what the lead passes on from a phone, and hands it
// the walky messages of its own sessions.
//
// It believes nobody but its pinned lead, and applies its own checks to all of
// it: a message is delivered for its signatures, and a write is audited here
// whatever the lead wrote down. One route of the phone is missing on the link:
// a phone's message is sent, signed and attested by the lead, so that a member
// never speaks for a phone that it does not know.
package member

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sync/errgroup"

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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.node.SetRoute(&uplink{member: m, crew: crew, self: state.SelfID, lead: state.Lead.Fingerprint})
	defer m.node.SetRoute(nil)
	var work errgroup.Group
	work.Go(func() error {
		defer cancel()
		return m.whileLed(ctx, crew, state.Lead.Fingerprint)
	})
	crew.Endpoint.Maintain(ctx, state.Lead.Fingerprint, func() []string {
		return crew.Store.Crew().AddressesOf(state.Lead.ID)
	})
	cancel()
	return work.Wait()
}

// whileLed returns once the lead is another one, or none. Until then it has the
// link dialled anew whenever the lead has another address.
func (m *Member) whileLed(ctx context.Context, crew Crew, lead identity.Fingerprint) error {
	changed, stop := crew.Store.Watch()
	defer stop()
	var known []string
	for {
		now := crew.Store.Crew()
		id, grade := now.Pin(lead)
		if grade != trust.GradeLead {
			return nil
		}
		if next := now.AddressesOf(id); !slices.Equal(next, known) {
			known = next
			crew.Endpoint.Wake()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Routes are what the lead may call on its member: everything that a phone can
// do here but send a message, and what becomes of messages.
func (m *Member) Routes(crew Crew) []link.Route {
	handlers := m.node.Handlers(func(*http.Request) (api.Machine, error) { return m.node.Local(), nil }, beat)
	handlers.Link = true
	routes := []link.Route{
		fromLead("/walky/deliver", link.Exchange(m.log, func(ctx context.Context, delivery walky.Delivery) (walky.Receipt, error) {
			return m.receive(ctx, crew, delivery)
		})),
		fromLead("/walky/result", link.Exchange(m.log, func(_ context.Context, receipt walky.Receipt) (api.Done, error) {
			return m.result(receipt)
		})),
		fromLead("/walky/recall", link.Exchange(m.log, func(ctx context.Context, what walky.Recall) (walky.Receipt, error) {
			return m.recall(ctx, what)
		})),
		fromLead(link.SecretRoute, link.Exchange(m.log, func(_ context.Context, told link.NewSecret) (api.Done, error) {
			return m.takeSecret(crew, told)
		})),
	}
	for _, route := range handlers.Routes() {
		if route.Path != "/walky/send" {
			routes = append(routes, link.Route{Method: route.Method, Path: route.Path, Grades: []trust.Grade{trust.GradeLead}, Handle: attributed(route.Handle)})
		}
	}
	return routes
}

func fromLead(path string, handle httprouter.Handle) link.Route {
	return link.Route{Method: http.MethodPost, Path: path, Grades: []trust.Grade{trust.GradeLead}, Handle: handle}
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

// recall takes back what is held here of a message that the lead passed on.
func (m *Member) recall(ctx context.Context, what walky.Recall) (walky.Receipt, error) {
	receipt, err := m.node.Walky.Recall(ctx, what.Sender, what.ID, func(context.Context, string) (walky.Receipt, error) {
		return walky.Receipt{}, walky.ErrNotFound // a member passes nothing on
	})
	if err != nil {
		return walky.Receipt{}, api.ErrWalkyRefused.With(err.Error())
	}
	return receipt, nil
}

// result takes what became of a message of this machine. Only the lead says it.
func (m *Member) result(receipt walky.Receipt) (api.Done, error) {
	err := m.node.Walky.Result("", receipt)
	if walky.Code(err) == "" || errors.Is(err, walky.ErrUnrecorded) { // the disk may be mended, and the lead tells again
		return api.Done{OK: err == nil}, err
	}
	m.log.Warn("a receipt from the lead was refused", "error", err)
	return api.Done{}, api.ErrWalkyRefused.With(err.Error())
}

// leadNow is the lead's clock, as its beats tell it.
func (m *Member) leadNow(crew Crew, lead identity.Fingerprint) time.Time {
	if told := crew.Endpoint.LinkState(lead).PeerNow; !told.IsZero() {
		return told
	}
	return m.now()
}
