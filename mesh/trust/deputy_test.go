package trust_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestNamingCountsUpAndARepeatSignsNothing(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	lead := named(t)
	for _, hour := range []int{0, 1, 29 * 24} {
		if next := must(t)(trust.NameDeputy(lead, "atlas", "https://door.example", signer, at(hour))); next != lead {
			t.Errorf("naming it again at hour %d is a change", hour)
		}
	}
	moved := must(t)(trust.NameDeputy(lead, "atlas", "https://other.example", signer, at(1)))
	if moved.Generation != 2 || moved.Warrant.Door != "https://other.example" || string(moved.Warrant.Signed.Statement) != string(lead.Warrant.Signed.Statement) {
		t.Errorf("another door is %+v", moved.Warrant)
	}
	steps := []struct {
		change func(*trust.Crew) (*trust.Crew, error)
		want   string
	}{
		{func(c *trust.Crew) (*trust.Crew, error) {
			return trust.NameDeputy(unnamed(c), "box", "", signer, at(2))
		}, "3 box"},
		{func(c *trust.Crew) (*trust.Crew, error) {
			return trust.NameDeputy(unnamed(c), "atlas", "", signer, at(2))
		}, "4 atlas"},
		{func(c *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(c, signer, at(2)) }, "5 "},
		{func(c *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(c, signer, at(3)) }, "5 "},
		{func(c *trust.Crew) (*trust.Crew, error) { return trust.NameDeputy(c, "atlas", "", signer, at(3)) }, "6 atlas"},
		// It is dead by now.
		{func(c *trust.Crew) (*trust.Crew, error) { return trust.NameDeputy(c, "atlas", "", signer, at(3+30*24)) }, "7 atlas"},
	}
	for _, step := range steps {
		lead = must(t)(step.change(lead))
		w, err := statement.OpenWarrant(lead.Warrant.Signed, signer.PublicKey())
		if got := string('0'+rune(lead.Generation)) + " " + w.Deputy; err != nil || got != step.want || w.Generation != lead.Generation || w.Lead != "barn" {
			t.Errorf("got %s (%+v, %v), want %s", got, w, err, step.want)
		}
		survives(t, lead)
	}
}

func TestNamingIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	lead := leading(t)
	joining := invited(t, lead, "new", start)
	joining, _, err := trust.Admit(joining, admission(t, "new", 4, "new"), start)
	joining = must(t)(joining, err)
	rotated := must(t)(trust.Rotate(lead, make([]byte, 32), start))
	for name, c := range map[string]struct {
		before *trust.Crew
		id     string
		door   string
		want   error
	}{
		"the lead itself":       {lead, "barn", "", trust.ErrSelfNamed},
		"nobody of that name":   {lead, "sun", "", trust.ErrNoMember},
		"who has not confirmed": {joining, "new", "", trust.ErrNotEnrolled},
		"who has not followed":  {newFarm(t).takenOver(t, 1), "box", "", trust.ErrNotEnrolled},
		"who has an old secret": {rotated, "atlas", "", trust.ErrStaleSecret},
		"a door without TLS":    {lead, "atlas", "http://door.example", trust.ErrDoorURL},
		"while another stands":  {named(t), "box", "", trust.ErrDeputyStands},
		"on a member":           {following(t, lead, barn, atlas), "atlas", "", trust.ErrNotLead},
	} {
		storesNothing(t, name, c.before, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.NameDeputy(old, c.id, c.door, signer, at(1))
		})
	}
	if err := last(trust.NameDeputy(nil, "atlas", "", signer, at(1))); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
}

func TestDoorIsAnOriginThatABrowserTrusts(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"", "https://door.example", "https://door.example:8443/", "http://localhost:8790", "http://127.0.0.1:8790", "http://[::1]:8790"} {
		if err := trust.CheckDoor(door); err != nil {
			t.Errorf("%q: %v", door, err)
		}
	}
	for _, door := range []string{
		"door.example", "http://door.example", "http://10.0.0.1", "ftp://door.example", "javascript:alert(1)", "https://", "https:///x", "https://a@door.example",
		"https://door.example/x", "https://door.example?x", "https://door.example/?", "https://door.example#x", "https://door.example\n", " https://door.example",
		"https://" + strings.Repeat("a", trust.MaxDoorURL), "http://localhost.door.example",
	} {
		if err := trust.CheckDoor(door); !errors.Is(err, trust.ErrDoorURL) {
			t.Errorf("%q: %v", door, err)
		}
	}
}

