package trust_test

import (
	"errors"
	"testing"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestClaimThatProvesNothingChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	lead := must(t)(trust.NameDeputy(unnamed(f.barn), "box", "", owner(t, barn), at(1))) // generation 3
	back := f.handedOver(t)
	heir := must(t)(trust.TakeHandover(f.box, *back.HandedOver, owner(t, box), at(1)))
	heir = must(t)(trust.Confirm(must(t)(trust.Repinned(heir, fp(t, barn), 3)), fp(t, barn), 1))
	heir = must(t)(trust.Approve(heir, "barn", at(1)))
	returned := must(t)(trust.HandOver(heir, fp(t, barn), devices, owner(t, box), at(1)))
	again := must(t)(trust.TakeHandover(back, *returned.HandedOver, owner(t, barn), at(1))) // barn, generation 4
	warrantOnly := drawn(t, "barn>box@4")
	warrantOnly[0].Takeover = nil
	for name, c := range map[string]struct {
		before *trust.Crew
		chain  []trust.Change
		want   error
	}{
		"nothing":                            {lead, nil, trust.ErrNoProof},
		"a chain of another lead":            {lead, drawn(t, "atlas=cart@9"), trust.ErrNoProof},
		"the warrant alone":                  {lead, warrantOnly, trust.ErrNoTakeover},
		"a takeover by the deputy before":    {lead, drawn(t, "barn>atlas@3"), trust.ErrSuperseded},
		"a takeover that nobody has signed":  {lead, edit(drawn(t, "barn>box@4"), func(c *[]trust.Change) { (*c)[0].Takeover.Signature[3] ^= 1 }), trust.ErrNotSigned},
		"a handover that it has not signed":  {lead, edit(drawn(t, "barn=box@4"), func(c *[]trust.Change) { (*c)[0].Handover.Signature[3] ^= 1 }), trust.ErrNotSigned},
		"a takeover by who was never named":  {lead, edit(drawn(t, "barn>box@4"), func(c *[]trust.Change) { (*c)[0].Certificate = node(t, cart).DER }), trust.ErrNotSigned},
		"of another crew":                    {lead, edit(drawn(t, "barn=box@4"), foreign(t)), trust.ErrOtherCrew},
		"the handover that its chain holds":  {again, again.Chain, trust.ErrSuperseded},
		"a handover of its time before":      {again, drawn(t, "barn=cart@2"), trust.ErrSuperseded},
		"too long":                           {lead, make([]trust.Change, trust.MaxChain+1), trust.ErrChainLong},
		"at a member, which follows instead": {f.box, drawn(t, "barn>atlas@3"), trust.ErrNotLead},
	} {
		storesNothing(t, name, c.before, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.Depose(old, c.chain, trust.Hint{}, node(t, barn))
		})
	}
}

func foreign(t testing.TB) func(*[]trust.Change) {
	return func(c *[]trust.Change) {
		s := signed(t, barn, statement.Handover{CrewID: statement.CrewID{2}, Generation: 4, NewLead: "box", NewLeadFingerprint: fp(t, box), At: at(1)})
		(*c)[0].Handover = &s
	}
}

func TestProofDeposesWhateverTheClockTheSecretAndTheRestOfTheChain(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	rotated := must(t)(trust.Rotate(f.barn, make([]byte, 32), at(1)))
	broken := drawn(t, "barn>atlas@3 atlas=cart@4")
	broken[1].Handover.Signature[0] ^= 1
	for name, c := range map[string]struct {
		before     *trust.Crew
		chain      []trust.Change
		lead       string
		generation uint64
	}{
		"the takeover of its deputy":     {f.barn, drawn(t, "barn>atlas@3"), "atlas", 3},
		"rolled back before the warrant": {leading(t), drawn(t, "barn>atlas@3"), "atlas", 3},
		"of a higher generation":         {f.barn, drawn(t, "barn>cart@9"), "cart", 9},
		"a handover it does not know":    {f.barn, drawn(t, "barn=box@3"), "box", 3},
		"rolled back, it has counted on": {must(t)(trust.NameDeputy(unnamed(f.barn), "box", "", owner(t, barn), at(1))), drawn(t, "barn=cart@2"), "cart", 2},
		"behind other links":             {f.barn, drawn(t, "cart=barn@2 barn>atlas@3 atlas=box@4"), "box", 4},
		"before a broken link":           {f.barn, broken, "atlas", 3},
		"with another secret":            {rotated, drawn(t, "barn>atlas@3"), "atlas", 3},
	} {
		next := must(t)(trust.Depose(c.before, c.chain, trust.Hint{}, node(t, barn)))
		if next.Role != trust.RoleMember || next.Lead.ID != c.lead || next.Generation != c.generation || next.Lead.Fingerprint != fp(t, numberOf(t, c.lead)) {
			t.Errorf("%s: it follows %+v in generation %d", name, next.Lead, next.Generation)
		}
		if len(next.Members)+len(next.Invites)+len(next.RetiredIDs) != 0 || next.Warrant != nil || next.Bundled != nil || next.Rotation != nil || !next.ForgetDevices || next.Devices() != "" {
			t.Errorf("%s: something of the lead is left: %+v", name, next)
		}
		for _, p := range next.ToTell {
			if p.ID == c.lead || p.ID == "barn" {
				t.Errorf("%s: it tells %s who leads", name, p.ID)
			}
		}
		if len(next.ToTell) < 1 || len(next.Chain) == 1 && len(next.ToTell) != 2 {
			t.Errorf("%s: it tells %d", name, len(next.ToTell))
		}
		survives(t, next)
	}
}

