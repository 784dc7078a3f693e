package trust_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestClaimOfTheLeadIsRefusedInOneWayWhoeverIsApproved(t *testing.T) {
	t.Parallel()
	lead := newFarm(t).barn
	approved := must(t)(trust.Approve(lead, "box", at(1)))
	other := must(t)(trust.Approve(approved, "cart", at(1)))
	again := invited(t, must(t)(trust.RemoveMember(approved, "box", nil, at(1))), "new", at(1))
	again, m, err := trust.Admit(again, admission(t, "new", box, "box"), at(1))
	again = must(t)(trust.Confirm(must(t)(again, err), fp(t, box), 1))
	if m.ID == "box" || again.Handover != nil {
		t.Errorf("the approval outlives the member: %+v", again.Handover)
	}
	var texts []string
	for name, c := range map[string]struct {
		before *trust.Crew
		number byte
		now    time.Time
	}{
		"nobody is approved":          {lead, box, at(1)},
		"another member is":           {other, box, at(1)},
		"a stranger":                  {approved, alien, at(1)},
		"the lead itself":             {approved, barn, at(1)},
		"to the millisecond too late": {approved, box, at(1).Add(10 * time.Minute)},
		"cancelled":                   {must(t)(trust.CancelApproval(approved)), box, at(1)},
		"removed and joined again":    {again, box, at(1)},
		"not confirmed again":         {newFarm(t).takenOver(t, 1), box, at(1)},
	} {
		storesNothing(t, name, c.before, trust.ErrNotApproved, func(old *trust.Crew) (*trust.Crew, error) {
			next, err := trust.HandOver(old, fp(t, c.number), devices, owner(t, barn), c.now)
			if err != nil {
				texts = append(texts, err.Error())
			}
			return next, err
		})
	}
	for _, text := range texts {
		if text != trust.ErrNotApproved.Error() {
			t.Errorf("it is told %q", text)
		}
	}
	storesNothing(t, "while a deputy stands", approved, trust.ErrDeputyStands, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.HandOver(old, fp(t, box), devices, owner(t, barn), at(1))
	})
	next := must(t)(trust.HandOver(unnamed(approved), fp(t, box), devices, owner(t, barn), at(1).Add(10*time.Minute-time.Millisecond)))
	if next.Lead.ID != "box" {
		t.Errorf("in time it became %+v", next)
	}
}

// An approval names a certificate: the id with another one is another member.
func TestApprovalForAnotherFingerprintIsNone(t *testing.T) {
	t.Parallel()
	approved := must(t)(trust.Approve(newFarm(t).barn, "box", at(1)))
	forged := *approved
	forged.Handover = &trust.Approval{MemberID: "box", Fingerprint: fp(t, cart), ExpiresAt: at(2)}
	for _, number := range []byte{box, cart} {
		if err := last(trust.HandOver(&forged, fp(t, number), nil, owner(t, barn), at(1))); !errors.Is(err, trust.ErrNotApproved) {
			t.Errorf("node %d: %v", number, err)
		}
	}
	if err := open(t, t.TempDir()+"/crew.json").Update(set(&forged)); !errors.Is(err, trust.ErrInvalid) {
		t.Errorf("such an approval is stored: %v", err)
	}
}