func TestRefreshIsAtMostHourlyAndNeverOfADeadWarrant(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	lead := named(t)
	for _, now := range []time.Time{at(0), at(1).Add(-1), at(-1).Add(50 * time.Minute)} {
		if next := must(t)(trust.RefreshWarrant(lead, signer, now)); next != lead {
			t.Errorf("at %v it is refreshed", now)
		}
	}
	next := must(t)(trust.RefreshWarrant(lead, signer, at(1)))
	w, err := statement.OpenWarrant(next.Warrant.Signed, signer.PublicKey())
	if want := edit(said(t), func(w *statement.Warrant) { w.RefreshedAt = at(1) }); err != nil || w != want || next.Generation != 2 || next.Warrant.Door != "https://door.example" {
		t.Errorf("refreshed it is %+v, %v", w, err)
	}
	storesNothing(t, "dead", lead, trust.ErrWarrantDead, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RefreshWarrant(old, signer, at(30*24))
	})
	storesNothing(t, "from the future", lead, trust.ErrWarrantFuture, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RefreshWarrant(old, signer, at(-1))
	})
	changed := *lead
	changed.Warrant = &trust.Warrant{Signed: signed(t, alien, edit(said(t), func(w *statement.Warrant) { w.Deputy = "cart" }))}
	storesNothing(t, "what it has not signed", &changed, trust.ErrNotSigned, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RefreshWarrant(old, signer, at(1))
	})
	revocation := must(t)(trust.RevokeDeputy(lead, signer, at(1)))
	if next := must(t)(trust.RefreshWarrant(revocation, signer, at(2))); next == revocation {
		t.Error("a revocation is not kept alive")
	}
	plain := leading(t)
	if next := must(t)(trust.RefreshWarrant(plain, signer, at(2))); next != plain {
		t.Error("where nobody was named, something is refreshed")
	}
}

func TestRemovingTheDeputyRevokesItsWarrantInTheSameStep(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	lead := must(t)(trust.Approve(newFarm(t).barn, "atlas", at(0)))
	next := must(t)(trust.RemoveMember(lead, "atlas", signer, at(1)))
	w, err := statement.OpenWarrant(next.Warrant.Signed, signer.PublicKey())
	if err != nil || !w.NamesNobody() || w.Generation != 3 || next.Generation != 3 || next.Bundled != nil {
		t.Errorf("the warrant is %+v, %v", w, err)
	}
	if _, found := next.Member("atlas"); found || next.Handover != nil || len(next.RetiredIDs) != 1 {
		t.Errorf("left behind: %+v", next)
	}
	survives(t, next)
	other := must(t)(trust.RemoveMember(lead, "box", signer, at(1)))
	if other.Generation != 2 || other.Handover == nil {
		t.Error("removing another member revokes the deputy or the approval")
	}
}

func TestRolledBackLeadCountsOnFromAWarrantOfItsOwnKey(t *testing.T) {
	t.Parallel()
	signer := owner(t, barn)
	old := leading(t) // what was restored
	shown := trust.Warrant{Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Generation = 7 })), Deputy: peer(t, atlas)}
	next := must(t)(trust.CountOn(old, shown, node(t, barn)))
	if held, _ := next.Warrant.Said(); next.Generation != 7 || held.Deputy != "atlas" || next.Warrant.Deputy != nil {
		t.Errorf("it counts on as %+v", next.Warrant)
	}
	survives(t, next)
	if further := must(t)(trust.NameDeputy(unnamed(next), "box", "", signer, at(1))); further.Generation != 8 {
		t.Errorf("the next generation is %d", further.Generation)
	}
	// The copy is from before that deputy joined.
	without := must(t)(trust.RemoveMember(old, "atlas", nil, at(0)))
	next = must(t)(trust.CountOn(without, shown, node(t, barn)))
	if w, _ := next.StandingWarrant(); w.Deputy == nil || w.Deputy.Fingerprint != fp(t, atlas) || next.Grade(fp(t, atlas)) != trust.GradeNone {
		t.Errorf("an unknown deputy is %+v", w.Deputy)
	}
	survives(t, next)

	lead := named(t)
	for name, c := range map[string]struct {
		w    trust.Warrant
		want error
	}{
		"no warrant":            {trust.Warrant{}, trust.ErrWarrantShape},
		"by another key":        {trust.Warrant{Signed: signed(t, atlas, edit(said(t), func(w *statement.Warrant) { w.Generation = 7 })), Deputy: peer(t, atlas)}, trust.ErrNotSigned},
		"of another crew":       {warrant(t, func(w *statement.Warrant) { w.Generation, w.CrewID[0] = 7, 2 }), trust.ErrOtherCrew},
		"of a lower generation": {warrant(t, func(w *statement.Warrant) { w.Generation = 1 }), trust.ErrNotHigher},
		"the one that it has":   {standing(t, lead), trust.ErrNotHigher},
		"two of one generation": {trust.Warrant{Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Deputy, w.DeputyFingerprint = "cart", fp(t, cart) })), Deputy: peer(t, cart)}, trust.ErrEquivocation},
		"with another's pin":    {trust.Warrant{Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Generation, w.Deputy, w.DeputyFingerprint = 7, "sun", fp(t, alien) })), Deputy: peer(t, cart)}, trust.ErrWarrantCertificate},
	} {
		storesNothing(t, name, lead, c.want, func(old *trust.Crew) (*trust.Crew, error) { return trust.CountOn(old, c.w, node(t, barn)) })
	}
}

func TestGenerationsThatAreUsedUpAreRefused(t *testing.T) {
	t.Parallel()
	lead := must(t)(trust.CountOn(leading(t), warrant(t, func(w *statement.Warrant) { w.Generation = 1 << 62 }), node(t, barn)))
	storesNothing(t, "naming", lead, trust.ErrGenerations, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.NameDeputy(unnamed(old), "box", "", owner(t, barn), at(1))
	})
	storesNothing(t, "handing over", must(t)(trust.Approve(lead, "box", at(1))), trust.ErrGenerations, func(old *trust.Crew) (*trust.Crew, error) {
		return trust.HandOver(old, fp(t, box), nil, owner(t, barn), at(1))
	})
}
