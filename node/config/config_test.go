package config_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/crypto/atomicfile"
	"collie/crypto/need"
	"collie/node/config"
)

// folder makes a home folder with a .env, unless that is empty.
func folder(t testing.TB, file string) (home, dir string) {
	t.Helper()
	home = t.TempDir()
	dir = filepath.Join(home, ".config", "collie")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, dir
}

func load(t testing.TB, file string, environ ...string) (*config.Config, error) {
	t.Helper()
	home, _ := folder(t, file)
	return config.Load(append(environ, "HOME="+home))
}

// value finds one key among all.
func value(t *testing.T, c *config.Config, name string) config.Value {
	t.Helper()
	for _, v := range c.Values() {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("%s is not listed", name)
	return config.Value{}
}

func TestEnvironmentWinsOverFileAndFileOverDefault(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_PORT=9001\nCOLLIE_HOST=127.0.0.2\nCOLLIE_WALKY=off\n", "COLLIE_PORT=9002", "COLLIE_WALKY=off")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		text     string
		source   config.Source
		shadowed bool
	}{
		"COLLIE_PORT":   {"9002", config.FromEnvironment, true},
		"COLLIE_HOST":   {"127.0.0.2", config.FromFile, false},
		"COLLIE_REDACT": {"on", config.FromDefault, false},
		"COLLIE_WALKY":  {"off", config.FromEnvironment, false},
		"COLLIE_LABEL":  {"", config.FromDefault, false},
	} {
		got := value(t, c, name)
		if got.Text != want.text || got.Source != want.source || got.Shadowed != want.shadowed || c.Get(name) != want.text {
			t.Errorf("%s is %q from %s, shadowed %v; want %+v", name, got.Text, got.Source, got.Shadowed, want)
		}
	}
	if c.Port() != 9002 || c.On("COLLIE_WALKY") || !c.On("COLLIE_REDACT") || c.On("COLLIE_ALLOW_ANY_HOST") {
		t.Errorf("port %d, walky %v, redact %v, any host %v", c.Port(), c.On("COLLIE_WALKY"), c.On("COLLIE_REDACT"), c.On("COLLIE_ALLOW_ANY_HOST"))
	}
}

func TestAnEmptyValueIsAsNone(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_REDACT=\nCOLLIE_HOST=\nCOLLIE_MESH_LISTEN=\nCOLLIE_PORT=9001\nCOLLIE_INSTANCE=\n", "COLLIE_REDACT=", "COLLIE_WALKY=", "COLLIE_PORT=")
	if err != nil {
		t.Fatal(err)
	}
	if !c.On("COLLIE_REDACT") || !c.On("COLLIE_WALKY") {
		t.Error("a name without a value switched the mask or the messages off")
	}
	if c.Get("COLLIE_HOST") != "127.0.0.1" || c.Get("COLLIE_MESH_LISTEN") != ":8788" {
		t.Errorf("the front door is at %q, the link at %q", c.Get("COLLIE_HOST"), c.Get("COLLIE_MESH_LISTEN"))
	}
	if got := value(t, c, "COLLIE_PORT"); got.Text != "9001" || got.Source != config.FromFile {
		t.Errorf("the port is %s from %s", got.Text, got.Source)
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
	if c.Dir != "/home/ada/.config/collie-two" || c.Get("COLLIE_CONFIG_DIR") != c.Dir {
		t.Errorf("config folder is %s", c.Dir)
	}
}

func TestTheFileMayPlaceTheStateButNotItself(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_STATE_DIR=/srv/collie\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := value(t, c, "COLLIE_STATE_DIR"); got.Text != "/srv/collie" || got.Source != config.FromFile {
		t.Errorf("state folder is %s from %s", got.Text, got.Source)
	}
	for _, line := range []string{"COLLIE_CONFIG_DIR=/srv/other", "COLLIE_INSTANCE=two"} {
		name, _, _ := strings.Cut(line, "=")
		if _, err := load(t, line+"\n"); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s in the file: %v", line, err)
		}
	}
	home, dir := folder(t, "COLLIE_INSTANCE=two\n") // beside the same in the environment it is no news
	if err := os.Rename(dir, dir+"-two"); err != nil {
		t.Fatal(err)
	}
	if c, err := config.Load([]string{"HOME=" + home, "COLLIE_INSTANCE=two"}); err != nil || c.Dir != dir+"-two" {
		t.Errorf("%v", err)
	}
}

func TestValuesThatCannotBeUsedAreRefusedByNameAndNotQuoted(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	for _, key := range []string{
		"COLLIE_PORT", "COLLIE_REDACT", "COLLIE_WALKY", "COLLIE_STATE_DIR", "COLLIE_PUBLIC_URL", "COLLIE_ALLOW_ANY_HOST",
		"COLLIE_ALLOW_NON_LOOPBACK_BIND", "COLLIE_AUDIT_CONTENT", "COLLIE_MESH_LISTEN",
	} {
		for where, refused := range map[string]func() (*config.Config, error){
			"environment": func() (*config.Config, error) { return load(t, "", key+"="+secret) },
			".env":        func() (*config.Config, error) { return load(t, key+"="+secret+"\n") },
		} {
			_, err := refused()
			if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), where) {
				t.Errorf("%s: error is %v, want one that names the key and %s", key, err, where)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: the value is quoted: %v", key, err)
			}
		}
	}
}

