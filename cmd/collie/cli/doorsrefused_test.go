package cli

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestADoorToWhatCanReceiveNothingIsNotOpened(t *testing.T) {
	t.Parallel()
	m := begin(t)
	shell := at[string](t, m.must(t, "pane", "new", "--", "cat"), "id")
	agent := at[string](t, m.must(t, "pane", "new", "--harness", "agent", "--", "cat"), "id")
	off := begin(t, "COLLIE_WALKY=off")
	there := at[string](t, off.must(t, "pane", "new", "--harness", "agent", "--", "cat"), "id")
	for _, c := range []struct {
		m        *machine
		to, want string
		hint     string
	}{
		{m, shell, "no agent runs in " + shell, "hint: start an agent in the pane first"},
		{m, agent + "#2222", agent + "#2222 is no session that is there now", "hint: start an agent in the pane first"},
		{off, there, "walky is off on this machine (COLLIE_WALKY=off)", "hint: remove COLLIE_WALKY=off and start the node again"},
	} {
		for _, args := range [][]string{
			{"channel", "add", "webhook", "ci", "--to", c.to},
			{"schedule", "add", "q", "--cron", "* * * * *", "--to", c.to, "x"},
		} {
			_, stderr, code := c.m.run(t, "", args...)
			if code != exitRefused || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, c.hint) {
				t.Errorf("%q: exit %d, %s", args, code, stderr)
			}
		}
		for _, kind := range []string{"channel", "schedule"} {
			if shown, _, _ := c.m.run(t, "", kind, "list", "--json"); strings.TrimSpace(shown) != "[]" {
				t.Errorf("%s list shows %s", kind, shown)
			}
		}
	}
	if shown, _, _ := off.run(t, "", "doctor"); !strings.Contains(shown, "walky is off (COLLIE_WALKY=off)") {
		t.Errorf("the doctor says\n%s", shown)
	}
	if shown, _, _ := m.run(t, "", "doctor"); strings.Contains(shown, "walky is off") {
		t.Errorf("the doctor says of a machine that takes messages\n%s", shown)
	}
}

func TestADeliveryThatWasRefusedIsShownWhereTheOperatorLooks(t *testing.T) {
	t.Parallel()
	m, port := beginWithHooks(t)
	const key = "a secret of the other system"
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	pane := at[string](t, m.must(t, "pane", "new", "--harness", "agent", "--", "cat"), "id")
	m.must(t, "channel", "add", "webhook", "ci", "--to", pane, "--format", "github", "--secret", "@"+secret)
	null(t, at[any](t, m.must(t, "channel", "list"), 0), "lastAt", "lastState", "lastReason")
	m.must(t, "pane", "close", pane, "--yes")

	const body = `{"build":"red"}`
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+port+"/hook/ci", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	request.Header.Set("X-GitHub-Delivery", "1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("answered %s", answer.Status)
	}
	channel := at[any](t, m.must(t, "channel", "list"), 0)
	aTime(t, "lastAt", at[any](t, channel, "lastAt"))
	if state, reason := at[string](t, channel, "lastState"), at[string](t, channel, "lastReason"); state != "refused" || reason != "gone" {
		t.Errorf("the channel's last is %s: %s", state, reason)
	}
	entry := at[any](t, m.must(t, "walky", "log"), 0)
	for field, want := range map[string]string{"mark": "‹webhook:ci›", "state": "refused", "reason": "gone", "to": pane} {
		if got := at[string](t, entry, field); got != want {
			t.Errorf("the log has the %s %q, want %q", field, got, want)
		}
	}
	for _, args := range [][]string{{"channel", "list"}, {"walky", "log"}} {
		if shown, _, code := m.run(t, "", args...); code != 0 || !strings.Contains(shown, "gone") {
			t.Errorf("%q: exit %d\n%s", args, code, shown)
		}
	}
}

// beginWithHooks starts a machine that hears webhooks on a port. Somebody else may
// take that first: then it is another one.
func beginWithHooks(t *testing.T) (m *machine, port string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		port = freePort(t)
		m, err := start(t.TempDir(), "COLLIE_HOOKS_PORT="+port)
		if err == nil {
			t.Cleanup(m.end)
			return m, port
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// freePort is a port that nobody has now.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}
