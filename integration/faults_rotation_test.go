package integration_test

import (
	"slices"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

func TestAMemberThatWasAwayWhenTheSecretWasRotatedIsUnenrolledAndJoinsAgain(t *testing.T) {
	t.Parallel()
	b := startBench(t, "juno")
	juno := b.members["juno"]
	pane := paneOf(t, b.phone, "juno")
	juno.host.Unplug()
	b.herd.Until(t, "juno is away", func() bool { return b.herd.Shown("juno") == away })

	began := time.Now()
	rotated := harness.JSON[control.Rotated](b.lead.Machine, "crew", "rotate")
	for _, m := range rotated.Members {
		if want := m.MemberID == "iris"; m.Delivered != want || (m.Reason == "") != want {
			t.Errorf("%s: delivered %v, reason %q", m.MemberID, m.Delivered, m.Reason)
		}
	}
	b.keys.press(t)

	juno.host.Plug()
	const unenrolled = "unenrolled stale attention"
	b.await(t, "juno", unenrolled)
	harness.Eventually(t, "juno says so itself", func() bool { return leadOf(juno.Machine) == "unenrolled" })
	members := harness.JSON[control.CrewStatus](b.lead.Machine, "crew", "status").Members
	for _, m := range members {
		if m.SecretCurrent != (m.MemberID != "juno") {
			t.Errorf("%s holds the current secret: %v", m.MemberID, m.SecretCurrent)
		}
	}
	if i := slices.IndexFunc(members, func(m control.CrewMember) bool { return m.MemberID == "juno" }); members[i].State != "unenrolled" {
		t.Errorf("juno is %s in the status of its lead", members[i].State)
	}

	joinCrew(t, b.lead.Machine, juno.Machine)
	b.await(t, "juno", "reachable")
	if leadOf(juno.Machine) != "reachable" || paneOf(t, b.phone, "juno") != pane {
		t.Errorf("juno came back as another machine")
	}
	typeOn(t, b.phone, juno.Machine).press(t)
	if shown := b.herd.Since(began, "iris"); len(shown) > 0 {
		t.Errorf("iris was shown as %v", shown)
	}
}
