package standby_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
	"collie/node/site"
	"collie/standby"
	"collie/standby/door"
)

// silence kills a lead and lets the door of its deputy arm.
func (w *world) silence(lead string) {
	w.nodes[lead].stop()
	w.pass(arm + beat)
}

func TestADeadLeadsDeputyTakesOverAndEverybodyFollows(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	if view := juno.standby.View(); view.Armed || view.Reason == "" {
		t.Fatalf("the door of a healthy crew is %+v", view)
	}
	ids := map[string]string{}
	for _, m := range atlas.crew().Members {
		ids[m.Label] = m.ID
	}
	w.nodes["rhea"].stop() // it is away
	w.silence("atlas")
	view := juno.standby.View()
	if !view.Armed || view.SilentFor < arm || view.Witnesses != 2 || view.Lead != "atlas" || view.Machine != "juno" {
		t.Fatalf("the door is %+v", view)
	}
	if device, err := juno.standby.Authenticate("good"); device != "pixel" || err != nil {
		t.Errorf("a paired token: %q, %v", device, err)
	}
	_, err := juno.standby.Authenticate("old")
	refused(t, "an expired token", err, site.ErrExpired)
	_, err = juno.standby.Authenticate("bad")
	refused(t, "an unknown token", err, site.ErrNotPaired)

	url, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	if err != nil || url != "https://juno.example" {
		t.Fatalf("the takeover: %q, %v", url, err)
	}
	juno.standby.Wait()
	w.leads("after the tap, without a beat", "juno")
	if got := juno.devices; len(got) != 2 || got[0].Label != "pixel" {
		t.Errorf("the devices are %+v", got)
	}
	if again, err := juno.standby.TakeOver(t.Context(), "pixel", false); again != url || err != nil {
		t.Errorf("a second tap: %q, %v", again, err)
	}
	if view := juno.standby.View(); view.Armed || view.URL != url {
		t.Errorf("afterwards the door is %+v", view)
	}
	w.nodes["rhea"].start()
	w.pass(beat)
	w.leads("who was away", "juno")
	atlas.start()
	w.pass(2 * beat)
	w.leads("the old lead", "juno")
	for _, m := range juno.crew().Members {
		if m.State != trust.StateEnrolled {
			t.Errorf("%s is %s", m.ID, m.State)
		}
		if want, was := ids[m.Label]; was && want != m.ID || m.Label == "atlas" && m.ID != "atlas" {
			t.Errorf("%s has the id %s now", m.Label, m.ID)
		}
	}
	if len(juno.crew().Members) != 3 || len(atlas.forgot) == 0 {
		t.Errorf("%d members; the old lead forgot %v", len(juno.crew().Members), atlas.forgot)
	}
}

func TestATakeoverIsRefusedByNameAndChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		setUp func(*world)
		alone bool
		want  error
	}{
		{"the lead is well", func(w *world) { w.pass(arm) }, false, door.ErrCold},
		{"the lead answers, though it does not call", func(w *world) {
			w.sever("atlas", "juno")
			w.sever("atlas", "iris")
			w.pass(arm + beat)
			w.mend("atlas", "juno")
			w.now = w.now.Add(6 * time.Second) // the try that failed counts no more
		}, true, standby.ErrLeadAlive},
		{"one member hears the lead", func(w *world) { w.sever("atlas", "juno"); w.pass(arm + beat) }, false, standby.ErrLeadSeen},
		{"one member hears the lead, and a second tap", func(w *world) { w.sever("atlas", "juno"); w.pass(arm + beat) }, true, standby.ErrLeadSeen},
		{"no member answers", func(w *world) { w.sever("juno", "iris"); w.silence("atlas") }, false, standby.ErrNoWitness},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := crewOf(t, "atlas", "juno", "iris")
			c.setUp(w)
			before := w.snapshot()
			_, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", c.alone)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			w.unchanged(c.name, before)
		})
	}
}

