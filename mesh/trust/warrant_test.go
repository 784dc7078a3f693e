package trust_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

// signed signs a statement with a node's key.
func signed(t testing.TB, number byte, k statement.Kind) statement.Signed {
	t.Helper()
	s, err := statement.Sign(owner(t, number), k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// peer is the pin of a node.
func peer(t testing.TB, number byte) *trust.Peer {
	return &trust.Peer{ID: names[number], Label: names[number], Fingerprint: fp(t, number), Certificate: node(t, number).DER}
}

// said is what barn's warrant for atlas says: generation 2, since hour 0.
func said(t testing.TB) statement.Warrant {
	return statement.Warrant{
		CrewID: statement.CrewID{1}, Generation: 2, Lead: "barn", Deputy: "atlas", DeputyFingerprint: fp(t, atlas), IssuedAt: at(0), RefreshedAt: at(0),
	}
}

// warrant is a warrant that barn signed for atlas, but for a change.
func warrant(t testing.TB, change func(*statement.Warrant)) trust.Warrant {
	t.Helper()
	w := said(t)
	change(&w)
	deputy := peer(t, atlas)
	if w.NamesNobody() {
		deputy = nil
	}
	return trust.Warrant{Signed: signed(t, barn, w), Deputy: deputy}
}

func revoked(w *statement.Warrant) {
	w.Generation, w.Deputy, w.DeputyFingerprint = 3, "", identity.Fingerprint{}
}

func TestWarrantIsRefusedByNameAndNothingIsStored(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	holder := took(t, f.box, box, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(2) }), 2)
	after := took(t, holder, box, warrant(t, revoked), 2) // the deputy was revoked
	elsewhere := must(t)(trust.Follow(f.box, f.takenOver(t, 1).Chain, trust.Hint{}, fp(t, box)))
	bad := func(change func(*trust.Warrant)) trust.Warrant {
		w := warrant(t, func(*statement.Warrant) {})
		change(&w)
		return w
	}
	for name, c := range map[string]struct {
		before *trust.Crew
		w      trust.Warrant
		now    time.Time
		want   error
	}{
		"nothing at all":          {holder, trust.Warrant{}, at(2), trust.ErrWarrantShape},
		"another statement":       {holder, bad(func(w *trust.Warrant) { w.Signed = signed(t, barn, statement.Takeover{Generation: 3, At: at(0)}) }), at(2), trust.ErrWarrantShape},
		"cut":                     {holder, bad(func(w *trust.Warrant) { w.Signed.Statement = w.Signed.Statement[:40] }), at(2), trust.ErrWarrantShape},
		"a signature cut":         {holder, bad(func(w *trust.Warrant) { w.Signed.Signature = w.Signed.Signature[:63] }), at(2), trust.ErrWarrantShape},
		"no pin":                  {holder, bad(func(w *trust.Warrant) { w.Deputy = nil }), at(2), trust.ErrWarrantShape},
		"a pin of nobody":         {holder, trust.Warrant{Signed: warrant(t, revoked).Signed, Deputy: peer(t, atlas)}, at(2), trust.ErrWarrantShape},
		"a label of two lines":    {holder, bad(func(w *trust.Warrant) { w.Deputy.Label = "a\nb" }), at(2), trust.ErrWarrantShape},
		"an address that is none": {holder, bad(func(w *trust.Warrant) { w.Deputy.Addresses = []string{"http://x"} }), at(2), trust.ErrWarrantShape},
		"generation zero":         {holder, warrant(t, func(w *statement.Warrant) { w.Generation = 0 }), at(2), trust.ErrWarrantShape},
		"self-naming by id":       {holder, warrant(t, func(w *statement.Warrant) { w.Generation, w.Deputy = 3, "barn" }), at(2), trust.ErrSelfNamed},
		"self-naming by certificate": {holder, trust.Warrant{
			Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Generation, w.DeputyFingerprint = 3, fp(t, barn) })),
			Deputy: &trust.Peer{ID: "atlas", Label: "atlas", Fingerprint: fp(t, barn), Certificate: node(t, barn).DER},
		}, at(2), trust.ErrSelfNamed},
		"foreign crew":         {holder, warrant(t, func(w *statement.Warrant) { w.CrewID[0] = 2 }), at(2), trust.ErrOtherCrew},
		"of another lead":      {holder, warrant(t, func(w *statement.Warrant) { w.Lead = "cart" }), at(2), trust.ErrOtherCrew},
		"forged by a stranger": {holder, bad(func(w *trust.Warrant) { w.Signed = signed(t, alien, said(t)) }), at(2), trust.ErrNotSigned},
		"forged by the deputy": {holder, bad(func(w *trust.Warrant) { w.Signed = signed(t, atlas, said(t)) }), at(2), trust.ErrNotSigned},
		"a bit changed":        {holder, bad(func(w *trust.Warrant) { w.Signed.Signature[9] ^= 1 }), at(2), trust.ErrNotSigned},
		"of the lead before":   {elsewhere, warrant(t, func(w *statement.Warrant) { w.Generation = 9 }), at(2), trust.ErrOtherCrew},
		"another certificate":  {holder, bad(func(w *trust.Warrant) { w.Deputy.Certificate = node(t, cart).DER }), at(2), trust.ErrWarrantCertificate},
		"a broken certificate": {holder, bad(func(w *trust.Warrant) { w.Deputy.Certificate = []byte("x") }), at(2), trust.ErrWarrantCertificate},
		"another fingerprint":  {holder, bad(func(w *trust.Warrant) { w.Deputy.Fingerprint = fp(t, cart) }), at(2), trust.ErrWarrantCertificate},
		"another id beside it": {holder, bad(func(w *trust.Warrant) { w.Deputy.ID = "cart" }), at(2), trust.ErrWarrantCertificate},
		"the receiver's id with another certificate": {holder, trust.Warrant{
			Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Generation, w.Deputy = 3, "box" })),
			Deputy: &trust.Peer{ID: "box", Label: "box", Fingerprint: fp(t, atlas), Certificate: node(t, atlas).DER},
		}, at(2), trust.ErrWarrantCertificate},
		"the receiver's certificate with another id": {holder, trust.Warrant{
			Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Generation, w.DeputyFingerprint = 3, fp(t, box) })),
			Deputy: &trust.Peer{ID: "atlas", Label: "atlas", Fingerprint: fp(t, box), Certificate: node(t, box).DER},
		}, at(2), trust.ErrWarrantCertificate},
		"expired to the millisecond": {f.box, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(1) }), at(1 + 30*24), trust.ErrWarrantDead},
		"future":                     {f.box, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(3).Add(10*time.Minute + time.Millisecond) }), at(3), trust.ErrWarrantFuture},
		"replayed":                   {holder, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(1) }), at(2), trust.ErrReplayed},
		"lower generation":           {holder, warrant(t, func(w *statement.Warrant) { w.Generation, w.RefreshedAt = 1, at(3) }), at(3), trust.ErrSuperseded},
		"of the change itself": {elsewhere, trust.Warrant{
			Signed: signed(t, atlas, edit(said(t), func(w *statement.Warrant) {
				w.Generation, w.Lead, w.Deputy, w.DeputyFingerprint = 3, "atlas", "cart", fp(t, cart)
			})),
			Deputy: peer(t, cart),
		}, at(2), trust.ErrSuperseded},
		"revoked": {after, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(2) }), at(2), trust.ErrRevoked},
		"equivocating: another deputy": {holder, trust.Warrant{
			Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) { w.Deputy, w.DeputyFingerprint, w.RefreshedAt = "cart", fp(t, cart), at(3) })), Deputy: peer(t, cart),
		}, at(3), trust.ErrEquivocation},
		"equivocating: nobody":          {holder, warrant(t, func(w *statement.Warrant) { revoked(w); w.Generation = 2 }), at(3), trust.ErrEquivocation},
		"equivocating: another issue":   {holder, warrant(t, func(w *statement.Warrant) { w.IssuedAt, w.RefreshedAt = at(1), at(3) }), at(3), trust.ErrEquivocation},
		"equivocating: the revoked one": {after, warrant(t, func(w *statement.Warrant) { w.Generation = 3 }), at(2), trust.ErrEquivocation},
	} {
		storesNothing(t, name, c.before, c.want, func(old *trust.Crew) (*trust.Crew, error) {
			return trust.TakeWarrant(old, c.w, fp(t, box), c.now)
		})
	}
}

