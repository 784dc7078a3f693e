package walky

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"collie/crypto/identity"
)

// A crew of three stations, joined as a lead and its members join theirs: the
// members by memberRoute, the lead by leadRoute.
type threeMachines struct {
	crew
	lead, atlas, boreas *machine
	members             map[string]*machine
	keys                map[string]*identity.Identity
	// spoil changes a delivery on its way.
	spoil func(*Delivery)
	// cut is a lead that reaches nobody.
	cut bool
}

func newThreeMachines(t *testing.T) *threeMachines {
	t.Helper()
	c := newCrew(t)
	c.now = time.Now()
	n := &threeMachines{crew: c, lead: newMachine(t, nil, agent("p1")), atlas: newMachine(t, nil, agent("p1")), boreas: newMachine(t, nil, agent("p1"))}
	n.members = map[string]*machine{"atlas": n.atlas, "boreas": n.boreas}
	n.keys = map[string]*identity.Identity{leadID: c.lead, "atlas": c.atlas, "boreas": c.atlas}
	n.lead.SetRoute(leadRoute{n, t})
	for id, m := range n.members {
		m.SetRoute(memberRoute{n, t, id})
	}
	return n
}

// memberRoute is a member's side: it seals, and the lead opens.
type memberRoute struct {
	n    *threeMachines
	t    *testing.T
	self string
}

func (r memberRoute) SelfMember() string                  { return r.self }
func (r memberRoute) Who(context.Context) ([]Peer, error) { return nil, nil }

func (r memberRoute) Forward(ctx context.Context, out Outgoing) (Receipt, error) {
	e, err := Seal(r.n.keys[r.self], r.n.id, r.self, out)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	return r.n.route(ctx, r.t, e, r.self)
}

func (r memberRoute) Recall(ctx context.Context, _ string, what Recall) (Receipt, error) {
	return r.n.lead.Recall(ctx, r.self, what.ID, func(ctx context.Context, to string) (Receipt, error) {
		return r.n.callBack(ctx, to, Recall{ID: what.ID, Sender: r.self})
	})
}

func (r leadRoute) Recall(ctx context.Context, to string, what Recall) (Receipt, error) {
	return r.n.callBack(ctx, to, Recall{ID: what.ID, Sender: leadID})
}

// callBack is the lead's call of the member that holds a message.
func (n *threeMachines) callBack(ctx context.Context, to string, what Recall) (Receipt, error) {
	if n.cut {
		return Receipt{}, ErrNotSent
	}
	return n.members[to].Recall(ctx, what.Sender, what.ID, func(context.Context, string) (Receipt, error) {
		return Receipt{}, ErrNotFound
	})
}

// leadRoute is the lead's side: its own messages go through the same two
// statements.
type leadRoute struct {
	n *threeMachines
	t *testing.T
}

func (r leadRoute) SelfMember() string                  { return leadID }
func (r leadRoute) Who(context.Context) ([]Peer, error) { return nil, nil }

func (r leadRoute) Forward(ctx context.Context, out Outgoing) (Receipt, error) {
	e, err := Seal(r.n.crew.lead, r.n.id, leadID, out)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	v, err := OpenEnvelope(e, Member{CrewID: r.n.id, ID: leadID, Certificate: cert(r.t, r.n.crew.lead), Self: true}, r.n.now)
	if err != nil {
		return Receipt{}, err
	}
	return r.n.deliver(ctx, r.t, v)
}

// route is what the lead does with an envelope of a member.
func (n *threeMachines) route(ctx context.Context, t *testing.T, e Envelope, from string) (Receipt, error) {
	v, err := n.lead.Open(e, Member{CrewID: n.id, ID: from, Certificate: cert(t, n.keys[from])}, n.now)
	if err != nil {
		return n.lead.Reject(from, err), nil
	}
	if v.Message().To.Member == leadID {
		return n.lead.Accept(ctx, v)
	}
	r, fresh, err := n.lead.Pass(ctx, v)
	if err != nil || !fresh {
		return r, err
	}
	r, err = n.deliver(ctx, t, v)
	if err != nil {
		return Receipt{}, err
	}
	return r, n.lead.Result(v.Message().To.Member, r)
}

