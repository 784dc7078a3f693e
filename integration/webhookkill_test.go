package integration_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

// The node is killed as soon as a delivery is in the journal, before it may be
// remembered or answered. The other system tries again, and signs each attempt with its time.
func TestADeliveryDuringWhichTheNodeIsKilledIsOneMessage(t *testing.T) {
	t.Parallel()
	const deliveries = 6
	port := harness.FreePort(t)
	m := harness.New(t, "atlas", fmt.Sprintf("COLLIE_HOOKS_PORT=%d", port)).Start()
	pane := harness.JSON[control.ID](m, "pane", "new", "--harness", "agent", "--", "cat").ID
	hook := openHook(t, m, port, "ci", pane)
	for i := range deliveries {
		id := "delivery-" + strconv.Itoa(i)
		before, answered := journalBytes(t, m), make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = hook.deliver(id, "body of "+id)
		}()
		for waiting := true; waiting && journalBytes(t, m) == before; {
			select {
			case <-answered:
				waiting = false
			default:
			}
		}
		m.Kill()
		<-answered
		m.Start()
		if _, code := hook.deliver(id, "body of "+id); code != "" {
			t.Fatalf("%s, again: %s\n%s", id, code, m.Log())
		}
	}
	log := harness.JSON[[]struct{ ID string }](m, "walky", "log")
	if len(log) != deliveries {
		t.Errorf("%d messages of %d deliveries", len(log), deliveries)
	}
}

// A hook is the other system's end of a channel of a machine.
type hook struct {
	t       *testing.T
	url     string
	secret  []byte
	attempt int
}

// openHook adds a channel of the standard format to a pane.
func openHook(t *testing.T, m *harness.Machine, port int, name, pane string) *hook {
	t.Helper()
	added := harness.JSON[control.ChannelAdded](m, "channel", "add", "webhook", name, "--to", pane)
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(added.Secret), "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	return &hook{t: t, url: fmt.Sprintf("http://127.0.0.1:%d/hook/%s", port, name), secret: secret}
}

// deliver posts a delivery, each attempt signed with another time, and returns the
// id of its message, and why it was not taken.
func (h *hook) deliver(id, body string) (message, code string) {
	h.attempt++
	stamp := strconv.FormatInt(time.Now().Unix()+int64(h.attempt%60), 10)
	mac := hmac.New(sha256.New, h.secret)
	mac.Write([]byte(id + "." + stamp + "." + body))
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Error(err)
		return "", err.Error()
	}
	request.Close = true
	request.Header = http.Header{
		"Webhook-Id": {id}, "Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err.Error()
	}
	defer response.Body.Close()
	var answer struct{ ID, Code string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", fmt.Sprintf("%s: %v", response.Status, err)
	}
	return answer.ID, answer.Code
}

// journalBytes is how much the journal of walky messages holds.
func journalBytes(t *testing.T, m *harness.Machine) (bytes int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.State, "walky", "journal", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}
