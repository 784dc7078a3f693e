package standby_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/api"
	"collie/standby"
)

func conflict(lead string, links ...trust.Change) mesh.Conflict {
	return mesh.Conflict{Lead: mesh.ConflictLead{MemberID: lead, Label: lead}, Generation: 9, Chain: links}
}

func copyOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func restore(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnApprovedMemberIsHandedTheCrewAndEverybodyFollows(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris", "rhea")
	w.nodes["rhea"].stop()
	approval, err := w.nodes["atlas"].standby.Approve("iris")
	if err != nil || approval.MemberID != "iris" {
		t.Fatalf("%+v, %v", approval, err)
	}
	iris := w.nodes["iris"]
	if url, err := iris.standby.Promote(t.Context()); err != nil || url != "https://iris.example" {
		t.Fatalf("%q, %v", url, err)
	}
	w.pass(2 * beat)
	w.leads("after the promotion", "iris")
	if w.nodes["atlas"].crew().HandedOver != nil {
		t.Error("the old lead does not know that the new one leads")
	}
	if len(iris.devices) != 2 || len(iris.crew().Members) != 3 {
		t.Errorf("%d devices, %d members", len(iris.devices), len(iris.crew().Members))
	}
	w.nodes["rhea"].start()
	w.pass(2 * beat)
	w.leads("who was away", "iris")
	if n := len(w.nodes["atlas"].crew().ToTell); n != 0 {
		t.Errorf("the old lead has %d to tell", n)
	}
}

func TestAnUnapprovedClaimGetsTheSameBytesWhoeverIsApproved(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	claim := func(what string) []byte {
		t.Helper()
		before := w.snapshot()
		_, err := w.calls(juno, atlas, standby.RouteHandover, struct{}{})
		refused(t, what, err, standby.ErrNotApproved)
		w.unchanged(what, before)
		data, err := json.Marshal(err)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	nobody := claim("nobody is approved")
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	if other := claim("another one is approved"); !bytes.Equal(other, nobody) {
		t.Errorf("%s is not %s", other, nobody)
	}
	if _, err := atlas.standby.Approve("juno"); err != nil {
		t.Fatal(err)
	}
	w.pass(trust.ApprovalLife)
	if late := claim("the approval has expired"); !bytes.Equal(late, nobody) {
		t.Errorf("%s is not %s", late, nobody)
	}
	if _, err := atlas.standby.Approve("juno"); err != nil {
		t.Fatal(err)
	}
	if err := atlas.standby.CancelApproval(); err != nil {
		t.Fatal(err)
	}
	if cancelled := claim("it was cancelled"); !bytes.Equal(cancelled, nobody) {
		t.Errorf("%s is not %s", cancelled, nobody)
	}
}

func TestARepeatedClaimGetsTheSameBytesAndALostAnswerIsBroughtUnasked(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	claim := func() []byte {
		t.Helper()
		answer, err := w.calls(iris, atlas, standby.RouteHandover, struct{}{})
		w.must(err)
		return answer
	}
	first := claim() // and iris never hears of it
	if atlas.crew().Role != trust.RoleMember {
		t.Fatal("the old lead leads on")
	}
	if again := claim(); !bytes.Equal(again, first) {
		t.Error("the second answer is another one")
	}
	atlas.stop()
	atlas.start()
	if again := claim(); !bytes.Equal(again, first) {
		t.Error("the answer after a crash is another one")
	}
	w.pass(2 * beat)
	w.leads("brought unasked", "iris")
	if atlas.crew().HandedOver != nil {
		t.Error("it is still brought")
	}
}

func TestAPromotionThatADiskRefusesSaysSoAndGoesOnOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	atlas.disk.Fail("write", false)
	if _, err := w.calls(iris, atlas, standby.RouteHandover, struct{}{}); !errors.Is(err, api.ErrCannotStore) {
		t.Errorf("a full disk of the lead: %v", err)
	}
	if atlas.crew().Role != trust.RoleLead {
		t.Fatal("the crew has no lead")
	}
	atlas.disk.Heal()
	iris.disk.Fail("write", false)
	if _, err := iris.standby.Promote(t.Context()); !errors.Is(err, api.ErrCannotStore) {
		t.Errorf("a full disk of who takes it: %v", err)
	}
	iris.disk.Heal()
	if _, err := iris.standby.Promote(t.Context()); err != nil {
		t.Errorf("with room: %v", err)
	}
	w.pass(2 * beat)
	w.leads("with room", "iris")
}

func TestAHandoverThatThePinnedLeadDidNotSignIsRefused(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno, iris := w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"]
	before := w.snapshot()
	signed, err := statement.Sign(juno.id, statement.Handover{
		CrewID: iris.crew().ID, Generation: 9, NewLead: "juno", NewLeadFingerprint: juno.fp(), At: w.now,
	})
	w.must(err)
	chain := []trust.Change{{FormerID: "atlas", FormerCertificate: atlas.id.Certificate(), Handover: &signed, Certificate: juno.id.Certificate()}}
	_, err = w.calls(atlas, iris, standby.RouteHandover, standby.HandoverCall{Chain: chain})
	refused(t, "a forged handover", err, standby.ErrStatement)
	w.unchanged("forged", before)
}

func TestForceFoundsANewCrewWhereNobodyCanTakeOver(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, juno := w.nodes["atlas"], w.nodes["juno"]
	founding := trust.Founding{ID: statement.CrewID{7}, Name: "new", Label: "juno", Secret: bytes.Repeat([]byte{1}, secret.KeySize)}
	refused(t, "with a deputy", juno.standby.Force(t.Context(), founding), standby.ErrHasDeputy)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, "while the lead answers", juno.standby.Force(t.Context(), founding), standby.ErrLeadAlive)
	atlas.stop()
	if err := juno.standby.Force(t.Context(), founding); err != nil {
		t.Fatal(err)
	}
	crew := juno.crew()
	if crew.Role != trust.RoleLead || crew.ID != founding.ID || len(crew.Members) != 0 || len(crew.Chain) != 0 {
		t.Errorf("the crew is %+v", crew)
	}
	if err := juno.standby.SettleDevices(); err != nil || len(juno.devices) != 0 {
		t.Errorf("%d devices, %v", len(juno.devices), err)
	}
	atlas.start()
	w.pass(2 * beat)
	if juno.crew().ID != founding.ID || atlas.crew().Role != trust.RoleLead {
		t.Error("the old lead counts in the new crew")
	}
}