func (n *threeMachines) deliver(ctx context.Context, t *testing.T, v Verified) (Receipt, error) {
	d, err := Attest(n.crew.lead, 3, n.now, v)
	if err != nil {
		return Receipt{}, err
	}
	if n.spoil != nil {
		n.spoil(&d)
	}
	to := v.Message().To.Member
	r, _ := n.members[to].Receive(ctx, d, Receiver{
		CrewID: n.id, Generation: 3, MemberID: to, Lead: leadID, LeadCert: cert(t, n.crew.lead), LeadNow: n.now,
	})
	r.ID = v.Message().ID // a check that failed early names none
	return r, nil
}

func (n *threeMachines) addressOn(member string, m *machine) Address {
	a := m.address("p1")
	a.Machine = member
	return a
}

func TestMessageFromMemberToMemberAndItsReceiptBack(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	_, atBoreas, stopBoreas := n.boreas.Receipts()
	_, atLead, stopLead := n.lead.Receipts()
	defer stopBoreas()
	defer stopLead()
	r := n.atlas.send(in("p1"), n.addressOn("boreas", n.boreas), "hello from atlas")
	wantReceipt(t, r, Delivered, "")
	want := []string{"[collie] message from atlas:p1, read it with: collie walky inbox " + r.ID}
	if got := n.boreas.terminal.typed("p1"); !slices.Equal(got, want) {
		t.Fatalf("typed %q, want %q", got, want)
	}
	letter, err := n.boreas.Read(t.Context(), in("p1"), r.ID)
	if err != nil || letter.Body != "hello from atlas" || letter.AttestedBy != leadID {
		t.Fatalf("letter %+v, %v", letter, err)
	}
	// Each side reports what changed: boreas to the lead, the lead to atlas.
	for range 3 {
		report := <-atBoreas
		if err := n.lead.Result("boreas", report.Receipt); err != nil {
			t.Fatal(err)
		}
	}
	for report := range atLead {
		if report.Sender != "atlas" {
			t.Fatalf("report for %s", report.Sender)
		}
		if err := n.atlas.Result("", report.Receipt); err != nil {
			t.Fatal(err)
		}
		if report.State == Read {
			break
		}
	}
	n.atlas.wantState(r.ID, Read)
	for name, m := range map[Direction]*machine{Out: n.atlas, Through: n.lead, In: n.boreas} {
		if entries := m.Log(); len(entries) != 1 || entries[0].Direction != name || entries[0].State != Read {
			t.Errorf("%s: journal has %+v", name, entries)
		}
	}
}

func TestMessageThatTheLeadChangedIsRefusedByNameToItsSender(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	n.spoil = func(d *Delivery) { d.Body += "!" }
	r := n.atlas.send(in("p1"), n.addressOn("boreas", n.boreas), "hello")
	wantReceipt(t, r, Refused, "check digest")
	if got := n.boreas.terminal.typed("p1"); len(got) != 0 {
		t.Fatalf("typed %q", got)
	}
}

func TestMessageThatAMachineOnItsWayCannotRecordIsRefusedAndNotTyped(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"lead", "receiver"} {
		n := newThreeMachines(t)
		to := n.addressOn("boreas", n.boreas)
		map[string]*machine{"lead": n.lead, "receiver": n.boreas}[which].loseJournal()
		r := n.atlas.send(in("p1"), to, "hello")
		wantReceipt(t, r, Refused, "unrecorded")
		n.atlas.wantState(r.ID, Refused)
		if got := n.boreas.terminal.typed("p1"); len(got) != 0 {
			t.Errorf("%s: typed %q", which, got)
		}
	}
}

func TestLeadSendsAndReceivesLikeAnyMachine(t *testing.T) {
	t.Parallel()
	n := newThreeMachines(t)
	wantReceipt(t, n.lead.send(Sender{Label: "phone"}, n.addressOn("atlas", n.atlas), "from the phone"), Delivered, "")
	items, err := n.atlas.Inbox(t.Context(), in("p1"))
	if err != nil || len(items) != 1 || items[0].From.String() != leadID || items[0].FromLabel != "phone" {
		t.Fatalf("inbox %+v, %v", items, err)
	}
	wantReceipt(t, n.boreas.send(in("p1"), n.addressOn(leadID, n.lead), "to the lead"), Delivered, "")
	if got := n.lead.terminal.typed("p1"); len(got) != 1 {
		t.Fatalf("typed %q", got)
	}
}
