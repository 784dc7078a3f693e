package pairing

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/crypto/atomicfile/diskfault"
	"collie/node/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a store in a folder of its own, with a clock to turn.
type fixture struct {
	*Store
	t *testing.T

	mu      sync.Mutex
	now     time.Time
	entries []Entry
	deaf    bool // the audit log cannot be written
	disk    diskfault.Disk
}

func open(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	f.Store = Open(filepath.Join(t.TempDir(), "devices.json"), Options{
		Now: f.clock, Rand: rand.NewChaCha8([32]byte{1}), Disk: &f.disk, Audit: f.audit,
	})
	t.Cleanup(func() { f.Close() })
	return f
}

func (f *fixture) clock() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

func (f *fixture) audit(e Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.deaf {
		return errors.New("disk full")
	}
	f.entries = append(f.entries, e)
	return nil
}

func (f *fixture) setDeaf(deaf bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = deaf
}

func (f *fixture) code(lifetime time.Duration) string {
	f.t.Helper()
	code, err := f.NewCode(lifetime, "shell of pane 3")
	if err != nil {
		f.t.Fatalf("new code: %v", err)
	}
	return code.Code
}

func (f *fixture) pair(label string, lifetime time.Duration) string {
	f.t.Helper()
	token, _, err := f.Claim(context.Background(), label, f.code(lifetime), label)
	if err != nil {
		f.t.Fatalf("pair %q: %v", label, err)
	}
	return token
}

func (f *fixture) refused(token string, want error) {
	f.t.Helper()
	if device, err := f.Authenticate(token); !errors.Is(err, want) {
		f.t.Fatalf("authenticate: %v, %v; want %v", device.Label, err, want)
	}
}

func (f *fixture) accepted(token, label string) Device {
	f.t.Helper()
	device, err := f.Authenticate(token)
	if err != nil || device.Label != label {
		f.t.Fatalf("authenticate: %q, %v; want %q", device.Label, err, label)
	}
	return device
}

func (f *fixture) labels() string {
	f.t.Helper()
	devices, err := f.Devices()
	if err != nil {
		f.t.Fatal(err)
	}
	var labels []string
	for _, d := range devices {
		labels = append(labels, d.Label)
	}
	return strings.Join(labels, ",")
}

func over(d Device) bool {
	select {
	case <-d.Ended():
		return true
	default:
		return false
	}
}

func TestOnlyTheHashOfATokenIsStored(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	f.accepted(token, "pixel")
	data, err := os.ReadFile(f.path)
	if err != nil || strings.Contains(string(data), token) {
		t.Fatalf("devices.json (%v) holds the token:\n%s", err, data)
	}
	info, err := os.Stat(f.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("devices.json: %v, %v; want 0600", info.Mode(), err)
	}
}

func TestUnknownTokensAreNotPaired(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.refused("anything", ErrNotPaired)
	f.pair("pixel", 0)
	for _, token := range []string{"", "x", strings.Repeat("A", 43), strings.Repeat("A", 1<<16)} {
		f.refused(token, ErrNotPaired)
	}
}

func TestADeviceSurvivesARestart(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	f.pass(5 * time.Minute)
	f.accepted(token, "pixel")
	f.Close()
	f.Store = Open(f.path, f.Options)
	devices, err := f.Devices()
	if err != nil || len(devices) != 1 || !devices[0].LastSeenAt.Equal(f.clock()) || !devices[0].CreatedAt.Equal(f.clock().Add(-5*time.Minute)) {
		t.Fatalf("after a restart: %+v, %v", devices, err)
	}
	f.accepted(token, "pixel")
}

func TestRevokingEndsTheNextRequestAndOpenStreams(t *testing.T) {
	t.Parallel()
	f := open(t)
	lost, kept := f.pair("lost", 0), f.pair("kept", 0)
	stream, other := f.accepted(lost, "lost"), f.accepted(kept, "kept")
	if err := f.Revoke(api.WithDevice(context.Background(), "kept"), "lost"); err != nil {
		t.Fatal(err)
	}
	if !over(stream) || over(other) {
		t.Fatalf("ended: lost %v, kept %v", over(stream), over(other))
	}
	f.refused(lost, ErrNotPaired)
	f.accepted(kept, "kept")
	want := Entry{Action: "device.revoke", Device: "kept", Via: "phone", What: "lost", Outcome: "ok"}
	if got := f.entries[len(f.entries)-1]; got != want {
		t.Fatalf("audit: %+v, want %+v", got, want)
	}
	if err := f.Revoke(context.Background(), "lost"); !errors.Is(err, ErrDeviceNotFound) {
		t.Fatalf("second revocation: %v", err)
	}
}

func TestRevokingTheLastDeviceOpensNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	if err := f.Revoke(context.Background(), "pixel"); err != nil {
		t.Fatal(err)
	}
	f.refused(token, ErrNotPaired)
	f.refused("", ErrNotPaired)
}

func TestALifetimeCountsFromTheClaim(t *testing.T) {
	t.Parallel()
	f := open(t)
	code := f.code(12 * time.Hour)
	f.pass(9 * time.Minute)
	claimed := f.clock()
	token, device, err := f.Claim(context.Background(), "a", code, "pixel")
	if err != nil || !device.ExpiresAt.Equal(claimed.Add(12*time.Hour)) {
		t.Fatalf("claim: %v, %v", device.ExpiresAt, err)
	}
	f.pass(12*time.Hour - time.Second)
	f.accepted(token, "pixel")
	f.pass(time.Second)
	f.refused(token, ErrExpired)
	devices, err := f.Devices()
	if err != nil || len(devices) != 1 || !devices[0].Expired {
		t.Fatalf("an expired device must stay listed: %+v, %v", devices, err)
	}
}