func TestProofThatNamesANodeNeverEnrolledParksTheLead(t *testing.T) {
	t.Parallel()
	without := must(t)(trust.RemoveMember(leading(t), "atlas", nil, at(0)))
	next := must(t)(trust.Depose(without, drawn(t, "barn>atlas@3"), trust.Hint{Label: "Atlas"}, node(t, barn)))
	if next.Role != trust.RoleDeposed || next.Parked != trust.ParkedUnknown || next.Lead.Label != "Atlas" || len(next.ToTell) != 0 || !next.ForgetDevices {
		t.Errorf("it is %+v", next)
	}
	if got := grades(t, next); got != [5]trust.Grade{} {
		t.Errorf("parked, it knows %q", got)
	}
	for range next.Peers() {
		t.Error("parked, it has peers")
	}
	survives(t, next)
	for name, change := range map[string]func(*trust.Crew) (*trust.Crew, error){
		"follows": func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Follow(c, drawn(t, "barn>atlas@9"), trust.Hint{}, fp(t, barn))
		},
		"is deposed": func(c *trust.Crew) (*trust.Crew, error) {
			return trust.Depose(c, drawn(t, "barn>box@9"), trust.Hint{}, node(t, barn))
		},
		"warrants": func(c *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(c, standing(t, named(t)), fp(t, barn), at(0))
		},
		"invites": func(c *trust.Crew) (*trust.Crew, error) {
			n, _, err := trust.AddInvite(c, [32]byte{1}, at(0))
			return n, err
		},
	} {
		if next, err := change(next); err == nil {
			t.Errorf("parked, it %s: %+v", name, next)
		}
	}
}

func TestStrandedFormerLeadIsParkedAndJoinsAgain(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	former := must(t)(trust.Depose(f.barn, drawn(t, "barn>atlas@3"), trust.Hint{}, node(t, barn)))
	parked := must(t)(trust.Strand(former, node(t, barn)))
	if parked.Role != trust.RoleDeposed || parked.Parked != trust.ParkedStranded || parked.Lead.ID != "atlas" || len(parked.ToTell) != 0 {
		t.Errorf("it is %+v", parked)
	}
	survives(t, parked)
	if again := must(t)(trust.Strand(parked, node(t, barn))); again != parked {
		t.Error("stranded again, it is a change")
	}
	storesNothing(t, "a member that never led", f.box, trust.ErrNoProof, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Strand(old, node(t, box))
	})
	joined := trust.Joined{
		ID: parked.ID, Name: "farm", Generation: 4, Secret: make([]byte, 32), SecretGeneration: 2, Self: trust.Self{SelfID: "barn-2", SelfLabel: "barn"}, Lead: *parked.Lead,
	}
	member := must(t)(trust.Join(parked, joined))
	if member.Role != trust.RoleMember || member.Parked != "" || member.Generation != 4 || !member.ForgetDevices || len(member.Chain) != 1 {
		t.Errorf("joined again it is %+v", member)
	}
	survives(t, member)
	joined.Lead = *peer(t, cart)
	if err := last(trust.Join(parked, joined)); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("parked, it joins another lead: %v", err)
	}
	if err := last(trust.Leave(parked)); !errors.Is(err, trust.ErrDevicesLeft) {
		t.Errorf("parked, it leaves with what it paired: %v", err)
	}
	if next, err := trust.Leave(must(t)(trust.Forgotten(parked))); next != nil || err != nil {
		t.Errorf("parked, it leaves: %v, %v", next, err)
	}
}

func TestMemberThatJoinsAgainForgetsNoWarrantThatItHasSeen(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	after := took(t, f.box, box, warrant(t, revoked), 0)
	again := must(t)(trust.Join(after, trust.Joined{
		ID: after.ID, Name: "farm", Generation: 1, Secret: make([]byte, 32), SecretGeneration: 2, Self: after.Self, Lead: *after.Lead,
	}))
	storesNothing(t, "a revoked warrant after joining again", again, trust.ErrRevoked, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeWarrant(old, standing(t, f.barn), fp(t, box), at(0))
	})
}
