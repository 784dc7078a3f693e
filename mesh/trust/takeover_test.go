package trust_test

import (
	"errors"
	"slices"
	"testing"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestTakeoverIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	b, err := trust.OpenBundle(f.atlas, f.key)
	if err != nil {
		t.Fatal(err)
	}
	rejoined := must(t)(trust.Join(f.atlas, trust.Joined{
		ID: f.atlas.ID, Name: f.atlas.Name, Generation: 5, Secret: f.atlas.Secret, SecretGeneration: 1, Self: f.atlas.Self, Lead: *f.atlas.Lead,
	}))
	for name, c := range map[string]struct {
		before *trust.Crew
		number byte
		hour   int
		want   error
	}{
		"by a member that is not the deputy": {f.box, box, 1, trust.ErrNotDeputy},
		"by a deputy that was revoked":       {took(t, f.atlas, atlas, warrant(t, revoked), 0), atlas, 1, trust.ErrNotDeputy},
		"with another certificate":           {f.atlas, alien, 1, trust.ErrNotDeputy},
		"by an expired warrant":              {f.atlas, atlas, 30 * 24, trust.ErrWarrantDead},
		"by one from the future":             {f.atlas, atlas, -1, trust.ErrWarrantFuture},
		"without a bundle":                   {f.withoutBundle(t), atlas, 1, trust.ErrNoBundle},
		"by a warrant that was superseded":   {rejoined, atlas, 1, trust.ErrSuperseded},
		"by the lead":                        {f.barn, barn, 1, trust.ErrNotMember},
	} {
		storesNothing(t, name, c.before, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeOver(old, b, owner(t, c.number), at(c.hour))
		})
	}
	if err := last(trust.TakeOver(nil, b, owner(t, atlas), at(1))); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
	// A roster by which nobody could lead is refused by the store itself.
	b.Members[1].ID = "barn"
	storesNothing(t, "with a broken roster", f.atlas, trust.ErrInvalid, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.TakeOver(old, b, owner(t, atlas), at(1))
	})
}

func TestTakeoverKeepsEveryMemberAndUsesNoIDTwice(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	f.barn = must(t)(trust.RemoveMember(f.barn, "cart", nil, at(0)))
	var data []byte
	f.barn, data = sealedBundle(t, f.barn, barn, f.key, devices)
	f.atlas = must(t)(trust.TakeBundle(f.atlas, data, f.key, fp(t, atlas)))
	lead := f.takenOver(t, 1)
	var ids []string
	for _, m := range lead.Members {
		ids = append(ids, m.ID)
		if m.State != trust.StateRepinPending {
			t.Errorf("%s is %s", m.ID, m.State)
		}
	}
	if !slices.Equal(ids, []string{"box", "barn"}) || !slices.Equal(lead.RetiredIDs, []string{"cart"}) {
		t.Errorf("it leads %v, retired %v", ids, lead.RetiredIDs)
	}
	for _, label := range []string{"cart", "barn", "atlas"} {
		next := invited(t, lead, "new", at(1))
		_, m, err := trust.Admit(next, admission(t, "new", 4, label+"!"), at(1)) // the labels are taken, too
		if err != nil || m.ID != label+"-2" {
			t.Errorf("label %q got the id %q, %v", label, m.ID, err)
		}
	}
	if lead.Inherited == nil || len(lead.Invites) != 0 || lead.Handover != nil || lead.Bundled != nil || lead.ToTell != nil {
		t.Errorf("left behind: %+v", lead)
	}
}

func TestMemberThatHasNotFollowedMayDoNothingYet(t *testing.T) {
	t.Parallel()
	lead := newFarm(t).takenOver(t, 1)
	for name, c := range map[string]struct {
		number     byte
		generation uint64
		want       error
	}{
		"it follows the lead before": {box, 2, trust.ErrRepinPending},
		"it claims nothing":          {box, 0, trust.ErrRepinPending},
		"a stranger":                 {alien, 3, trust.ErrNoMember},
	} {
		storesNothing(t, name, lead, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.Repinned(old, fp(t, c.number), c.generation)
		})
	}
	storesNothing(t, "a hello alone", lead, trust.ErrRepinPending, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Confirm(old, fp(t, box), 1)
	})
	next := must(t)(trust.Repinned(lead, fp(t, box), 3))
	if again := must(t)(trust.Repinned(next, fp(t, box), 3)); again != next {
		t.Error("followed again, it is a change")
	}
	next = must(t)(trust.Confirm(next, fp(t, box), 1))
	if m, _ := next.Member("box"); m.State != trust.StateEnrolled || m.SecretGeneration != 1 {
		t.Errorf("it is %+v", m)
	}
	// It is never forgotten, however long it stays away.
	if _, some := trust.NextSweep(lead); some || trust.Sweep(lead, at(1000)) != lead {
		t.Error("a member that is away is swept")
	}
	// A rolled-back member claims less than the lead that it follows has counted.
	storesNothing(t, "a rolled-back member", next, trust.ErrRepinPending, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Repinned(old, fp(t, box), 2)
	})
}

