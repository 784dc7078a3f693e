package state_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/state"
)

// TestMain doubles as the other process that holds a folder.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_HOLD"); dir != "" {
		if _, err := state.Open(dir, quiet()); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOpenMakesPrivateFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "state")
	folder, err := state.Open(dir, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, path := range []string{dir, folder.Path("panes"), folder.Path("walky")} {
		if got := mode(t, path); got != 0o700 {
			t.Errorf("mode of %s is %o, want 700", path, got)
		}
	}
	if got := mode(t, folder.Path("lock")); got != 0o600 {
		t.Errorf("mode of the lock file is %o, want 600", got)
	}
}

func TestOpenNarrowsWhatIsWiderAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	must(t, os.MkdirAll(filepath.Join(dir, "panes"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "crew.json"), []byte("{}"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "read-only"), nil, 0o444))
	listener, err := net.Listen("unix", filepath.Join(dir, "panes", "a.sock"))
	must(t, err)
	defer listener.Close()
	must(t, os.Chmod(filepath.Join(dir, "panes", "a.sock"), 0o777))
	must(t, os.Symlink("/etc/hostname", filepath.Join(dir, "link")))
	before := mode(t, "/etc/hostname")
	must(t, os.Chmod(dir, 0o755))

	var log bytes.Buffer
	folder, err := state.Open(dir, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	defer folder.Close()
	for path, want := range map[string]fs.FileMode{
		dir: 0o700, folder.Path("panes"): 0o700, folder.Path("crew.json"): 0o600,
		folder.Path("read-only"): 0o400, folder.Path("panes", "a.sock"): 0o700,
	} {
		if got := mode(t, path); got != want {
			t.Errorf("mode of %s is %o, want %o", path, got, want)
		}
	}
	if got := mode(t, "/etc/hostname"); got != before {
		t.Errorf("the target of a link was changed to %o", got)
	}
	for _, want := range []string{"path=crew.json", "path=panes", "path=panes/a.sock", "path=read-only", "path=link"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log does not name %s:\n%s", want, &log)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	must(t, os.Mkdir(filepath.Join(base, "real"), 0o700))
	must(t, os.Symlink("real", filepath.Join(base, "link")))
	must(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	must(t, os.MkdirAll(filepath.Join(base, "sub"), 0o700))
	must(t, os.Symlink("../real", filepath.Join(base, "sub", "panes")))
	cases := map[string]error{
		"relative":                  state.ErrNotAbsolute,
		filepath.Join(base, "link"): state.ErrSymlink,
		filepath.Join(base, "sub"):  state.ErrSymlink,
	}
	if os.Geteuid() == 0 {
		for _, path := range []string{".", "devices.json", "walky", "walky/journal/1", "uploads/picture.png"} {
			dir := filepath.Join(base, "foreign "+strings.ReplaceAll(path, "/", " "))
			must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700))
			if path != "." && path != "walky" {
				must(t, os.WriteFile(filepath.Join(dir, path), nil, 0o600))
			} else {
				must(t, os.MkdirAll(filepath.Join(dir, path), 0o700))
			}
			must(t, os.Lchown(filepath.Join(dir, path), 12345, 12345))
			cases[dir] = state.ErrOwner
		}
		volume := filepath.Join(base, "volume")
		must(t, os.MkdirAll(filepath.Join(volume, "lost+found"), 0o700))
		must(t, os.Chown(filepath.Join(volume, "lost+found"), 12345, 12345))
		cases[volume] = nil
	}
	for dir, want := range cases {
		if _, err := state.Open(dir, quiet()); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", dir, err, want)
		}
	}
	if _, err := state.Open(filepath.Join(base, "file"), quiet()); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestSecondProcessHearsWhoHoldsTheFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "STATE_TEST_HOLD="+dir)
	stdin, err := other.StdinPipe()
	must(t, err)
	stdout, err := other.StdoutPipe()
	must(t, err)
	must(t, other.Start())
	if _, err := io.ReadFull(stdout, make([]byte, len("held\n"))); err != nil {
		t.Fatal(err)
	}

	_, err = state.Open(dir, quiet())
	var held *state.HeldError
	if !errors.As(err, &held) {
		t.Fatalf("Open of a held folder: %v, want a *HeldError", err)
	}
	if held.PID != other.Process.Pid || held.Since.IsZero() {
		t.Errorf("held by %d since %v, want process %d", held.PID, held.Since, other.Process.Pid)
	}

	stdin.Close()
	must(t, other.Wait())
	folder, err := state.Open(dir, quiet())
	if err != nil {
		t.Fatalf("Open after the other process ended: %v", err)
	}
	must(t, folder.Close())
}

func TestHalfWrittenLockTextStillRefuses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	folder, err := state.Open(dir, quiet())
	must(t, err)
	defer folder.Close()
	must(t, os.WriteFile(folder.Path("lock"), []byte(`{"pid":12`), 0o600))
	_, err = state.Open(dir, quiet())
	var held *state.HeldError
	if !errors.As(err, &held) || held.PID != 0 {
		t.Fatalf("Open: %v, want a *HeldError without a process", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
