package standby_test

import (
	"crypto/rand"
	"errors"
	"testing"

	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
	"collie/node/site"
	"collie/standby"
	"collie/standby/door"
)

func TestAHigherWarrantStopsTheDeputyWhichStoresIt(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	w.sever("juno", "atlas") // it hears neither that it is named no more, nor that it is again
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := atlas.standby.NameDeputy(t.Context(), "juno", ""); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	w.silence("atlas")
	if !juno.standby.View().Armed {
		t.Fatal("not armed")
	}
	held, _ := juno.crew().Warrant.Said()
	_, err := juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "a tap", err, standby.ErrSuperseded)
	if now, _ := juno.crew().Warrant.Said(); now.Generation != held.Generation+2 || juno.crew().Role != trust.RoleMember {
		t.Errorf("juno holds the generation %d as %s", now.Generation, juno.crew().Role)
	}
	_, err = juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "without the bundle of that warrant", err, door.ErrCold)
}

func TestADeputyThatWasReplacedHearsItFromTheMembers(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	w.sever("juno", "atlas")
	w.pass(beat)
	if _, err := w.nodes["atlas"].standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.nodes["atlas"].standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	w.silence("atlas")
	_, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "the deputy before", err, door.ErrCold)
	if said, _ := w.nodes["juno"].crew().Warrant.Said(); said.Deputy != "iris" {
		t.Errorf("it takes %q for the deputy", said.Deputy)
	}
	if _, err := w.nodes["iris"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Errorf("the deputy now: %v", err)
	}
}

func TestABundleForSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno, iris := w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"]
	other := func(recipient string, signer statement.Signer) []byte {
		t.Helper()
		_, made, err := trust.NextBundle(atlas.crew(), nil, signer, w.now)
		if err != nil {
			t.Fatal(err)
		}
		data, err := made.Seal(recipient)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before := w.snapshot()
	for name, c := range map[string]struct {
		to   *machine
		data []byte
	}{
		"sealed for another key":        {juno, other(iris.key.Recipient(), atlas.id)},
		"signed by another member":      {juno, other(juno.key.Recipient(), iris.id)},
		"to a member that is no deputy": {iris, other(iris.key.Recipient(), atlas.id)},
		"no bundle":                     {juno, []byte("hello")},
	} {
		_, err := w.calls(atlas, c.to, standby.RouteBundle, standby.BundleCall{Sealed: c.data})
		if !errors.Is(err, standby.ErrStatement) && !errors.Is(err, standby.ErrNotDeputy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.unchanged("bundles", before)
}

// A signature that left before it was stored could be followed, after a restart,
// by another one of the same generation.
func TestARevocationLeavesTheLeadOnceItIsStored(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	atlas.disk.Fail("write", false)
	naming, err := atlas.standby.RevokeDeputy(t.Context())
	if !errors.As(err, new(*trust.UnsavedError)) || naming.Stored["juno"] || naming.Stored["iris"] {
		t.Errorf("on a full disk: %+v, %v", naming, err)
	}
	if said, _ := atlas.crew().Warrant.Said(); !said.NamesNobody() {
		t.Error("the one who was revoked is deputy still")
	}
	w.pass(2 * beat)
	if said, _ := juno.crew().Warrant.Said(); said.NamesNobody() {
		t.Error("juno holds what the lead has not stored")
	}
	atlas.disk.Heal()
	if err := atlas.store.Flush(); err != nil {
		t.Fatal(err)
	}
	w.pass(2 * beat)
	if said, _ := juno.crew().Warrant.Said(); !said.NamesNobody() {
		t.Error("stored, the revocation has not reached juno")
	}
}

func TestARevokedDeviceIsNotBroughtBack(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	atlas.devices = append(atlas.devices[:1:1], trust.Device{Label: "new", Token: secret.Hash(secret.NewToken(rand.Reader)), CreatedAt: w.now})
	if deputy, owed := atlas.standby.Owed(); deputy != "juno" || !owed {
		t.Errorf("before the bundle is there: %q, %v", deputy, owed)
	}
	w.pass(beat)
	if _, owed := atlas.standby.Owed(); owed {
		t.Error("the deputy has it")
	}
	w.silence("atlas")
	_, err := w.nodes["juno"].standby.Authenticate("old")
	refused(t, "the revoked device", err, site.ErrNotPaired)
}
