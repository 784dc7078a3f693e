package integration_test

import (
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// row is a member in the lead's crew status.
func (c crew) row(t *testing.T, id string) control.CrewMember {
	t.Helper()
	for _, m := range harness.JSON[control.CrewStatus](c.lead, "crew", "status").Members {
		if m.MemberID == id {
			return m
		}
	}
	t.Fatalf("%s is no member", id)
	return control.CrewMember{}
}

// TestARotationWithAMemberAway is what a person does after a machine was stolen:
// who is there goes on, and who was away says on both sides that it has to join
// again, and keeps its id.
func TestARotationWithAMemberAway(t *testing.T) {
	t.Parallel()
	c := startCrew(t)
	phone := c.lead.Pair("pixel")
	pane := paneOf(t, phone, "juno")
	screen := phone.Watch("juno", pane)
	screen.Until(t, "a prompt", func(text string) bool { return strings.Contains(text, "$") })
	c.iris.Stop()
	harness.Eventually(t, "iris is away", func() bool { return c.state("iris") == "unreachable" })

	rotated := harness.JSON[control.Rotated](c.lead, "crew", "rotate")
	if rotated.SecretGeneration != 2 || len(rotated.Members) != 2 {
		t.Fatalf("rotated: %+v", rotated)
	}
	for _, m := range rotated.Members {
		if want := m.MemberID == "juno"; m.Delivered != want || want != (m.Reason == "") {
			t.Errorf("told: %+v", m)
		}
	}
	typeLine(t, phone, "juno", pane, "echo still $((40 + 2)) here")
	screen.Until(t, "the stream that was open before", func(text string) bool { return strings.Contains(text, "still 42 here") })

	c.iris.Start()
	harness.Eventually(t, "iris is unenrolled", func() bool { return c.state("iris") == "unenrolled" })
	if row := c.row(t, "iris"); row.Hint != "attention" || row.SecretCurrent || !strings.Contains(string(row.Reason), "collie crew join "+c.row(t, "atlas").Addresses[0]) {
		t.Errorf("the lead says %+v", row)
	}
	own := harness.JSON[control.CrewStatus](c.iris, "crew", "status").Members
	if own[0].SecretCurrent || own[1].State != "unenrolled" || !strings.Contains(string(own[1].Reason), "collie crew join") {
		t.Errorf("iris says %+v", own)
	}
	var herd api.Snapshot
	phone.Get("/api/snapshot", &herd)
	for _, m := range herd.Machines {
		if m.ID == "iris" && (m.State != "unenrolled" || !m.Stale || !strings.Contains(m.Reason, "collie crew join")) {
			t.Errorf("the phone sees %+v", m)
		}
	}
	c.join(t, c.iris)
	if row := c.row(t, "iris"); !row.SecretCurrent {
		t.Errorf("afterwards: %+v", row)
	}
}

// TestALeadThatMovedIsFoundAgain has a lead start on another port, as a machine
// with another address does, while its member looks for it at the one before.
func TestALeadThatMovedIsFoundAgain(t *testing.T) {
	t.Parallel()
	lead := harness.New(t, "atlas", "COLLIE_LABEL=atlas")
	member := harness.New(t, "iris", "COLLIE_LABEL=iris")
	lead.Start()
	member.Start()
	c := crew{lead: lead}
	c.join(t, member)
	lead.Stop()
	lead.Start() // on a free port, which is another one
	moved := string(harness.JSON[control.Status](lead, "status").Mesh.Listen)
	found := harness.JSON[control.Reconnected](member, "reconnect", moved)
	if found.Lead != "atlas" || found.Addresses[0] != moved {
		t.Errorf("found: %+v", found)
	}
	lead.CLI("crew", "rename", "iris", "Iris, upstairs")
	harness.Eventually(t, "the member's own name", func() bool {
		return harness.JSON[control.CrewStatus](member, "crew", "status").Members[0].Label == "Iris, upstairs"
	})
	// From now on it knows by itself: the lead says where it is.
	if addresses := harness.JSON[control.CrewStatus](member, "crew", "status").Members[1].Addresses; len(addresses) != 1 || addresses[0] != moved {
		t.Errorf("the member looks at %v", addresses)
	}
}
