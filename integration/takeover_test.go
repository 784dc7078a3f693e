package integration_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// quick makes the link beat fast, so that a silence of six beats takes a second
// and not half a minute.
var quick = []string{"COLLIE_BEAT_MS=200", "COLLIE_STANDBY_ARM_MS=1500"}

// ask makes a plain request with a token and returns status and body.
func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	return askWith(t, http.DefaultClient, method, url, token, body)
}

// askWith is ask with a client of its own.
func askWith(t *testing.T, client *http.Client, method, url, token, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(data)
}

func modeOf(m *harness.Machine) string { return harness.JSON[control.Status](m, "status").Mode }

// The lead's machine is gone; its deputy leads after one tap, in the same
// process, and whoever comes back follows.
func TestADeadLeadIsReplacedByATapAndComesBackAsAMember(t *testing.T) {
	t.Parallel()
	door := harness.FreePort(t)
	start := func(name string, settings ...string) *harness.Machine {
		mesh := fmt.Sprintf("COLLIE_MESH_LISTEN=127.0.0.1:%d", harness.FreePort(t))
		settings = append(append(settings, quick...), mesh, "COLLIE_LABEL="+name)
		return harness.New(t, name, settings...).Start()
	}
	atlas := start("atlas")
	juno := start("juno", fmt.Sprintf("COLLIE_STANDBY_PORT=%d", door))
	iris, rhea := start("iris"), start("rhea")
	c := crew{lead: atlas}
	for _, m := range []*harness.Machine{juno, iris, rhea} {
		c.join(t, m)
	}
	phone := atlas.Pair("pixel")
	doorURL := fmt.Sprintf("http://127.0.0.1:%d", door)
	named := harness.JSON[control.Deputy](atlas, "crew", "deputy", "juno", "--door", doorURL)
	if named.Deputy != "juno" || named.Generation != 2 || len(named.Members) != 3 {
		t.Fatalf("named %+v", named)
	}
	harness.Eventually(t, "the deputy has all that it needs", func() bool {
		deputy := harness.JSON[control.CrewStatus](atlas, "crew", "status").Deputy
		return deputy != nil && !deputy.Owed && harness.JSON[control.Status](juno, "status").Standby.State == "cold"
	})
	if status, body := ask(t, "POST", doorURL+"/standby/takeover", phone.Token, "{}"); status != 409 || !strings.Contains(body, "standby_cold") {
		t.Errorf("a tap while the lead is well: %d %s", status, body)
	}
	tablet := atlas.Pair("tablet")
	if revoked := harness.JSON[control.OK](atlas, "devices", "revoke", "tablet"); revoked.Pending != "" {
		t.Errorf("%s has not heard that a device was revoked", revoked.Pending)
	}
	rhea.Stop() // it is away when the lead dies
	process := juno.PID()
	atlas.Kill()
	var health struct {
		State       string
		SilentForMs int64
	}
	harness.Eventually(t, "the door is armed, and has asked the lead in vain", func() bool {
		status, body := ask(t, "GET", doorURL+"/standby/health", "", "")
		return status == 200 && json.Unmarshal([]byte(body), &health) == nil && health.State == "armed" && health.SilentForMs > 6000
	})
	if status, body := ask(t, "POST", doorURL+"/standby/takeover", tablet.Token, "{}"); status != 403 || !strings.Contains(body, "device_not_paired") {
		t.Errorf("a tap with the token of a revoked device: %d %s", status, body)
	}
	tapped := time.Now()
	var answer struct{ URL string }
	status, body := ask(t, "POST", doorURL+"/standby/takeover", phone.Token, "{}")
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 {
		t.Fatalf("the tap: %d %s", status, body)
	}
	status, body = ask(t, "GET", answer.URL+"/api/snapshot", phone.Token, "")
	t.Logf("from the tap to a serving front door: %v", time.Since(tapped))
	if status != 200 {
		t.Fatalf("the new lead's front door answers %d %s", status, body)
	}
	if now := harness.JSON[control.Status](juno, "status"); now.Mode != "lead" || now.PID != process {
		t.Errorf("juno is %s in the process %d, it was %d", now.Mode, now.PID, process)
	}
	c.lead = juno
	harness.Eventually(t, "iris follows", func() bool { return c.state("iris") == "reachable" })
	rhea.Start()
	harness.Eventually(t, "who was away follows", func() bool { return c.state("rhea") == "reachable" })

	began := time.Now()
	atlas.Start()
	harness.Eventually(t, "the old lead is an ordinary member", func() bool {
		if status, body := ask(t, "GET", atlas.URL+"/api/snapshot", phone.Token, ""); status == 200 && strings.Contains(body, `"panes"`) {
			t.Fatalf("the old lead serves: %s", body)
		}
		return modeOf(atlas) == "member" && c.state("atlas") == "reachable"
	})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the old lead took %v", took)
	}
	if status, _ := ask(t, "GET", atlas.URL+"/api/health", "", ""); status != 503 {
		t.Errorf("the health of the old lead is %d", status)
	}
	if _, page := ask(t, "GET", atlas.URL+"/", "", ""); !strings.Contains(page, "leads no more") || !strings.Contains(page, "juno") {
		t.Errorf("its page is %s", page)
	}
	for _, m := range harness.JSON[control.CrewStatus](juno, "crew", "status").Members {
		if m.Reason != "" || m.MemberID != m.Label {
			t.Errorf("%+v", m)
		}
	}

	juno.Stop()
	juno.Start()
	if status, body := ask(t, "GET", juno.URL+"/api/snapshot", phone.Token, ""); status != 200 {
		t.Errorf("started again, the new lead answers its phone %d %s", status, body)
	}
}