func TestOnlyTheSecondTapGoesOnWithoutAWitness(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.sever("juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"].standby
	_, err := juno.TakeOver(t.Context(), "pixel", false)
	refused(t, "the first tap", err, standby.ErrNoWitness)
	if _, err := juno.TakeOver(t.Context(), "pixel", true); err != nil {
		t.Errorf("the second tap: %v", err)
	}
	w.mend("juno", "iris")
	w.pass(beat)
	w.leads("with the network back", "juno")
}

func TestACrewOfTwoNeedsNoWitness(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno")
	w.silence("atlas")
	juno := w.nodes["juno"].standby
	if view := juno.View(); !view.Armed || view.Witnesses != 0 {
		t.Errorf("the door is %+v", view)
	}
	if _, err := juno.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Error(err)
	}
	w.nodes["atlas"].start()
	w.pass(2 * beat)
	w.leads("the old lead back", "juno")
}

func TestADoorWithoutDevicesOrBundleIsCold(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.nodes["atlas"].devices = nil
	w.pass(beat)
	w.silence("atlas")
	view := w.nodes["juno"].standby.View()
	if view.Armed || view.Reason != "No phone is paired with the crew." {
		t.Errorf("without devices the door is %+v", view)
	}
}

func TestOneCallOfTheLeadDisarmsAtOnce(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	if !juno.standby.View().Armed {
		t.Fatal("not armed")
	}
	juno.standby.Heard(w.nodes["atlas"].fp(), 1)
	if juno.standby.View().Armed {
		t.Error("armed after a call of the lead")
	}
	_, err := juno.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "a tap", err, door.ErrCold)
}