func TestRolledBackMemberFollowsAgainByTheChain(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	lead := f.takenOver(t, 1)
	for _, restored := range []*trust.Crew{f.box, following(t, f.barn, barn, box)} {
		next := must(t)(trust.Follow(restored, lead.Chain, trust.Hint{}, fp(t, box)))
		if next.Generation != 3 || next.Lead.ID != "atlas" {
			t.Errorf("it follows %s in generation %d", next.Lead.ID, next.Generation)
		}
	}
}

func TestProbeIsAnsweredToTheDeputyOfTheWarrantAlone(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	stale := standing(t, f.barn)
	f.barn = must(t)(trust.RefreshWarrant(f.barn, owner(t, barn), at(1)))
	holder := took(t, f.box, box, standing(t, f.barn), 1)
	after := took(t, holder, box, warrant(t, revoked), 1)
	for name, c := range map[string]struct {
		crew   *trust.Crew
		w      trust.Warrant
		caller byte
		hour   int
		want   error
	}{
		"the deputy":                 {holder, standing(t, f.barn), atlas, 2, nil},
		"with an older refresh":      {holder, stale, atlas, 2, nil},
		"of a warrant not held yet":  {following(t, f.barn, barn, box), stale, atlas, 2, nil},
		"another member":             {holder, standing(t, f.barn), cart, 2, trust.ErrNotDeputy},
		"an expired warrant":         {holder, stale, atlas, 30 * 24, trust.ErrWarrantDead},
		"a revoked one":              {after, standing(t, f.barn), atlas, 2, trust.ErrRevoked},
		"a forged one":               {holder, trust.Warrant{Signed: signed(t, atlas, said(t)), Deputy: peer(t, atlas)}, atlas, 2, trust.ErrNotSigned},
		"a superseded one":           {holder, warrant(t, func(w *statement.Warrant) { w.Generation = 1 }), atlas, 2, trust.ErrSuperseded},
		"at the lead, which answers": {f.barn, stale, atlas, 2, trust.ErrNotMember},
	} {
		if err := trust.Probe(c.crew, c.w, fp(t, c.caller), fp(t, box), at(c.hour)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestSecondTakeoverHangsOnTheFirst(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	lead := f.takenOver(t, 1)
	lead = must(t)(trust.Adopted(lead))
	lead = must(t)(trust.Confirm(must(t)(trust.Repinned(lead, fp(t, box), 3)), fp(t, box), 1))
	lead = must(t)(trust.NameDeputy(lead, "box", "", owner(t, atlas), at(2)))
	key := newKey(t)
	deputy := must(t)(trust.Follow(f.box, lead.Chain, trust.Hint{}, fp(t, box)))
	deputy = took(t, deputy, box, standing(t, lead), 2)
	lead, data := sealedBundle(t, lead, atlas, key, devices[:1])
	deputy = must(t)(trust.TakeBundle(deputy, data, key, fp(t, box)))
	b, err := trust.OpenBundle(deputy, key)
	if err != nil {
		t.Fatal(err)
	}
	second := must(t)(trust.TakeOver(deputy, b, owner(t, box), at(3)))
	if second.Generation != 5 || len(second.Chain) != 2 || len(second.Members) != 3 {
		t.Errorf("the second lead is %+v", second)
	}
	survives(t, second)
	// Who was away through both, and the first lead, walk to the end.
	away := must(t)(trust.Follow(f.cart, second.Chain, trust.Hint{}, fp(t, cart)))
	first := must(t)(trust.Depose(f.barn, second.Chain, trust.Hint{}, node(t, barn)))
	middle := must(t)(trust.Depose(lead, second.Chain, trust.Hint{}, node(t, atlas)))
	for _, c := range []*trust.Crew{away, first, middle} {
		if c.Lead.ID != "box" || c.Generation != 5 || c.Role != trust.RoleMember {
			t.Errorf("%s follows %s in generation %d", c.SelfID, c.Lead.ID, c.Generation)
		}
		survives(t, c)
	}
	if middle.ForgetDevices || middle.StaleDevices()[0] != trust.DevicesCrew {
		t.Error("the devices of its solo days are forgotten")
	}
}