func TestNoGradeMayCallWhatItsRowDoesNotList(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	stranger := w.machine("rhea")
	allowed := map[[3]string]bool{ // caller, callee, route
		{"iris", "atlas", standby.RouteHandover}: true, {"juno", "atlas", standby.RouteHandover}: true,
		{"atlas", "iris", standby.RouteWarrant}: true, {"atlas", "iris", standby.RouteBundle}: true, {"atlas", "iris", standby.RouteHandover}: true,
		{"atlas", "juno", standby.RouteWarrant}: true, {"atlas", "juno", standby.RouteBundle}: true, {"atlas", "juno", standby.RouteHandover}: true,
		{"juno", "iris", standby.RouteTakeover}: true,
		// A deputy before this one is a witness to it, and hears of the newer warrant.
		{"iris", "juno", standby.RouteTakeover}: true,
	}
	for _, from := range []*machine{w.nodes["atlas"], w.nodes["juno"], w.nodes["iris"], stranger} {
		for _, to := range []string{"atlas", "juno", "iris"} {
			for _, route := range []string{standby.RouteWarrant, standby.RouteBundle, standby.RouteTakeover, standby.RouteHandover, "/hello"} {
				_, known, _ := w.nodes[to].standby.Serve(t.Context(), from.fp(), route, json.RawMessage(`{"no":"document"}`))
				if known != allowed[[3]string{from.name, to, route}] {
					t.Errorf("%s calls %s of %s: %v", from.name, route, to, known)
				}
			}
		}
	}
}

// A former lead can tell a member nothing once one of the two is deputy of the
// other's warrant: then the new lead's word on its deputy says who follows.
func TestAFormerLeadNeedNotTellThoseThatTheNewLeadKnows(t *testing.T) {
	t.Parallel()
	for _, deputy := range []string{"atlas", "juno"} {
		w := crewOf(t, "atlas", "juno", "iris")
		atlas, iris := w.nodes["atlas"], w.nodes["iris"]
		w.sever("atlas", "juno")
		if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := atlas.standby.Approve("iris"); err != nil {
			t.Fatal(err)
		}
		if _, err := iris.standby.Promote(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.pass(2 * beat)
		if told := atlas.crew().ToTell; len(told) != 1 || told[0].ID != "juno" {
			t.Fatalf("atlas has to tell %v", told)
		}
		if _, err := iris.standby.NameDeputy(t.Context(), deputy, ""); err != nil {
			t.Fatal(err)
		}
		w.mend("atlas", "juno")
		w.pass(2 * beat)
		if told := atlas.crew().ToTell; len(told) != 0 {
			t.Errorf("with %s as deputy, atlas goes on telling %s", deputy, told[0].ID)
		}
	}
}

func TestALeadThatIsAnOldCopyHandsNothingOverBeforeItHasCountedOn(t *testing.T) {
	t.Parallel()
	w := crewOf(t, "atlas", "juno", "iris")
	atlas, iris := w.nodes["atlas"], w.nodes["iris"]
	old := copyOf(t, atlas.path)
	if _, err := atlas.standby.RevokeDeputy(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.pass(beat)
	atlas.stop()
	restore(t, atlas.path, old)
	atlas.start()
	for _, member := range []string{"juno", "iris"} {
		if err := atlas.hello(w.nodes[member].fp()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := atlas.standby.Approve("iris"); err != nil {
		t.Fatal(err)
	}
	_, err := iris.standby.Promote(t.Context())
	refused(t, "the claim", err, api.ErrCrewUnavailable)
	if role := atlas.crew().Role; role != trust.RoleLead {
		t.Fatalf("the lead is %s", role)
	}
	w.pass(beat)
	if _, err := iris.standby.Promote(t.Context()); err != nil {
		t.Error(err)
	}
	w.pass(2 * beat)
	w.leads("after it has counted on", "iris")
}
