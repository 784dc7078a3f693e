package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/control"
)

func find(t *testing.T, report control.Doctor, id string) control.Check {
	t.Helper()
	for _, c := range report.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %s in %+v", id, report)
	return control.Check{}
}

func TestTheDoctorComparesWhatIsSetWithWhatIs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := begin(t, home)
	report := get[control.Doctor](t, n, "/doctor")
	for _, id := range []string{"secrets-private", "settings", "bind", "front-door", "mask", "audit", "walky-journal", "walky", "doors", "crew-file"} {
		if c := find(t, report, id); c.Verdict != fine {
			t.Errorf("%s says %+v", id, c)
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, ".config/collie"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".config/collie/.env"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]control.Check{
		"COLLIE_HOST=0.0.0.0\nCOLLIE_ALLOW_NON_LOOPBACK_BIND=1": {
			Verdict: warn, Reason: "changed since the node started, and not in force: COLLIE_HOST, COLLIE_ALLOW_NON_LOOPBACK_BIND",
			Fix: startAgain,
		},
		"COLLIE_PORT=9000": {
			Verdict: warn, Reason: "COLLIE_PORT in .env is not in force, because the environment has another value", Fix: "unset COLLIE_PORT",
		},
		"COLLIE_PROT=9000": {Verdict: warn, Reason: "unknown keys in .env: COLLIE_PROT", Fix: "collie config lists every key that there is"},
		"COLLIE_REDACT=maybe": {
			Verdict: fail, Reason: "a node could not start with them: COLLIE_REDACT (from .env) cannot be used: it must be on or off",
			Fix: control.Text("mend " + filepath.Join(home, ".config/collie/.env")),
		},
	} {
		write(text)
		want.ID = "settings"
		if got := find(t, get[control.Doctor](t, n, "/doctor"), "settings"); got != want {
			t.Errorf("with %q the doctor says\n%+v, want\n%+v", text, got, want)
		}
	}
	write("")
	if err := os.Chmod(n.state("audit.log"), 0o644); err != nil {
		t.Fatal(err)
	}
	report = get[control.Doctor](t, n, "/doctor")
	if c := find(t, report, "secrets-private"); c.Verdict != fail || report.Verdict != fail || !strings.Contains(c.Reason, "audit.log") {
		t.Errorf("an open file: %+v", c)
	}
}

func TestTheDoctorReadsPastALoginThatIsAskedOfPhones(t *testing.T) {
	t.Parallel()
	n := begin(t, t.TempDir(), "COLLIE_TRUSTED_USER=ada@example.com")
	if c := find(t, get[control.Doctor](t, n, "/doctor"), "front-door"); c.Verdict != fine || !strings.HasPrefix(c.Reason, "answers on 127.0.0.1:") {
		t.Errorf("the doctor says %+v", c)
	}
}