func TestANewExpiryCountsFromNow(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", time.Hour)
	f.pass(2 * time.Hour)
	f.refused(token, ErrExpired)
	if err := f.SetExpiry(context.Background(), "pixel", time.Hour); err != nil {
		t.Fatal(err)
	}
	device := f.accepted(token, "pixel")
	if over(device) {
		t.Fatal("a device that came back is ended")
	}
	f.pass(time.Hour)
	f.refused(token, ErrExpired)
	if err := f.ClearExpiry(context.Background(), "pixel"); err != nil {
		t.Fatal(err)
	}
	f.pass(MaxLifetime * 2)
	f.accepted(token, "pixel")
	for _, lifetime := range []time.Duration{0, -time.Hour, MaxLifetime + 1} {
		if err := f.SetExpiry(context.Background(), "pixel", lifetime); !errors.Is(err, ErrLifetime) {
			t.Errorf("lifetime %v: %v", lifetime, err)
		}
	}
}

func TestRenewingReplacesTheToken(t *testing.T) {
	t.Parallel()
	f := open(t)
	old := f.pair("pixel", 0)
	device := f.accepted(old, "pixel")
	token, err := f.Renew(context.Background(), device)
	if err != nil {
		t.Fatal(err)
	}
	f.refused(old, ErrNotPaired)
	f.accepted(token, "pixel")
	if !over(device) {
		t.Fatal("streams of the old token go on")
	}
	if _, err := f.Renew(context.Background(), device); !errors.Is(err, ErrNotPaired) {
		t.Fatalf("a second renewal with the old token: %v", err)
	}
	f.accepted(token, "pixel")
}

func TestAnExpiredDeviceRenewsNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	device := f.accepted(f.pair("pixel", time.Hour), "pixel")
	f.pass(time.Hour)
	if _, err := f.Renew(context.Background(), device); !errors.Is(err, ErrExpired) {
		t.Fatal(err)
	}
}

func TestAChangeThatCannotBeAuditedIsRefusedUnlessItRevokes(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	device := f.accepted(token, "pixel")
	code := f.code(0)
	f.setDeaf(true)
	changes := map[string]func() error{
		"code":   func() error { _, err := f.NewCode(0, "x"); return err },
		"claim":  func() error { _, _, err := f.Claim(context.Background(), "b", code, "tablet"); return err },
		"expiry": func() error { return f.SetExpiry(context.Background(), "pixel", time.Hour) },
		"clear":  func() error { return f.ClearExpiry(context.Background(), "pixel") },
		"renew":  func() error { _, err := f.Renew(context.Background(), device); return err },
	}
	for name, change := range changes {
		if err := change(); !errors.Is(err, api.ErrAuditUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f.accepted(token, "pixel")
	if f.labels() != "pixel" {
		t.Errorf("devices: %s", f.labels())
	}
	if err := f.Revoke(context.Background(), "pixel"); err != nil {
		t.Errorf("revoke: %v", err)
	}
	f.refused(token, ErrNotPaired)
	f.setDeaf(false)
	if _, _, err := f.Claim(context.Background(), "b", code, "tablet"); err != nil {
		t.Errorf("the code was spent by a refused claim: %v", err)
	}
}

// Whatever step of the write fails, the answer is an error, and what holds
// then is what the disk says, now and after a restart.
func TestAFailedWriteIsNeverAnsweredAsDone(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persists := range []bool{false, true} {
			f := open(t)
			token := f.pair("pixel", 0)
			f.disk.Fail(step, persists)
			if err := f.Revoke(context.Background(), "pixel"); !errors.Is(err, diskfault.ErrFault) || !errors.Is(err, api.ErrUnsaved) {
				t.Fatalf("%s: %v", step, err)
			}
			last := f.entries[len(f.entries)-1]
			if last.Action != "device.revoke" || last.Outcome != "unsaved" {
				t.Errorf("%s: audit %+v", step, last)
			}
			_, now := f.Authenticate(token)
			f.disk.Heal()
			f.Close()
			f.Store = Open(f.path, f.Options)
			if _, later := f.Authenticate(token); !errors.Is(now, ErrNotPaired) || !errors.Is(later, ErrNotPaired) {
				t.Errorf("%s, persists %v: %v before a restart, %v after", step, persists, now, later)
			}
		}
	}
}

func TestTheListIsBounded(t *testing.T) {
	t.Parallel()
	f := open(t)
	records := make([]record, MaxDevices)
	for i := range records {
		records[i] = record{Label: "d" + string(rune('一'+i)), CreatedAt: f.clock()}
		records[i].Token[0], records[i].Token[1] = byte(i), 1
	}
	if err := f.write(records); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Claim(context.Background(), "a", f.code(0), "one more"); !errors.Is(err, ErrTooManyDevices) {
		t.Fatalf("device %d: %v", MaxDevices+1, err)
	}
}

func TestCodesAreStableAndUnique(t *testing.T) {
	t.Parallel()
	var codes []string
	for _, e := range Codes() {
		if e.Status < 400 || e.Message == "" || slices.Contains(codes, e.Code) {
			t.Errorf("refusal %+v", e)
		}
		codes = append(codes, e.Code)
	}
}
