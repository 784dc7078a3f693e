package integration_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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
	added := harness.JSON[control.ChannelAdded](m, "channel", "add", "webhook", "ci", "--to", pane)
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(added.Secret), "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	attempt := 0
	deliver := func(id string) int {
		attempt++
		stamp := strconv.FormatInt(time.Now().Unix()+int64(attempt), 10)
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + stamp + ".body of " + id))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/hook/ci", port), strings.NewReader("body of "+id))
		if err != nil {
			t.Error(err)
			return 0
		}
		request.Close = true
		request.Header = http.Header{
			"Webhook-Id": {id}, "Webhook-Timestamp": {stamp},
			"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	for i := range deliveries {
		id := "delivery-" + strconv.Itoa(i)
		before, answered := journalBytes(t, m), make(chan struct{})
		go func() {
			defer close(answered)
			deliver(id)
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
		if status := deliver(id); status != http.StatusOK && status != http.StatusAccepted {
			t.Fatalf("%s, again: %d\n%s", id, status, m.Log())
		}
	}
	log := harness.JSON[[]struct{ ID string }](m, "walky", "log")
	if len(log) != deliveries {
		t.Errorf("%d messages of %d deliveries", len(log), deliveries)
	}
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
