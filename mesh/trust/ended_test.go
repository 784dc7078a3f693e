package trust_test

import (
	"testing"
	"time"

	"collie/crypto/statement"
	"collie/mesh/trust"
)

// Who held a warrant is remembered where that ended, until it has confirmed or
// its warrant is dead, and gains nothing by it.
func TestADeputyThatWasEndedIsRememberedUntilItHasHeardOrItsWarrantIsDead(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	signer := owner(t, barn)
	revoked := must(t)(trust.RevokeDeputy(f.barn, signer, at(1)))
	removed := must(t)(trust.RemoveMember(f.barn, "atlas", signer, at(1)))
	member := took(t, f.box, box, standing(t, revoked), 1)
	follower := must(t)(trust.Follow(f.box, drawn(t, "barn=cart@5"), trust.Hint{}, fp(t, box)))
	for name, c := range map[string]struct {
		crew       *trust.Crew
		grade      trust.Grade
		generation uint64
	}{
		"the lead that revoked it":    {revoked, trust.GradeMember, 3},
		"the lead that removed it":    {removed, trust.GradeEnded, 3},
		"a member":                    {member, trust.GradeEnded, 3},
		"a member that was handed on": {follower, trust.GradeEnded, 5},
	} {
		if got := c.crew.Ended; len(got) != 1 || got[0].ID != "atlas" || got[0].Generation != c.generation || !got[0].Until.Equal(at(30*24)) {
			t.Errorf("%s remembers %+v", name, got)
		}
		if got := c.crew.Grade(fp(t, atlas)); got != c.grade {
			t.Errorf("%s pins it as %q, want %q", name, got, c.grade)
		}
		survives(t, c.crew)
		if next := must(t)(trust.HeardOfItsEnd(c.crew, fp(t, atlas), c.generation-1)); next != c.crew {
			t.Errorf("%s: the generation before confirms it", name)
		}
		if next := must(t)(trust.HeardOfItsEnd(c.crew, fp(t, box), 9)); next != c.crew {
			t.Errorf("%s: another node confirms it", name)
		}
		next := must(t)(trust.HeardOfItsEnd(c.crew, fp(t, atlas), c.generation))
		if len(next.Ended) != 0 {
			t.Errorf("%s: confirmed, it is remembered", name)
		}
		if next := trust.Sweep(c.crew, at(30*24).Add(-time.Millisecond)); len(next.Ended) != 1 {
			t.Errorf("%s forgets it while it could take over", name)
		}
		if next := trust.Sweep(c.crew, at(30*24)); len(next.Ended) != 0 {
			t.Errorf("%s remembers it when its warrant is dead", name)
		}
	}
	again := must(t)(trust.NameDeputy(revoked, "atlas", "", signer, at(2)))
	if len(again.Ended) != 0 {
		t.Error("named again, it is one that was ended")
	}
	if back := took(t, member, box, standing(t, again), 2); len(back.Ended) != 0 || back.Grade(fp(t, atlas)) != trust.GradeDeputy {
		t.Errorf("named again, a member remembers %+v", back.Ended)
	}
	own := took(t, f.atlas, atlas, standing(t, revoked), 1)
	if len(own.Ended) != 0 {
		t.Error("it is to be told by itself")
	}
}

// A removed deputy that joins again is a new member with a new id.
func TestARemovedDeputyJoinsAgainAsANewMember(t *testing.T) {
	t.Parallel()
	removed := invited(t, must(t)(trust.RemoveMember(newFarm(t).barn, "atlas", owner(t, barn), at(1))), "token", at(1))
	next, m, err := trust.Admit(removed, trust.Admission{Token: "token", Certificate: node(t, atlas), Label: "atlas", Own: fp(t, barn)}, at(1))
	if err != nil || m.ID != "atlas-2" || next.Grade(fp(t, atlas)) != trust.GradeUnconfirmed {
		t.Fatalf("it is %q, %v", m.ID, err)
	}
	if err := last(trust.Confirm(removed, fp(t, atlas), 1)); err == nil {
		t.Error("one that was removed is confirmed as a member")
	}
}

func TestOnlySoManyEndedDeputiesAreRemembered(t *testing.T) {
	t.Parallel()
	member := newFarm(t).box
	for i := range uint64(40) {
		number := byte(20 + i%20)
		member = must(t)(trust.TakeWarrant(member, trust.Warrant{
			Signed: signed(t, barn, edit(said(t), func(w *statement.Warrant) {
				w.Generation, w.Deputy, w.DeputyFingerprint = 3+i, "node-"+string('a'+rune(i%20)), fp(t, number)
			})),
			Deputy: &trust.Peer{ID: "node-" + string('a'+rune(i%20)), Label: "x", Fingerprint: fp(t, number), Certificate: node(t, number).DER},
		}, fp(t, box), at(1)))
	}
	if n := len(member.Ended); n != 16 {
		t.Errorf("it remembers %d", n)
	}
	survives(t, member)
}
