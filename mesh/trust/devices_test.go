package trust_test

import (
	"errors"
	"fmt"
	"testing"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestEachRoleHasItsListOfDevices(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	former := f.handedOver(t)
	heir := must(t)(trust.TakeHandover(f.box, *former.HandedOver, owner(t, box), at(1)))
	taken := f.takenOver(t, 1)
	deposed := must(t)(trust.Depose(heir, drawn(t, "box=cart@9"), trust.Hint{}, node(t, box)))
	forced := must(t)(trust.Force(following(t, f.barn, barn, box), founding(), at(1)))
	for name, c := range map[string]struct {
		crew *trust.Crew
		want string
	}{
		"solo":                    {nil, "devices.json [crew-devices.json]"},
		"the founder":             {f.barn, "devices.json [crew-devices.json]"},
		"a member":                {f.box, " [crew-devices.json]"},
		"a lead by takeover":      {taken, "crew-devices.json []"},
		"a lead by handover":      {heir, "crew-devices.json []"},
		"a lead by force":         {forced, "crew-devices.json []"},
		"a founder that handed":   {former, " [crew-devices.json devices.json]"},
		"an heir that is no more": {deposed, " [crew-devices.json]"},
	} {
		if got := fmt.Sprint(c.crew.Devices(), " ", c.crew.StaleDevices()); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if done := must(t)(trust.Forgotten(former)); done.ForgetDevices || len(done.StaleDevices()) != 1 {
		t.Error("forgotten, a list is stale still")
	}
	for _, c := range []*trust.Crew{nil, f.box} {
		if next := must(t)(trust.Forgotten(c)); next != c {
			t.Error("forgetting nothing is a change")
		}
	}
	if done := must(t)(trust.Adopted(taken)); done.Inherited != nil || done.Devices() != trust.DevicesCrew || must(t)(trust.Adopted(done)) != done {
		t.Errorf("adopted it is %+v", done)
	}
	if err := last(trust.Adopted(f.box)); !errors.Is(err, trust.ErrNotLead) {
		t.Errorf("a member adopts: %v", err)
	}
}

func founding() trust.Founding {
	return trust.Founding{ID: statement.CrewID{8}, Name: "x", Label: "y", Secret: make([]byte, 32)}
}

// What a founder paired is not for the solo node that it becomes.
func TestFormerFounderLeavesOnlyWithoutItsDevices(t *testing.T) {
	t.Parallel()
	former := newFarm(t).handedOver(t)
	storesNothing(t, "leaving", former, trust.ErrDevicesLeft, trust.Leave)
	if next, err := trust.Leave(must(t)(trust.Forgotten(former))); next != nil || err != nil {
		t.Errorf("leaving: %v, %v", next, err)
	}
}

func TestForceStartsAnotherCrewThatNobodyElseIsIn(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	plain := following(t, f.barn, barn, box)
	next := must(t)(trust.Force(plain, founding(), at(1)))
	if next.Role != trust.RoleLead || next.ID != (statement.CrewID{8}) || next.Generation != 1 || next.SecretGeneration != 1 || next.SelfID != "box" || next.Name != "farm" {
		t.Errorf("it leads %+v", next)
	}
	if got := grades(t, next); got != [5]trust.Grade{} || len(next.Chain) != 0 || next.Inherited == nil || len(next.Inherited.Devices) != 0 {
		t.Errorf("it knows %q, chain %v, devices %v", got, next.Chain, next.Inherited)
	}
	survives(t, next)
	if !next.KeyDue || must(t)(trust.KeyDrawn(next)).KeyDue {
		t.Error("it keeps the key of the old crew, or draws one each time")
	}
	// What the old lead signs counts for nothing there.
	if err := last(trust.Depose(next, drawn(t, "barn>atlas@3 atlas=box@4 box=cart@5"), trust.Hint{}, node(t, box))); !errors.Is(err, trust.ErrOtherCrew) {
		t.Errorf("it is deposed by a link of the old crew: %v", err)
	}
	if err := last(trust.Depose(next, drawn(t, "barn>box@3"), trust.Hint{}, node(t, box))); !errors.Is(err, trust.ErrNoProof) {
		t.Errorf("it is deposed by the old lead: %v", err)
	}
	for name, c := range map[string]struct {
		before *trust.Crew
		hour   int
		want   error
	}{
		"where a deputy stands": {f.box, 1, trust.ErrHasDeputy},
		"by the deputy itself":  {f.atlas, 1, trust.ErrHasDeputy},
		"by a lead":             {f.barn, 1, trust.ErrNotMember},
	} {
		storesNothing(t, name, c.before, c.want, func(old *trust.Crew) (*trust.Crew, error) { return trust.Force(old, founding(), at(c.hour)) })
	}
	for _, c := range []*trust.Crew{f.box, took(t, f.box, box, warrant(t, revoked), 0)} {
		if _, err := trust.Force(c, founding(), at(30*24)); err != nil {
			t.Errorf("with a warrant that is dead or revoked: %v", err)
		}
	}
	if err := last(trust.Force(nil, founding(), at(1))); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
}