func edit[K any](k K, change func(*K)) K {
	change(&k)
	return k
}

func TestWarrantIsForMembersAlone(t *testing.T) {
	t.Parallel()
	w := warrant(t, func(*statement.Warrant) {})
	if err := last(trust.TakeWarrant(nil, w, fp(t, box), at(0))); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("a solo node: %v", err)
	}
	if err := last(trust.TakeWarrant(leading(t), w, fp(t, barn), at(0))); !errors.Is(err, trust.ErrNotMember) {
		t.Errorf("the lead itself: %v", err)
	}
}

func TestWhoCannotSignLearnsNothingAboutWhatIsHeld(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	after := took(t, f.box, box, warrant(t, revoked), 0)
	for _, before := range []*trust.Crew{following(t, f.barn, barn, box), f.box, after} {
		for _, generation := range []uint64{1, 2, 3, 4} {
			w := trust.Warrant{Signed: signed(t, alien, edit(said(t), func(w *statement.Warrant) { w.Generation = generation })), Deputy: peer(t, atlas)}
			err := last(trust.TakeWarrant(before, w, fp(t, box), at(0)))
			if !errors.Is(err, trust.ErrNotSigned) || err.Error() != trust.ErrNotSigned.Error()+": "+statement.ErrSignature.Error() {
				t.Errorf("generation %d is answered with %v", generation, err)
			}
		}
	}
}

