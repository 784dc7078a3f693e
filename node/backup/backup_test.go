package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
	"collie/node/backup"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const devices = `{"version":1,"devices":[{"label":"pixel","token":"x","createdAt":"2026-11-30T12:00:00Z"}]}`

// lived is the folders of a node that leads a crew of one.
func lived(t testing.TB) backup.Folders {
	t.Helper()
	f := backup.Folders{State: filepath.Join(t.TempDir(), "state"), Config: filepath.Join(t.TempDir(), "config")}
	for _, dir := range []string{f.State, f.Config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := trust.EnsureIdentity(filepath.Join(f.State, trust.IdentityFileName), rand.Reader, noon); err != nil {
		t.Fatal(err)
	}
	store, err := trust.Open(filepath.Join(f.State, trust.FileName), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Found(old, trust.Founding{ID: statement.CrewID{1}, Name: "barn", Label: "atlas", Secret: secret.NewKey(rand.Reader)})
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(f.State, "devices.json"): devices, filepath.Join(f.State, "audit.log"): "not kept", filepath.Join(f.State, "lock"): "not kept",
		filepath.Join(f.Config, ".env"): "COLLIE_PORT=9000\n", filepath.Join(f.Config, "mask.toml"): "version = 1\n", filepath.Join(f.Config, "notes.txt"): "not kept",
	} {
		write(t, path, text)
	}
	return f
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func empty(t testing.TB) backup.Folders {
	t.Helper()
	return backup.Folders{State: filepath.Join(t.TempDir(), "new"), Config: filepath.Join(t.TempDir(), "settings")}
}

// with completes options: the real disk, and an audit log that takes it.
func with(o backup.Options) backup.Options {
	o.Disk, o.Audit = atomicfile.OS{}, func() error { return nil }
	return o
}

// carried is a backup after its way through a file.
func carried(t testing.TB, f backup.Folders) backup.Archive {
	t.Helper()
	a, err := backup.Collect(f, noon)
	if err != nil {
		t.Fatal(err)
	}
	data, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if a, err = backup.Parse(data); err != nil {
		t.Fatal(err)
	}
	return a
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	return names
}

func TestANodeComesBackAsWhatItWasWithoutItsDevicesUnlessTheyAreKept(t *testing.T) {
	t.Parallel()
	from := lived(t)
	for _, keep := range []bool{false, true} {
		to := empty(t)
		a := carried(t, from)
		if _, err := a.Restore(to, with(backup.Options{KeepDevices: keep})); err != nil {
			t.Fatal(err)
		}
		want := []string{"crew.json", "identity.pem"}
		if keep {
			want = []string{"crew.json", "devices.json", "identity.pem"}
		}
		if got := files(t, to.State); !slices.Equal(got, want) {
			t.Errorf("keep %v: the state folder has %v, want %v", keep, got, want)
		}
		if got, want := files(t, to.Config), []string{".env", "mask.toml"}; !slices.Equal(got, want) {
			t.Errorf("the config folder has %v, want %v", got, want)
		}
		store, err := trust.Open(filepath.Join(to.State, trust.FileName), time.Now)
		if err != nil || !store.Crew().Restored || store.Crew().Name != "barn" {
			t.Errorf("the crew is %+v, %v", store.Crew(), err)
		}
		before, err := trust.LoadIdentity(filepath.Join(from.State, trust.IdentityFileName))
		if err != nil {
			t.Fatal(err)
		}
		if after, err := trust.LoadIdentity(filepath.Join(to.State, trust.IdentityFileName)); err != nil || after.Fingerprint() != before.Fingerprint() {
			t.Errorf("it is another node: %v", err)
		}
		if all, err := a.Devices(); err != nil || len(all) != 1 || all[0].Label != "pixel" || !all[0].CreatedAt.Equal(noon) || !a.MadeAt.Equal(noon) {
			t.Errorf("its devices are %v, %v, as of %v", all, err, a.MadeAt)
		}
	}
}

func TestWhatIsThereIsReplacedOnlyByForceAndThenWhole(t *testing.T) {
	t.Parallel()
	a := carried(t, lived(t))
	to := lived(t)
	write(t, filepath.Join(to.State, "addresses.json"), "of another node")
	before, err := os.ReadFile(filepath.Join(to.State, trust.FileName))
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Restore(to, with(backup.Options{}))
	if !errors.Is(err, backup.ErrThere) || !strings.Contains(err.Error(), "crew.json") || !strings.Contains(err.Error(), ".env") {
		t.Errorf("it is refused with %v", err)
	}
	if after, err := os.ReadFile(filepath.Join(to.State, trust.FileName)); err != nil || !bytes.Equal(before, after) {
		t.Error("refused, it has changed something")
	}
	if _, err := a.Restore(to, with(backup.Options{Force: true})); err != nil {
		t.Fatal(err)
	}
	if got, want := files(t, to.State), []string{"audit.log", "crew.json", "identity.pem", "lock"}; !slices.Equal(got, want) {
		t.Errorf("left is %v, want %v", got, want)
	}
}

// A disk that is full at any step before the first file is replaced, and an audit
// log that takes no line.
func TestARestoreThatCannotBeStoredLeavesWhatWasThere(t *testing.T) {
	t.Parallel()
	a := carried(t, lived(t))
	to := lived(t)
	before := contents(t, to.State)
	for _, step := range []diskfault.Step{diskfault.Create, diskfault.Write, diskfault.Sync, diskfault.Close, "audit"} {
		o := with(backup.Options{Force: true})
		disk := &diskfault.Disk{}
		disk.Fail(step, false)
		o.Disk = disk
		if step == "audit" {
			o.Audit = func() error { return diskfault.ErrFault }
		}
		if written, err := a.Restore(to, o); !errors.Is(err, diskfault.ErrFault) || len(written) > 0 {
			t.Errorf("%s: %v, written %v", step, err, written)
		}
		if after := contents(t, to.State); !maps.Equal(before, after) {
			t.Errorf("%s: the state folder has changed", step)
		}
	}
}

// contents is every file of a folder.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range files(t, folder) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(data)
	}
	return all
}

func TestNothingToKeepIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := backup.Collect(empty(t), noon); !errors.Is(err, backup.ErrEmpty) {
		t.Errorf("refused with %v", err)
	}
}

func archive(t testing.TB, files ...*tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range files {
		h.Mode, h.Size = 0o600, 0
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnArchiveThatIsNotAllBelievedIsRefusedWhole(t *testing.T) {
	t.Parallel()
	whole, err := carried(t, lived(t)).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	a := carried(t, lived(t))
	var lonely backup.Archive // a crew without its identity
	for _, f := range a.Files {
		if f.Name == "state/crew.json" {
			lonely.Files = append(lonely.Files, f)
		}
	}
	alone, err := lonely.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	many := make([]*tar.Header, backup.MaxFiles+1)
	for i := range many {
		many[i] = &tar.Header{Name: "config/a" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".toml"}
	}
	for name, data := range map[string][]byte{
		"nothing":               nil,
		"no archive":            []byte("hello"),
		"cut off":               whole[:515],
		"a way out":             archive(t, &tar.Header{Name: "state/../../.ssh/authorized_keys"}),
		"an absolute name":      archive(t, &tar.Header{Name: "/etc/passwd"}),
		"another file":          archive(t, &tar.Header{Name: "state/audit.log"}),
		"a hidden folder":       archive(t, &tar.Header{Name: "config/.ssh/x.toml"}),
		"a link":                archive(t, &tar.Header{Name: "config/.env", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}),
		"a name twice":          archive(t, &tar.Header{Name: "config/.env"}, &tar.Header{Name: "config/.env"}),
		"too many":              archive(t, many...),
		"an identity of nobody": archive(t, &tar.Header{Name: "state/identity.pem"}),
		"a crew of nothing":     archive(t, &tar.Header{Name: "state/crew.json"}),
		"a crew alone":          alone,
		"no list of devices":    archive(t, &tar.Header{Name: "state/devices.json"}),
	} {
		if _, err := backup.Parse(data); !errors.Is(err, backup.ErrContent) {
			t.Errorf("%s: refused with %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	whole, err := carried(f, lived(f)).Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("hello"))
	f.Add(archive(f, &tar.Header{Name: "config/.env"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := backup.Parse(data)
		if err != nil {
			if !errors.Is(err, backup.ErrContent) {
				t.Fatal(err)
			}
			return
		}
		for _, file := range a.Files {
			if strings.Contains(file.Name, "..") || !strings.HasPrefix(file.Name, "state/") && !strings.HasPrefix(file.Name, "config/") {
				t.Fatalf("it holds %q", file.Name)
			}
		}
		if _, err := a.Devices(); err != nil {
			t.Fatal(err)
		}
	})
}
