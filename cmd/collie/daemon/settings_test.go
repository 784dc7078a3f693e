package daemon

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/crypto/need"
	"collie/lead/frontdoor"
	"collie/node/control"
)

// settingsOf asks the front door as a program of this machine may.
func settingsOf(t *testing.T, n *running) (document settings) {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(n.home, ".local", "state", "collie", localSecretName))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(get[control.Status](t, n, "/status").HTTP.URL)+"/api/config", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(frontdoor.LocalHeader, strings.TrimSpace(string(secret)))
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return document
}

func TestSettingsTellTheMultiplexerAndTheHarnessesThatThereAre(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	table := filepath.Join(home, ".config", "collie", "harnesses.toml")
	if err := os.MkdirAll(filepath.Dir(table), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, []byte("[[harness]]\nname = \"mybot\"\nprocess = [\"mybot\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := settingsOf(t, begin(t, home))
	if got.Multiplexer != "builtin" || got.MultiplexerVersion != "" || got.Capabilities != (capabilities{"always", true}) {
		t.Errorf("the builtin multiplexer is told as %+v", got)
	}
	if want := "claude codex gemini mybot opencode"; strings.Join(got.Harnesses, " ") != want {
		t.Errorf("the harnesses are %v, want %s", got.Harnesses, want)
	}
	need.Program(t, "tmux")
	folder, err := os.MkdirTemp("", "tmux") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	got = settingsOf(t, begin(t, t.TempDir(), "COLLIE_MUX=tmux", "COLLIE_TMUX_SOCKET="+filepath.Join(folder, "s")))
	if got.Multiplexer != "tmux" || !strings.HasPrefix(got.MultiplexerVersion, "3.") || got.Capabilities != (capabilities{"own", false}) {
		t.Errorf("tmux is told as %+v", got)
	}
}
