package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/config"
)

func load(t *testing.T, file string, environ ...string) (*config.Config, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "collie")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(append(environ, "HOME="+home))
}

func TestEnvironmentWinsOverFileAndFileOverDefault(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_PORT=9001\nCOLLIE_HOST=127.0.0.2\n", "COLLIE_PORT=9002")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Port(); got != 9002 {
		t.Errorf("port is %d, want 9002", got)
	}
	if got := c.Get("COLLIE_HOST"); got != "127.0.0.2" {
		t.Errorf("host is %q, want 127.0.0.2", got)
	}
	for _, v := range c.Values() {
		want := map[string]config.Source{"COLLIE_PORT": config.FromEnvironment, "COLLIE_HOST": config.FromFile, "COLLIE_REDACT": config.FromDefault}[v.Name]
		if want != "" && v.Source != want {
			t.Errorf("%s comes from %s, want %s", v.Name, v.Source, want)
		}
		if v.Name == "COLLIE_PORT" && !v.Shadowed {
			t.Error("the port in the file is not reported as shadowed")
		}
	}
}

func TestInstanceNamesItsOwnFolders(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{"HOME=/home/ada", "COLLIE_INSTANCE=two", "XDG_STATE_HOME=/var/ada"})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Get("COLLIE_STATE_DIR"); got != "/var/ada/collie-two" {
		t.Errorf("state folder is %s", got)
	}
	if c.Dir != "/home/ada/.config/collie-two" {
		t.Errorf("config folder is %s", c.Dir)
	}
}

func TestValuesThatCannotBeUsedAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, pair := range []string{"COLLIE_PORT=eighty", "COLLIE_PORT=70000", "COLLIE_REDACT=maybe", "COLLIE_STATE_DIR=state", "COLLIE_PUBLIC_URL=ftp://x", "COLLIE_ALLOW_ANY_HOST=yes", "COLLIE_AUDIT_CONTENT=some"} {
		_, err := load(t, "", pair)
		if name, _, _ := strings.Cut(pair, "="); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error is %v, want one that names the key", pair, err)
		}
	}
}

func TestUnknownKeysOfTheFileAreNamed(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_PROT=1\nOTHER=2\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Unknown(), ","); got != "COLLIE_PROT" {
		t.Errorf("unknown keys are %q, want COLLIE_PROT", got)
	}
}

func TestABrokenFileIsRefusedWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	_, err := load(t, "COLLIE_PORT=1\n=hunter2hunter2\n\"x")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error is %v, want one without the file's text", err)
	}
}
