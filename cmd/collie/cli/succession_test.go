package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/control"
)

func TestDocumentsOfASuccession(t *testing.T) {
	t.Parallel()
	lead, member := begin(t, "COLLIE_LABEL=atlas", "COLLIE_BEAT_MS=200"), begin(t, "COLLIE_LABEL=juno", "COLLIE_BEAT_MS=200", "COLLIE_STANDBY_PORT=0")
	refuses := func(m *machine, code int, says string, args ...string) {
		t.Helper()
		if stdout, stderr, exit := m.run(t, "", args...); exit != code || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%v: exit %d, %q, %q; want %d with %q", args, exit, stdout, stderr, code, says)
		}
	}
	says := func(m *machine, want string, args ...string) {
		t.Helper()
		if stdout, stderr, exit := m.run(t, "", args...); exit != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%v: exit %d, %q, %q; want %q", args, exit, stdout, stderr, want)
		}
	}
	refuses(lead, exitWrongState, "in no crew", "crew", "deputy", "juno")
	refuses(lead, exitWrongState, "in no crew", "promote")
	refuses(lead, exitWrongState, "in no crew", "promote", "--force")
	invite := lead.must(t, "crew", "invite")
	member.mustWith(t, at[string](t, invite, "token"), "crew", "join", at[string](t, invite, "addresses", 0), "-")
	eventually(t, "the link", func() bool {
		return at[string](t, lead.must(t, "crew", "status"), "members", 1, "state") == "reachable"
	})
	refuses(lead, exitUsage, "standby door", "crew", "deputy", "juno", "--door", "http://desktop.example")
	refuses(lead, exitUsage, "want a member", "crew", "deputy")
	refuses(lead, exitUsage, "want a member", "crew", "deputy", "juno", "--revoke")
	refuses(lead, exitFailed, "no machine of that name", "crew", "deputy", "nobody")
	refuses(lead, exitUsage, "own deputy", "crew", "deputy", "atlas")
	refuses(member, exitWrongState, "does not lead its crew", "crew", "deputy", "juno")
	refuses(member, exitWrongState, "does not lead its crew", "crew", "approve-promote", "juno")
	refuses(member, exitRefused, "has not approved", "promote")
	refuses(lead, exitWrongState, "only a member", "promote")

	named := lead.must(t, "crew", "deputy", "juno", "--door", "https://juno.example")
	fields(t, "crew deputy", named, "generation", "deputy", "members")
	fields(t, "crew deputy.members", at[any](t, named, "members", 0), "memberId", "stored")
	if at[float64](t, named, "generation") != 2 || at[string](t, named, "deputy") != "juno" || !at[bool](t, named, "members", 0, "stored") {
		t.Errorf("named: %v", named)
	}
	if again := lead.must(t, "crew", "deputy", "juno", "--door", "https://juno.example"); at[float64](t, again, "generation") != 2 {
		t.Errorf("named again: %v", again)
	}
	status := lead.must(t, "crew", "status")
	deputy := at[any](t, status, "deputy")
	fields(t, "crew status.deputy", deputy, "memberId", "generation", "refreshedAt", "door", "owed")
	aTime(t, "refreshedAt", at[any](t, deputy, "refreshedAt"))
	if at[string](t, deputy, "memberId") != "juno" || at[string](t, deputy, "door") != "https://juno.example" {
		t.Errorf("the deputy is %v", deputy)
	}
	eventually(t, "the door and the warrant of the deputy", func() bool {
		status := member.must(t, "status")
		fields(t, "status", status, statusFields...)
		held, _ := at[any](t, lead.must(t, "crew", "status"), "members", 1).(map[string]any)["warrantGeneration"].(float64)
		return at[string](t, status, "standby", "state") == "cold" && held == 2 && at[string](t, status, "crew", "deputy") == "juno"
	})
	if url := at[string](t, member.must(t, "status"), "standby", "url"); !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the standby door is at %q", url)
	}
	says(member, "standby     cold, http://127.0.0.1:", "status")
	says(member, "the standby door is cold on http://127.0.0.1:", "doctor")
	says(lead, "No door is named", "crew", "deputy", "juno")
	says(lead, "juno is called Juno now", "crew", "rename", "juno", "Juno")
	says(lead, "the crew is called stable now", "crew", "rename", "stable")
	revoked := lead.must(t, "crew", "deputy", "--revoke")
	if at[float64](t, revoked, "generation") != 3 {
		t.Errorf("revoked: %v", revoked)
	}
	null(t, revoked, "deputy")
	null(t, lead.must(t, "crew", "status"), "deputy")

	approved := lead.must(t, "crew", "approve-promote", "juno")
	fields(t, "crew approve-promote", approved, "memberId", "expiresAt")
	aTime(t, "expiresAt", at[any](t, approved, "expiresAt"))
	fields(t, "crew status.handover", at[any](t, lead.must(t, "crew", "status"), "handover"), "memberId", "expiresAt")
	fields(t, "crew approve-promote --cancel", lead.must(t, "crew", "approve-promote", "--cancel"), "ok")
	refuses(member, exitRefused, "has not approved", "promote")
	lead.must(t, "crew", "approve-promote", "juno")
	promoted := member.must(t, "promote")
	fields(t, "promote", promoted, "crewId", "generation", "url")
	if at[float64](t, promoted, "generation") != 4 {
		t.Errorf("promoted: %v", promoted)
	}
	for m, mode := range map[*machine]string{lead: "member", member: "lead"} {
		eventually(t, "the other role", func() bool { return at[string](t, m.must(t, "status"), "mode") == mode })
	}
	eventually(t, "the old lead as a member", func() bool {
		return at[string](t, member.must(t, "crew", "status"), "members", 1, "state") == "reachable"
	})

	says(lead, "who leads now", "doctor")
	if named := member.must(t, "crew", "deputy", "atlas"); !at[bool](t, named, "members", 0, "stored") {
		t.Errorf("the old lead as deputy: %v", named)
	}
	says(lead, "has no standby door to take over by", "doctor")
	member.must(t, "crew", "deputy", "--revoke")

	refuses(lead, exitRefused, "the lead answers", "promote", "--force")
	if err := member.stop(); err != nil {
		t.Fatal(err)
	}
	key := func() string {
		data, err := os.ReadFile(filepath.Join(lead.home, "state", "identity.pem"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := key()
	forced := lead.must(t, "promote", "--force")
	if key() == before {
		t.Error("the new crew knows this machine by the key of the old one")
	}
	fields(t, "promote --force", forced, "crewId", "generation", "url", "rejoin")
	if at[string](t, forced, "crewId") == at[string](t, promoted, "crewId") {
		t.Error("the new crew has the id of the old one")
	}
	if mode := at[string](t, lead.must(t, "status"), "mode"); mode != "lead" {
		t.Errorf("after it the mode is %q", mode)
	}
}

func TestWhatIsPendingIsSaidInWords(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	printCrew(&out, control.CrewStatus{Members: []control.CrewMember{{MemberID: "juno", State: "unreachable", Reason: "repin_pending", SecretCurrent: true}}})
	if got := out.String(); !strings.Contains(got, "juno: it has not followed this lead yet") || strings.Contains(got, "repin_pending") {
		t.Errorf("crew status says %q", got)
	}
}