func TestApprovalIsAtMostOneAndOver(t *testing.T) {
	t.Parallel()
	lead := newFarm(t).barn
	approved := must(t)(trust.Approve(must(t)(trust.Approve(lead, "cart", at(1))), "box", at(1)))
	if a := approved.Handover; a.MemberID != "box" || a.Fingerprint != fp(t, box) || !a.ExpiresAt.Equal(at(1).Add(10*time.Minute)) {
		t.Errorf("approved is %+v", a)
	}
	survives(t, approved)
	if when, some := trust.NextSweep(approved); !some || !when.Equal(at(1).Add(10*time.Minute)) {
		t.Errorf("the next sweep is at %v, %v", when, some)
	}
	if swept := trust.Sweep(approved, at(1).Add(10*time.Minute)); swept.Handover != nil {
		t.Error("an approval that is over is kept")
	}
	if same := must(t)(trust.CancelApproval(lead)); same != lead {
		t.Error("cancelling nothing is a change")
	}
	rotated := must(t)(trust.Rotate(lead, make([]byte, 32), at(1)))
	for name, c := range map[string]struct {
		err, want error
	}{
		"nobody":             {last(trust.Approve(lead, "sun", at(1))), trust.ErrNoMember},
		"not followed":       {last(trust.Approve(newFarm(t).takenOver(t, 1), "box", at(1))), trust.ErrNotEnrolled},
		"an old secret":      {last(trust.Approve(rotated, "box", at(1))), trust.ErrStaleSecret},
		"a member":           {last(trust.Approve(newFarm(t).box, "box", at(1))), trust.ErrNotLead},
		"a member's cancel":  {last(trust.CancelApproval(newFarm(t).box)), trust.ErrNotLead},
		"while it rotates":   {last(trust.HandOver(must(t)(trust.Rotate(must(t)(trust.Approve(lead, "box", at(1))), make([]byte, 32), at(1))), fp(t, box), nil, owner(t, barn), at(1))), trust.ErrRotating},
		"a member's handing": {last(trust.HandOver(newFarm(t).box, fp(t, box), nil, owner(t, barn), at(1))), trust.ErrNotLead},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
}

func TestRepeatedClaimGetsTheSameBytesUntilTheNewLeadHasCalled(t *testing.T) {
	t.Parallel()
	former := newFarm(t).handedOver(t)
	want, err := json.Marshal(former.HandedOver)
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/crew.json"
	if err := open(t, path).Update(set(former)); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(open(t, path).Crew().HandedOver); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after a restart it is %s, want %s", got, want)
	}
	for name, c := range map[string]struct {
		number     byte
		generation uint64
	}{"another node": {cart, 3}, "of the generation before": {box, 2}} {
		if next := must(t)(trust.HandoverConfirmed(former, fp(t, c.number), c.generation)); next != former {
			t.Errorf("%s confirms it", name)
		}
	}
	next := must(t)(trust.HandoverConfirmed(former, fp(t, box), 3))
	if next.HandedOver != nil || len(next.ToTell) != 2 {
		t.Errorf("confirmed it is %+v", next)
	}
	survives(t, next)
	if again := must(t)(trust.HandoverConfirmed(next, fp(t, box), 3)); again != next {
		t.Error("confirmed again, it is a change")
	}
}

func TestFormerLeadTellsEachMemberUntilItKnows(t *testing.T) {
	t.Parallel()
	former := newFarm(t).handedOver(t)
	for i, number := range []byte{atlas, cart} {
		former = must(t)(trust.Told(former, fp(t, number)))
		if len(former.ToTell) != 1-i || former.Grade(fp(t, number)) != trust.GradeNone {
			t.Errorf("told node %d, it has to tell %v", number, former.ToTell)
		}
	}
	if again := must(t)(trust.Told(former, fp(t, cart))); again != former {
		t.Error("told again, it is a change")
	}
	// It follows on, and goes on telling those who are left.
	former = newFarm(t).handedOver(t)
	further := must(t)(trust.Follow(former, drawn(t, "box=cart@9"), trust.Hint{}, fp(t, barn)))
	if len(further.ToTell) != 1 || further.ToTell[0].ID != "atlas" || further.HandedOver != nil || !further.ForgetDevices {
		t.Errorf("it follows on as %+v", further)
	}
	survives(t, further)
}

func TestWhoHasNotConfirmedIsNotHandedOn(t *testing.T) {
	t.Parallel()
	lead := invited(t, must(t)(trust.Approve(unnamed(newFarm(t).barn), "box", at(1))), "new", at(1))
	lead, _, err := trust.Admit(lead, admission(t, "new", 4, "new"), at(1))
	former := must(t)(trust.HandOver(must(t)(lead, err), fp(t, box), nil, owner(t, barn), at(1)))
	heir := must(t)(trust.TakeHandover(newFarm(t).box, *former.HandedOver, owner(t, box), at(1)))
	if former.Grade(fp(t, 4)) != trust.GradeNone || heir.Grade(fp(t, 4)) != trust.GradeNone || len(heir.RetiredIDs) != 1 || heir.RetiredIDs[0] != "new" {
		t.Errorf("it is known to %+v and %+v", former.ToTell, heir.RetiredIDs)
	}
}

func TestHandoverIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	handed := *f.handedOver(t).HandedOver
	content := handed.Bundle.Content
	handover := func(number byte, change func(*statement.Handover)) statement.Signed {
		return signed(t, number, edit(statement.Handover{
			CrewID: statement.CrewID{1}, Generation: 3, NewLead: "box", NewLeadFingerprint: fp(t, box), At: at(1),
		}, change))
	}
	bundle := func(number byte, change func(*statement.Bundle)) trust.SignedBundle {
		return trust.SignedBundle{Content: content, Signed: signed(t, number, edit(statement.Bundle{
			CrewID: statement.CrewID{1}, Generation: 3, Deputy: "box", DeputyFingerprint: fp(t, box), Counter: 1, At: at(1),
			Digest: secret.Hash(string(content)), Length: uint64(len(content)),
		}, change))}
	}
	same := func(*statement.Handover) {}
	for name, c := range map[string]struct {
		handover statement.Signed
		bundle   trust.SignedBundle
		want     error
	}{
		"not signed by the pinned lead": {handover(atlas, same), handed.Bundle, trust.ErrNotSigned},
		"signed by itself":              {handover(box, same), handed.Bundle, trust.ErrNotSigned},
		"no handover":                   {signed(t, barn, said(t)), handed.Bundle, trust.ErrChainLink},
		"of another crew":               {handover(barn, func(h *statement.Handover) { h.CrewID[0] = 2 }), handed.Bundle, trust.ErrOtherCrew},
		"to another certificate":        {handover(barn, func(h *statement.Handover) { h.NewLeadFingerprint = fp(t, cart) }), handed.Bundle, trust.ErrChainLink},
		"to another id":                 {handover(barn, func(h *statement.Handover) { h.NewLead = "cart" }), handed.Bundle, trust.ErrChainLink},
		"of a generation that is known": {handover(barn, func(h *statement.Handover) { h.Generation = 2 }), handed.Bundle, trust.ErrSuperseded},
		"with a bundle of the deputy":   {handed.Handover, bundle(atlas, as), trust.ErrNotSigned},
		"with one for somebody else":    {handed.Handover, bundle(barn, func(b *statement.Bundle) { b.Deputy = "cart" }), trust.ErrBundleAudience},
		"with one of another time":      {handed.Handover, bundle(barn, func(b *statement.Bundle) { b.Generation = 2 }), trust.ErrBundleAudience},
		"with another content":          {handed.Handover, trust.SignedBundle{Signed: handed.Bundle.Signed, Content: []byte("{}")}, trust.ErrBundleContent},
		"with no bundle":                {handed.Handover, trust.SignedBundle{}, trust.ErrNotSigned},
	} {
		storesNothing(t, name, f.box, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeHandover(old, trust.Handed{Handover: c.handover, Bundle: c.bundle}, owner(t, box), at(2))
		})
	}
	storesNothing(t, "at another member", f.cart, trust.ErrChainLink, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeHandover(old, handed, owner(t, cart), at(2))
	})
	storesNothing(t, "at a lead", f.barn, trust.ErrNotMember, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeHandover(old, handed, owner(t, barn), at(2))
	})
}

// The lead goes round the crew and comes back: nobody is lost, no id is minted
// twice, and no list of devices outlives its role.
func TestLeadGoesRoundAndNothingIsLost(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	crews := map[byte]*trust.Crew{barn: unnamed(f.barn), atlas: f.atlas, box: f.box, cart: f.cart}
	lead := byte(barn)
	for i, next := range []byte{box, cart, barn, box, barn} {
		approved := must(t)(trust.Approve(crews[lead], names[next], at(1)))
		former := must(t)(trust.HandOver(approved, fp(t, next), devices, owner(t, lead), at(1)))
		heir := must(t)(trust.TakeHandover(crews[next], *former.HandedOver, owner(t, next), at(1)))
		crews[lead], crews[next] = former, must(t)(trust.Adopted(heir))
		for number, c := range crews {
			if number != lead && number != next {
				crews[number] = must(t)(trust.Follow(c, former.Chain, trust.Hint{}, fp(t, number)))
			}
		}
		lead = next
		for number, c := range crews {
			if number != lead {
				crews[lead] = must(t)(trust.Repinned(crews[lead], fp(t, number), c.Generation))
				crews[lead] = must(t)(trust.Confirm(crews[lead], fp(t, number), 1))
			}
		}
		leads := 0
		for number, c := range crews {
			survives(t, c)
			if c.Role == trust.RoleLead {
				leads++
			} else if c.Lead.Fingerprint != fp(t, lead) {
				t.Errorf("round %d: node %d follows %s", i, number, c.Lead.ID)
			}
			if want := uint64(3 + i); c.Generation != want {
				t.Errorf("round %d: node %d is in generation %d, want %d", i, number, c.Generation, want)
			}
		}
		if leads != 1 || len(crews[lead].Members) != 3 {
			t.Errorf("round %d: %d lead, of %d members", i, leads, len(crews[lead].Members))
		}
	}
	c := crews[lead]
	if got := fmt.Sprint(c.SelfID, c.Devices(), c.StaleDevices()); got != "barncrew-devices.json[devices.json]" {
		t.Errorf("in the end it is %s", got)
	}
}
