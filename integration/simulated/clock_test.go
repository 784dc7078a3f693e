package simulated

import (
	"sync/atomic"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/node/link"
	"collie/node/walky"
)

const day = 24 * time.Hour

// A jumping clock is ahead of the others' by what it is set to.
type jumping struct{ ahead atomic.Int64 }

func (j *jumping) set(ahead time.Duration) { j.ahead.Store(int64(ahead)) }
func (j *jumping) get() time.Duration      { return time.Duration(j.ahead.Load()) }

func TestMessagesPassBetweenMachinesWhoseClocksAreADayApart(t *testing.T) {
	t.Parallel()
	var network Network
	lead := NewLead(t, &network, "barn")
	var early, late jumping
	early.set(day)
	late.set(-day)
	atlas := NewMember(t, &network, lead, "atlas", Options{Ahead: early.get})
	juno := NewMember(t, &network, lead, "juno", Options{Ahead: late.get})
	to := map[*Node]walky.Address{lead: openAgent(t, lead), atlas: openAgent(t, atlas), juno: openAgent(t, juno)}
	all := func(when string) {
		t.Helper()
		for _, way := range [][2]*Node{{atlas, juno}, {juno, atlas}, {lead, atlas}, {lead, juno}, {atlas, lead}, {juno, lead}} {
			from, receiver := way[0], way[1]
			receipt := send(t, from, to[receiver], "hello")
			if receipt.State != walky.Delivered {
				t.Errorf("%s, %s to %s: %s (%s)", when, from.Name, receiver.Name, receipt.State, receipt.Reason)
			}
			receiver.Await("its line", func() bool { return announced(receiver, to[receiver].Pane, receipt.ID) == 1 })
			from.Await("the receipt", func() bool { return state(from, receipt.ID) == walky.Delivered })
		}
	}
	all("a day ahead and a day behind")
	early.set(-day)
	late.set(day)
	atlas.knowsItsLead(lead)
	juno.knowsItsLead(lead)
	all("after a jump of two days")
}

// knowsItsLead waits for the beat that tells a member what its lead's clock is, after
// its own has jumped.
func (n *Node) knowsItsLead(lead *Node) {
	n.t.Helper()
	n.Await("what the clock of its lead is", func() bool {
		return time.Until(n.Link(lead).PeerNow).Abs() < walky.MaxClockDifference
	})
}

// The lead's word is good for five minutes of its own clock. However the receiver's
// jumps meanwhile, a delivery that comes once more is the same message.
func TestADeliveryIsKnownAgainAfterItsReceiversClockJumped(t *testing.T) {
	t.Parallel()
	var network Network
	lead := NewLead(t, &network, "barn")
	var clock jumping
	juno := NewMember(t, &network, lead, "juno", Options{Ahead: clock.get})
	to := openAgent(t, juno)
	crew := lead.Store.Crew()
	certificate, err := identity.ParseCertificate(lead.Identity.Certificate())
	lead.must(err)
	const id = "01M8PF40DVVSY0ZDX89SH84SRQ"
	envelope, err := walky.Seal(lead.Identity, crew.ID, crew.SelfID, walky.Outgoing{ID: id, To: to, Body: "hello", SentAt: time.Now()})
	lead.must(err)
	verified, err := walky.OpenEnvelope(envelope, walky.Member{CrewID: crew.ID, ID: crew.SelfID, Certificate: certificate}, time.Now())
	lead.must(err)
	delivery, err := walky.Attest(lead.Identity, crew.Generation, time.Now(), verified)
	lead.must(err)
	for _, ahead := range []time.Duration{0, day, -day} {
		clock.set(ahead)
		juno.knowsItsLead(lead)
		receipt, err := link.Send(t.Context(), lead.Transport(juno), "/walky/deliver", id, delivery)
		if err != nil || receipt.State != walky.Delivered {
			t.Errorf("%v ahead: %+v, %v", ahead, receipt, err)
		}
		juno.Await("its line", func() bool { return announced(juno, to.Pane, id) == 1 })
	}
}
