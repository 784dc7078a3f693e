package integration_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/control"
)

// The silence that arms the door may be the deputy's own network. A member that
// hears the lead does not dial the deputy, so it has to be asked.
func TestADeputyThatAloneCannotSeeTheLeadChangesNothing(t *testing.T) {
	t.Parallel()
	network := harness.NewNetwork(t)
	const door = "http://127.0.0.1:8790"
	start := func(name string, settings ...string) place {
		host := network.Host()
		settings = append(append(settings, quick...), "COLLIE_LABEL="+name, "COLLIE_MESH_LISTEN=:8788")
		return place{harness.New(t, name, settings...).On(host).Start(), host}
	}
	atlas := start("atlas")
	juno, iris := start("juno", "COLLIE_STANDBY_PORT=8790"), start("iris")
	for _, m := range []place{juno, iris} {
		joinCrew(t, atlas.Machine, m.Machine)
	}
	phone := atlas.Pair("pixel")
	harness.JSON[control.Deputy](atlas.Machine, "crew", "deputy", "juno", "--door", door)
	harness.Eventually(t, "the deputy has all that it needs", func() bool {
		deputy := harness.JSON[control.CrewStatus](atlas.Machine, "crew", "status").Deputy
		return deputy != nil && !deputy.Owed
	})
	beside := juno.Client()
	tap := func() (int, string) {
		return askWith(t, beside, http.MethodPost, door+"/standby/takeover", phone.Token, "{}")
	}

	atlas.host.Part(juno.host)
	harness.Eventually(t, "the door is armed", func() bool {
		status, _ := askWith(t, beside, http.MethodGet, door+"/standby/health", "", "")
		return status == http.StatusOK
	})
	before := crewFiles(t, atlas, juno, iris)
	for range 2 {
		if status, body := tap(); status != http.StatusConflict || !strings.Contains(body, "lead_seen") || !strings.Contains(body, "iris") {
			t.Errorf("the tap was answered %d %s", status, body)
		}
	}
	if after := crewFiles(t, atlas, juno, iris); after != before {
		t.Errorf("a refused tap changed\n%s\nto\n%s", before, after)
	}
	for m, mode := range map[place]string{atlas: "lead", juno: "member", iris: "member"} {
		if now := modeOf(m.Machine); now != mode {
			t.Errorf("%s is %s now", m.Name, now)
		}
	}
}

// crewFiles returns the bytes of the trust stores of machines.
func crewFiles(t *testing.T, machines ...place) string {
	t.Helper()
	var all strings.Builder
	for _, m := range machines {
		data, err := os.ReadFile(filepath.Join(m.State, "crew.json"))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