func TestValuesAtTheEdge(t *testing.T) {
	t.Parallel()
	for pair, ok := range map[string]bool{
		"COLLIE_PORT=0":                            true,
		"COLLIE_PORT=65535":                        true,
		"COLLIE_PORT=65536":                        false,
		"COLLIE_PORT=-1":                           false,
		"COLLIE_REDACT=off":                        true,
		"COLLIE_REDACT=0":                          false,
		"COLLIE_ALLOW_ANY_HOST=0":                  true,
		"COLLIE_ALLOW_ANY_HOST=on":                 false,
		"COLLIE_AUDIT_CONTENT=none":                true,
		"COLLIE_AUDIT_CONTENT=full":                false,
		"COLLIE_PUBLIC_URL=https://collie.example": true,
		"COLLIE_PUBLIC_URL=ftp://collie.example":   false,
		"COLLIE_PUBLIC_URL=https://":               false,
		"COLLIE_PUBLIC_URL=https://a:b@c.example":  false,
		"COLLIE_MESH_LISTEN=:0":                    true,
		"COLLIE_MESH_LISTEN=[::1]:8788":            true,
		"COLLIE_MESH_LISTEN=8788":                  false,
		"COLLIE_BEAT_MS=50":                        true,
		"COLLIE_BEAT_MS=49":                        false,
		"COLLIE_BEAT_MS=5001":                      false,
		"COLLIE_STANDBY_PORT=0":                    true,
		"COLLIE_STANDBY_PORT=65536":                false,
		"COLLIE_STANDBY_ARM_MS=1":                  true,
		"COLLIE_STANDBY_ARM_MS=30s":                false,
		"COLLIE_STATE_DIR=state":                   false,
	} {
		if _, err := load(t, "", pair); (err == nil) != ok {
			t.Errorf("%s: error is %v", pair, err)
		}
	}
}

func TestUnknownKeysOfTheFileAreNamed(t *testing.T) {
	t.Parallel()
	c, err := load(t, "COLLIE_PROT=1\nOTHER=2\nCOLLIE_A=1\nCOLLIE_PORT=1\n", "COLLIE_PANE=p1")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Unknown(), ","); got != "COLLIE_A,COLLIE_PROT" {
		t.Errorf("unknown keys are %q", got)
	}
}

func TestABrokenFileIsRefusedWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"COLLIE_PORT=1\n=hunter2hunter2\n\"x", "hunter2hunter2", "COLLIE_LABEL='hunter2hunter2"} {
		if _, err := load(t, file); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("error is %v, want one without the file's text", err)
		}
	}
}

func TestOnlyAFileIsRead(t *testing.T) {
	t.Parallel()
	home, dir := folder(t, "")
	path := filepath.Join(dir, ".env")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load([]string{"HOME=" + home}); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := load(t, "COLLIE_LABEL="+strings.Repeat("x", 1<<20)); !errors.Is(err, atomicfile.ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	if _, err := config.Load([]string{"HOME=" + t.TempDir()}); err != nil {
		t.Errorf("no folder: %v", err)
	}
}

func TestSettingsOfSomebodyElseAreRefused(t *testing.T) {
	t.Parallel()
	need.Root(t, "to give a file away")
	home, dir := folder(t, "COLLIE_REDACT=off\n")
	for _, path := range []string{filepath.Join(dir, ".env"), dir} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load([]string{"HOME=" + home}); !errors.Is(err, config.ErrOwner) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
		if err := os.Chown(path, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsWiderIsNarrowedAndLogged(t *testing.T) {
	t.Parallel()
	home, dir := folder(t, "COLLIE_PORT=1\n")
	private := filepath.Join(dir, "private.toml")
	if err := os.WriteFile(private, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, filepath.Join(dir, ".env"): 0o664} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load([]string{"HOME=" + home})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for range 2 { // the second time there is nothing to do
		if err := c.Narrow(slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, ".env"): 0o600, private: 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s is %o, want %o", path, got, want)
		}
	}
	if got := strings.Count(log.String(), "narrowed"); got != 2 || !strings.Contains(log.String(), ".env") {
		t.Errorf("logged %q", log.String())
	}
	nowhere, err := config.Load([]string{"HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := nowhere.Narrow(slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("no folder: %v", err)
	}
}

func TestAKeyThatIsNotInTheTableIsAMistakeOfTheProgram(t *testing.T) {
	t.Parallel()
	c, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown key has a value")
		}
	}()
	c.Get("COLLIE_NOTHING")
}

// FuzzLoad reads any .env: it never panics, and what is in force is always
// something that can be used.
func FuzzLoad(f *testing.F) {
	for _, file := range []string{
		"COLLIE_PORT=9001\n", "export COLLIE_REDACT=off # why\n", "COLLIE_LABEL='a b'\n", "COLLIE_HOST=\"$HOME\"\n", "=\n", "\x00", "A=${B}\nB=${A}\n", "'", "COLLIE_PORT",
	} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		c, err := load(t, file)
		if err != nil {
			return
		}
		if port := c.Port(); port < 0 || port > 65535 {
			t.Fatalf("port %d", port)
		}
		if text := c.Get("COLLIE_REDACT"); text != "on" && text != "off" {
			t.Fatalf("redact is %q", text)
		}
		if !filepath.IsAbs(c.Get("COLLIE_STATE_DIR")) {
			t.Fatalf("state folder is %q", c.Get("COLLIE_STATE_DIR"))
		}
	})
}
