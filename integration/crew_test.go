package integration_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// A crew is a lead and two members: juno has an address, iris only dials out.
type crew struct {
	lead, juno, iris *harness.Machine
}

func startCrew(t *testing.T, junoSettings ...string) crew {
	t.Helper()
	return startCrewOf(t, nil, junoSettings)
}

func startCrewOf(t *testing.T, leadSettings, junoSettings []string) crew {
	t.Helper()
	fixed := func(name string, settings ...string) *harness.Machine {
		mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
		return harness.New(t, name, append(settings, mesh, "COLLIE_LABEL="+name)...)
	}
	c := crew{
		lead: fixed("atlas", leadSettings...),
		juno: fixed("juno", junoSettings...),
		iris: harness.New(t, "iris", "COLLIE_LABEL=iris"),
	}
	for _, m := range []*harness.Machine{c.lead, c.juno, c.iris} {
		m.Start()
	}
	c.join(t, c.juno)
	c.join(t, c.iris)
	return c
}

func (c crew) join(t *testing.T, m *harness.Machine) {
	t.Helper()
	invite := harness.JSON[control.Invite](c.lead, "crew", "invite")
	result := m.Run(invite.Token, "crew", "join", invite.Addresses[0], "-", "--json")
	if result.Exit != 0 {
		t.Fatalf("%s did not join: %s\n%s\n%s", m.Name, result.Stderr, m.Log(), c.lead.Log())
	}
	harness.Eventually(t, m.Name+" is reachable", func() bool { return c.state(m.Name) == "reachable" })
}

// state is how the lead sees a member.
func (c crew) state(id string) string {
	for _, m := range harness.JSON[control.CrewStatus](c.lead, "crew", "status").Members {
		if m.MemberID == id {
			return m.State
		}
	}
	return ""
}

// paneOf waits until the phone sees a pane of a machine and returns its id.
func paneOf(t *testing.T, phone *harness.Phone, host string) string {
	t.Helper()
	var id string
	harness.Eventually(t, "a pane of "+host, func() bool {
		var s api.Snapshot
		phone.Get("/api/snapshot", &s)
		for _, p := range s.Panes {
			if p.Host == host && p.Status == "shell" {
				id = p.ID
				return true
			}
		}
		return false
	})
	return id
}

// type sends a line to a pane as the page does.
func typeLine(t *testing.T, phone *harness.Phone, host, pane, line string) {
	t.Helper()
	var shown api.Pane
	phone.Get(harness.PanePath(host, pane, ""), &shown)
	status, data := phone.Do(http.MethodPost, harness.PanePath(host, pane, "/reply"), api.Reply{Text: line, Submit: true, Screen: shown.Screen})
	if status != http.StatusOK {
		t.Fatalf("the reply to %s was answered %d %s", host, status, data)
	}
}

// secret is a made-up token, in parts so that this file holds none.
func secret() (head, tail, token string) {
	head, tail = "gh"+"p_", "x7Kq2mZ9vR4tB8nW1cY6dF3gH5jL0pS2aE7u"
	return head, tail, head + tail
}

func TestOnePhoneSeesThreeMachinesAndNoSecretOfAny(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"with both masks":                nil,
		"with the member's own mask off": {"COLLIE_REDACT=off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCrew(t, settings...)
			phone := c.lead.Pair("pixel")
			var s api.Snapshot
			harness.Eventually(t, "three reachable machines", func() bool {
				phone.Get("/api/snapshot", &s)
				reachable := 0
				for _, m := range s.Machines {
					if m.State == "reachable" && !m.Stale {
						reachable++
					}
				}
				return reachable == 3
			})
			head, tail, token := secret()
			for _, host := range []string{"atlas", "juno", "iris"} {
				pane := paneOf(t, phone, host)
				screen := phone.Watch(host, pane)
				screen.Until(t, "a prompt on "+host, func(text string) bool { return strings.Contains(text, "$") })
				typeLine(t, phone, host, pane, fmt.Sprintf("printf '%%s%%s\\n' %s %s", head, tail))
				masked := head + strings.Repeat("•", len(tail))
				screen.Until(t, "the masked token on "+host, func(text string) bool { return strings.Contains(text, masked) })
				var whole api.Pane
				phone.Get(harness.PanePath(host, pane, ""), &whole)
				if !whole.Masked {
					t.Errorf("the pane of %s does not say that something was masked", host)
				}
			}
			if strings.Contains(phone.Seen(), token) {
				t.Error("the token is in what the lead answered")
			}
			for _, m := range []*harness.Machine{c.lead, c.juno, c.iris} {
				if strings.Contains(m.Log(), token) {
					t.Errorf("the token is in the log of %s", m.Name)
				}
			}
		})
	}
}
