package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"collie/cmd/collie/remote"
)

func TestDocumentsOfACrew(t *testing.T) {
	t.Parallel()
	lead, member := begin(t, "COLLIE_LABEL=atlas"), begin(t)
	invite := lead.must(t, "crew", "invite", "--address", "127.0.0.1:7", "--address", "localhost:8")
	fields(t, "crew invite", invite, "token", "addresses", "fingerprint", "expiresAt", "join")
	aTime(t, "invite.expiresAt", at[any](t, invite, "expiresAt"))
	if at[string](t, invite, "addresses", 1) != "localhost:8" || at[string](t, invite, "join") != "collie crew join 127.0.0.1:7 -" {
		t.Errorf("the invite is %v", invite)
	}
	status := lead.must(t, "status")
	fields(t, "status", status, statusFields...)
	fields(t, "status.crew", at[any](t, status, "crew"), crewFields...)
	null(t, at[any](t, status, "crew"), "deputy")

	joined := member.mustWith(t, at[string](t, invite, "token"), "crew", "join", at[string](t, status, "mesh", "listen"), "-", "--label", "Juno's box")
	fields(t, "crew join", joined, "crewId", "crewName", "memberId", "lead")
	if at[string](t, joined, "memberId") != "juno-s-box" || at[string](t, joined, "lead") != "atlas" {
		t.Errorf("joined as %v", joined)
	}
	if mode := at[string](t, member.must(t, "status"), "mode"); mode != "member" {
		t.Errorf("the mode after a join is %q", mode)
	}
	for _, m := range []*machine{lead, member} {
		var crew any
		eventually(t, "two reachable nodes", func() bool {
			crew = m.must(t, "crew", "status")
			return len(at[[]any](t, crew, "members")) == 2 && at[string](t, crew, "members", 1, "state") == "reachable"
		})
		fields(t, "crew status", crew, "crew", "deputy", "unheard", "handover", "members")
		fields(t, "crew status.crew", at[any](t, crew, "crew"), "id", "name", "role", "memberId", "generation")
		null(t, crew, "deputy", "handover")
		for i := range 2 {
			row := at[any](t, crew, "members", i)
			fields(t, "a member", row, memberFields...)
			null(t, row, "warrantGeneration", "hint", "reason")
		}
		peer := at[any](t, crew, "members", 1)
		aTime(t, "lastSeenAt", at[any](t, peer, "lastSeenAt"))
		if via := at[string](t, peer, "via"); via != "quic" {
			t.Errorf("via %q", via)
		}
		_ = at[float64](t, peer, "rttMs")
	}
	rotated := lead.must(t, "crew", "rotate")
	fields(t, "crew rotate", rotated, "secretGeneration", "members")
	told := at[any](t, rotated, "members", 0)
	fields(t, "crew rotate.members", told, "memberId", "delivered", "reason")
	null(t, told, "reason")
	if at[float64](t, rotated, "secretGeneration") != 2 || !at[bool](t, told, "delivered") {
		t.Errorf("rotated: %v", rotated)
	}
	if _, stderr, code := member.run(t, "", "crew", "rotate"); code != exitWrongState || !strings.Contains(stderr, "does not lead its crew") {
		t.Errorf("a member rotates: exit %d, %q", code, stderr)
	}
	fields(t, "crew rename", lead.must(t, "crew", "rename", "juno-s-box", "Juno"), "ok")
	fields(t, "crew rename", lead.must(t, "crew", "rename", "stable"), "ok")
	found := member.must(t, "reconnect", at[string](t, status, "mesh", "listen"))
	fields(t, "reconnect", found, "lead", "addresses")
	if at[string](t, found, "lead") != "atlas" || at[string](t, found, "addresses", 0) != at[string](t, status, "mesh", "listen") {
		t.Errorf("reconnected: %v", found)
	}
	eventually(t, "the new names", func() bool {
		crew := member.must(t, "crew", "status")
		return at[string](t, crew, "crew", "name") == "stable" && at[string](t, crew, "members", 0, "label") == "Juno"
	})
	placed := lead.must(t, "crew", "set-address", "juno-s-box", "127.0.0.1:9")
	fields(t, "crew set-address", placed, "memberId", "addresses")
	if addresses := at[[]any](t, placed, "addresses"); len(addresses) != 1 || addresses[0] != "127.0.0.1:9" {
		t.Errorf("placed: %v", placed)
	}
	if addresses := at[[]any](t, lead.must(t, "crew", "set-address", "juno-s-box"), "addresses"); len(addresses) != 0 {
		t.Errorf("after it was forgotten: %v", addresses)
	}
	for args, want := range map[string]struct {
		m    *machine
		code int
		says string
	}{
		"crew rename juno-s-box Juno":   {member, exitWrongState, "does not lead its crew"},
		"crew rename nobody Juno":       {lead, exitFailed, "no machine of that name"},
		"crew rename juno-s-box a/b":    {lead, exitUsage, "not a label"},
		"crew set-address nobody h:1":   {lead, exitFailed, "no machine of that name"},
		"crew set-address juno-s-box h": {lead, exitUsage, "did you mean h:8788?"},
		"reconnect":                     {lead, exitWrongState, "no member of a crew"},
	} {
		if stdout, stderr, code := want.m.run(t, "", strings.Fields(args)...); code != want.code || stdout != "" || !strings.Contains(stderr, want.says) {
			t.Errorf("%s: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	fields(t, "crew leave", member.must(t, "crew", "leave"), "ok")

	// What the operator said of the addresses outlives a restart.
	if err := lead.stop(); err != nil {
		t.Fatalf("%v\n%s", err, lead.log())
	}
	again, err := start(lead.home, "COLLIE_LABEL=atlas")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.end)
	invite = again.must(t, "crew", "invite")
	if at[string](t, invite, "addresses", 0) != "127.0.0.1:7" {
		t.Errorf("after a restart the addresses are %v", at[any](t, invite, "addresses"))
	}
}

func TestTheDocumentOfAnAddition(t *testing.T) {
	t.Parallel()
	document, err := json.Marshal(remote.Added{})
	if err != nil {
		t.Fatal(err)
	}
	fields(t, "crew add", decode(t, string(document)), "target", "memberId", "crewId", "crewName", "program", "copied", "started", "joined")
}

func TestDocumentsOfMessages(t *testing.T) {
	t.Parallel()
	m := begin(t)
	id := at[string](t, m.must(t, "pane", "new", "--harness", "agent", "--", "cat"), "id")
	var session any
	eventually(t, "a session", func() bool {
		sessions := m.must(t, "walky", "who").([]any)
		if len(sessions) == 1 {
			session = sessions[0]
		}
		return session != nil
	})
	fields(t, "walky who", session, sessionFields...)
	address := at[string](t, session, "address")
	if at[string](t, session, "pane") != id || !strings.HasPrefix(address, id+"#") {
		t.Errorf("the session is %v", session)
	}

	_, stderr, code := m.run(t, "", "walky", "inbox", "--wait", "--timeout", "50ms", "--json")
	if code != exitFailed || stderr != "collie: no message came within 50ms\n" {
		t.Errorf("without a message: exit %d, %q", code, stderr)
	}
	earlier := at[string](t, m.must(t, "walky", "send", address, "the build began"), "id")
	waiting := m.begin(t, "walky", "inbox", "--wait", "--after", earlier, "--timeout", "30s", "--json")
	receipt := m.must(t, "walky", "send", address, "the build is green")
	fields(t, "walky send", receipt, "id", "state", "reason")
	null(t, receipt, "reason")
	message := decode(t, waiting())
	fields(t, "walky inbox --wait", message, append([]string{"body", "verified", "attestedBy"}, itemFields...)...)
	null(t, message, "replyTo", "attestedBy")
	if at[string](t, message, "body") != "the build is green" || at[string](t, message, "id") != at[string](t, receipt, "id") {
		t.Errorf("the message is %v", message)
	}
	fields(t, "walky inbox ID", m.must(t, "walky", "inbox", at[string](t, receipt, "id")), append([]string{"body", "verified", "attestedBy"}, itemFields...)...)
	fields(t, "walky inbox", at[any](t, m.must(t, "walky", "inbox"), 0), itemFields...)
	fields(t, "walky log", at[any](t, m.must(t, "walky", "log"), 0), logFields...)
	aTime(t, "log.at", at[any](t, m.must(t, "walky", "log"), 0, "at"))
	shown, _, _ := m.run(t, "", "walky", "inbox", at[string](t, receipt, "id"))
	if !strings.Contains(shown, "the build is green") || !strings.Contains(shown, "participant") {
		t.Errorf("without --json a message is not fenced:\n%s", shown)
	}

	stdout, stderr, code := m.run(t, "", "walky", "cancel", at[string](t, receipt, "id"), "--json")
	if code != exitWrongState || stdout != "" {
		t.Errorf("cancelling what was delivered: exit %d, %q, %q", code, stdout, stderr)
	}
	for args, want := range map[string]int{
		"walky send nowhere x":                          exitFailed,
		"walky inbox 01JD0000000000000000000000":        exitFailed,
		"walky reply 01JD0000000000000000000000 thanks": exitFailed,
		"walky send p999#aaaa x":                        exitRefused,
	} {
		if _, stderr, code := m.run(t, "", strings.Fields(args)...); code != want || !strings.HasPrefix(stderr, "collie: ") {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
}