func TestWarrantPinsItsDeputyUntilAnotherOneIsNamed(t *testing.T) {
	t.Parallel()
	lead := named(t)
	member := following(t, lead, barn, box)
	if got := member.Grade(fp(t, atlas)); got != trust.GradeNone {
		t.Errorf("before the warrant the deputy is %q", got)
	}
	member = took(t, member, box, standing(t, lead), 0)
	if id, grade := member.Pin(fp(t, atlas)); id != "atlas" || grade != trust.GradeDeputy || member.Generation != 2 {
		t.Errorf("with it: %s/%s, generation %d", id, grade, member.Generation)
	}
	if deputy := member.Warrant.Deputy; len(deputy.Addresses) != 1 || deputy.Addresses[0] != "10.0.0.1:8788" || member.Warrant.Door != "" {
		t.Errorf("the deputy's pin is %+v, the door %q", deputy, member.Warrant.Door)
	}
	if again := took(t, member, box, standing(t, lead), 1); again != member {
		t.Error("the same warrant is a change")
	}
	lead = must(t)(trust.NameDeputy(unnamed(lead), "cart", "", owner(t, barn), at(2)))
	member = took(t, member, box, standing(t, lead), 2)
	if got, want := grades(t, member), [5]trust.Grade{trust.GradeLead, trust.GradeEnded, "", trust.GradeDeputy, ""}; got != want || member.Generation != 3 {
		t.Errorf("another deputy: %q, generation %d", got, member.Generation)
	}
	lead = must(t)(trust.RevokeDeputy(lead, owner(t, barn), at(3)))
	member = took(t, member, box, standing(t, lead), 3)
	if got, want := grades(t, member), [5]trust.Grade{trust.GradeLead, trust.GradeEnded, "", trust.GradeEnded, ""}; got != want || member.Generation != 4 || member.Warrant == nil {
		t.Errorf("a revocation is %q, generation %d, warrant %v", got, member.Generation, member.Warrant)
	}
}

func TestRefreshIsTakenAndBoundsAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	member := following(t, leading(t), barn, box)
	early := warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(5).Add(trust.WarrantAhead) })
	if next := took(t, member, box, early, 5); next.Generation != 2 {
		t.Errorf("ten minutes ahead: %+v", next)
	}
	member = took(t, member, box, warrant(t, func(*statement.Warrant) {}), 0)
	late := warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(1) })
	member = must(t)(trust.TakeWarrant(member, late, fp(t, box), at(1+30*24).Add(-time.Millisecond)))
	if held, _ := member.Warrant.Said(); !held.RefreshedAt.Equal(at(1)) || member.Generation != 2 {
		t.Errorf("held is %+v", held)
	}
}

func TestDeadWarrantPinsNobodyAndARefreshBringsThePinBack(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	end := at(30 * 24)
	if at, some := trust.NextSweep(f.box); !some || !at.Equal(end) {
		t.Errorf("the next sweep is at %v, %v", at, some)
	}
	if trust.Sweep(f.box, end.Add(-1)) != f.box {
		t.Error("it is swept too early")
	}
	swept := trust.Sweep(f.box, end)
	if got := swept.Grade(fp(t, atlas)); got != trust.GradeNone || swept.Generation != 2 {
		t.Errorf("swept, the deputy is %q", got)
	}
	if _, some := trust.NextSweep(swept); some || trust.Sweep(swept, end) != swept {
		t.Error("it is swept twice")
	}
	survives(t, swept)
	if err := last(trust.TakeWarrant(swept, standing(t, f.barn), fp(t, box), end)); !errors.Is(err, trust.ErrWarrantDead) {
		t.Errorf("the dead one again: %v", err)
	}
	fresh := must(t)(trust.RefreshWarrant(f.barn, owner(t, barn), end.Add(-time.Hour)))
	if next := must(t)(trust.TakeWarrant(swept, standing(t, fresh), fp(t, box), end)); next.Grade(fp(t, atlas)) != trust.GradeDeputy {
		t.Error("refreshed, it pins nobody")
	}
	// A clock that was ahead for a moment.
	if next := must(t)(trust.TakeWarrant(swept, standing(t, f.barn), fp(t, box), at(1))); next.Grade(fp(t, atlas)) != trust.GradeDeputy {
		t.Error("the same warrant, live again, pins nobody")
	}
}

func TestDeputyKnowsThatItIsNamed(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	if !f.atlas.IsDeputy(fp(t, atlas)) || f.box.IsDeputy(fp(t, box)) || f.barn.IsDeputy(fp(t, barn)) || (*trust.Crew)(nil).IsDeputy(fp(t, atlas)) {
		t.Error("the wrong node is deputy")
	}
	if got, want := grades(t, f.atlas), [5]trust.Grade{trust.GradeLead, "", trust.GradeWitness, trust.GradeWitness, ""}; got != want {
		t.Errorf("the deputy knows %q, want %q", got, want)
	}
	next := took(t, f.atlas, atlas, warrant(t, revoked), 0)
	if next.IsDeputy(fp(t, atlas)) || next.Bundle != nil || next.Grade(fp(t, box)) != trust.GradeNone {
		t.Error("a revoked deputy keeps bundle or witnesses")
	}
}

func TestRefreshKeepsTheBundle(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	next := took(t, f.atlas, atlas, warrant(t, func(w *statement.Warrant) { w.RefreshedAt = at(1) }), 1)
	if next.Bundle == nil || !bytes.Equal(next.Bundle.Sealed, f.atlas.Bundle.Sealed) {
		t.Error("the bundle is gone")
	}
}