func TestAMemberThatIsNotTheDeputyCannotTakeOver(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	iris, juno := w.nodes["iris"], w.nodes["juno"]
	before := w.snapshot()
	_, err := iris.standby.TakeOver(t.Context(), "pixel", true)
	refused(t, "a tap on another member", err, door.ErrCold)
	call, err := json.Marshal(standby.TakeoverCall{Phase: standby.PhaseProbe, Warrant: juno.crew().Warrant})
	if err != nil {
		t.Fatal(err)
	}
	// A witness may ask the deputy, which tells it nothing: its warrant names another.
	_, _, err = juno.standby.Serve(t.Context(), iris.fp(), standby.RouteTakeover, call)
	refused(t, "a probe of a witness at the deputy", err, standby.ErrNotDeputy)
	if call, err = json.Marshal(standby.TakeoverCall{Phase: standby.PhaseCommit}); err != nil {
		t.Fatal(err)
	}
	_, _, err = juno.standby.Serve(t.Context(), iris.fp(), standby.RouteTakeover, call)
	refused(t, "a commit of a witness at the deputy", err, standby.ErrNotDeputy)
	// The deputy of the warrant shows a chain that iris signed for itself.
	forged, err := statement.Sign(iris.id, statement.Takeover{
		CrewID: iris.crew().ID, Generation: iris.crew().Generation + 1, Warrant: statement.WarrantDigest(juno.crew().Warrant.Signed), At: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	warrant := juno.crew().Warrant.Signed
	chain := []trust.Change{{
		FormerID: "atlas", FormerCertificate: w.nodes["atlas"].id.Certificate(), Warrant: &warrant, Takeover: &forged, Certificate: iris.id.Certificate(),
	}}
	body, err := json.Marshal(standby.TakeoverCall{Phase: standby.PhaseCommit, Chain: chain})
	if err != nil {
		t.Fatal(err)
	}
	_, known, err := iris.standby.Serve(t.Context(), juno.fp(), standby.RouteTakeover, body)
	if !known {
		t.Fatal("the deputy may not call")
	}
	refused(t, "a forged commit", err, standby.ErrStatement)
	w.unchanged("forged", before)
}

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
		body, err := json.Marshal(standby.BundleCall{Sealed: c.data})
		if err != nil {
			t.Fatal(err)
		}
		_, known, err := c.to.standby.Serve(t.Context(), atlas.fp(), standby.RouteBundle, body)
		if !known || !errors.Is(err, standby.ErrStatement) && !errors.Is(err, standby.ErrNotDeputy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.unchanged("bundles", before)
}

// The pin of a dead warrant goes with the next sweep; until then its deputy can
// call, and is refused.
func TestATakeoverByADeadWarrantIsNotObeyed(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	juno, iris := w.nodes["juno"], w.nodes["iris"]
	b, err := trust.OpenBundle(juno.crew(), juno.key)
	w.must(err)
	lead, err := trust.TakeOver(juno.crew(), b, juno.id, w.now)
	w.must(err)
	body, err := json.Marshal(standby.TakeoverCall{Phase: standby.PhaseCommit, Chain: lead.Chain})
	w.must(err)
	before := w.snapshot()
	w.now = w.now.Add(trust.WarrantLife + time.Hour)
	if _, known, err := iris.standby.Serve(t.Context(), juno.fp(), standby.RouteTakeover, body); !known || !errors.Is(err, standby.ErrStatement) {
		t.Errorf("a month later: %v", err)
	}
	w.unchanged("a dead warrant", before)
	w.now = w.now.Add(-trust.WarrantLife - time.Hour)
	if _, _, err := iris.standby.Serve(t.Context(), juno.fp(), standby.RouteTakeover, body); err != nil || iris.crew().Lead.Fingerprint != juno.fp() {
		t.Errorf("while it lives: %v", err)
	}
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

// A crash just before the decision is stored has changed nothing; one just after
// it leaves a lead that goes on by itself.
func TestACrashAroundTheDecision(t *testing.T) {
	t.Parallel()
	for _, persists := range []bool{false, true} {
		w := crewOf(t, "atlas", "juno", "iris")
		w.silence("atlas")
		juno := w.nodes["juno"]
		juno.disk.Fail("rename", persists)
		_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
		refused(t, "the disk refuses", err, standby.ErrNotStored)
		if role := juno.crew().Role; role != trust.RoleMember {
			t.Errorf("in memory juno is %s", role)
		}
		juno.disk.Heal()
		juno.stop()
		juno.start()
		want := trust.RoleMember
		if persists {
			want = trust.RoleLead
		}
		if got := juno.crew().Role; got != want {
			t.Fatalf("started again, with a write that persisted %v, juno is %s", persists, got)
		}
		if persists {
			w.pass(beat)
			w.leads("after the crash", "juno")
			if len(juno.devices) != 2 {
				t.Errorf("%d devices", len(juno.devices))
			}
		}
	}
}

func TestADecisionWhoseDevicesWaitForTheDiskIsCarriedOnByTheNextTap(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	juno := w.nodes["juno"]
	juno.full = true
	_, err := juno.standby.TakeOver(t.Context(), "pixel", false)
	refused(t, "the first tap", err, standby.ErrNotOpen)
	if crew := juno.crew(); crew.Role != trust.RoleLead || crew.Inherited == nil {
		t.Errorf("juno is %s", crew.Role)
	}
	if view := juno.standby.View(); !view.Armed || view.URL != "" {
		t.Errorf("the door is %+v", view)
	}
	if device, err := juno.standby.Authenticate("good"); device != "pixel" || err != nil {
		t.Errorf("the phone at the door: %q, %v", device, err)
	}
	juno.full = false
	if url, err := juno.standby.TakeOver(t.Context(), "pixel", false); err != nil || url != "https://juno.example" {
		t.Errorf("the next tap: %q, %v", url, err)
	}
	w.pass(beat)
	w.leads("afterwards", "juno")
}

func TestOnlyALeadThatWasAwayFromARotationIsParkedForIt(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	if _, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	atlas := w.nodes["atlas"]
	atlas.start()
	atlas.turnedAway = true
	w.pass(2 * beat)
	if role := atlas.crew().Role; role != trust.RoleMember {
		t.Fatalf("after a moment it is %s", role)
	}
	w.pass(3 * beat)
	if crew := atlas.crew(); crew.Role != trust.RoleDeposed || crew.Parked != trust.ParkedStranded {
		t.Errorf("the old lead is %s, %s", crew.Role, crew.Parked)
	}
	iris := w.nodes["iris"]
	iris.turnedAway = true
	w.pass(4 * beat)
	if role := iris.crew().Role; role != trust.RoleMember {
		t.Errorf("a member is %s", role)
	}
}

func TestALeadOfAnotherTimeIsDeposedByWhatItSigned(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	w.silence("atlas")
	if _, err := w.nodes["juno"].standby.TakeOver(t.Context(), "pixel", false); err != nil {
		t.Fatal(err)
	}
	// juno goes away at once; iris has followed, and tells the old lead.
	w.nodes["juno"].standby.Wait()
	w.nodes["juno"].stop()
	atlas := w.nodes["atlas"]
	atlas.start()
	w.pass(beat)
	if crew := atlas.crew(); crew.Role != trust.RoleMember || crew.Lead.ID != "juno" {
		t.Errorf("the old lead is %s of %+v", crew.Role, crew.Lead)
	}
}

func TestAnUnprovenClaimDeposesNobody(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	before := w.snapshot()
	iris := w.nodes["iris"]
	warrant := w.nodes["juno"].crew().Warrant.Signed
	forged, err := statement.Sign(iris.id, statement.Handover{
		CrewID: iris.crew().ID, Generation: 9, NewLead: "iris", NewLeadFingerprint: iris.fp(), At: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]trust.Change{
		"a warrant without the takeover": {Warrant: &warrant, Certificate: w.nodes["juno"].id.Certificate()},
		"a handover of another key":      {Handover: &forged, Certificate: iris.id.Certificate()},
		"nothing":                        {Certificate: iris.id.Certificate()},
	} {
		link.FormerID, link.FormerCertificate = "atlas", w.nodes["atlas"].id.Certificate()
		w.nodes["atlas"].standby.Conflicted("iris", conflict("iris", link))
		w.unchanged(name, before)
	}
}

func TestARolledBackLeadCountsOnFromItsOwnWarrant(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas := w.nodes["atlas"]
	old := copyOf(t, atlas.path)
	if _, err := atlas.standby.NameDeputy(t.Context(), "iris", ""); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	high := atlas.crew().Generation
	atlas.stop()
	restore(t, atlas.path, old)
	atlas.start()
	if atlas.crew().Generation >= high {
		t.Fatal("not rolled back")
	}
	w.pass(2 * beat)
	if said, _ := atlas.crew().Warrant.Said(); atlas.crew().Generation < high || said.Deputy != "iris" {
		t.Errorf("generation %d, deputy %q", atlas.crew().Generation, said.Deputy)
	}
	if _, err := atlas.standby.NameDeputy(t.Context(), "juno", ""); err != nil {
		t.Fatal(err)
	}
	if got := atlas.crew().Generation; got != high+2 { // the revocation of iris comes between
		t.Errorf("the next warrant has the generation %d, want %d", got, high+2)
	}
}

func TestMembersHearThatTheDeputyIsFoundElsewhere(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	w.must(atlas.store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.SetAddresses(old, "juno", []string{"juno.example:8788"})
	}))
	w.pass(beat)
	if got := iris.crew().Warrant.Deputy.Addresses; len(got) != 2 || got[0] != "juno.example:8788" {
		t.Errorf("iris looks for the deputy at %q", got)
	}
	old := copyOf(t, iris.path)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	iris.stop()
	restore(t, iris.path, old)
	iris.start()
	w.pass(2 * beat)
	if said, _ := iris.crew().Warrant.Said(); !said.NamesNobody() {
		t.Error("a member whose state is an old copy does not hear of the revocation")
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
