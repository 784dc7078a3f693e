package pairing

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/crypto/atomicfile/diskfault"
	"collie/node/api"
)

func TestARevokedTokenStaysDeadThoughTheDiskKeepsIt(t *testing.T) {
	t.Parallel()
	f := open(t)
	token := f.pair("pixel", 0)
	device := f.accepted(token, "pixel")
	other := f.pair("tablet", 0)
	f.disk.Fail(diskfault.Write, false)
	f.setDeaf(true)
	for range 2 {
		if err := f.Revoke(context.Background(), "pixel"); !errors.Is(err, api.ErrUnsaved) {
			t.Fatalf("revoking on a full disk: %v", err)
		}
	}
	f.refused(token, ErrNotPaired)
	if !over(device) || f.Unsaved() == nil || f.labels() != "tablet" {
		t.Errorf("the stream ended %v, unsaved %v, devices %s", over(device), f.Unsaved(), f.labels())
	}
	// A file that is read again, with the token in it, does not bring it back.
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(f.path, later, later); err != nil {
		t.Fatal(err)
	}
	f.refused(token, ErrNotPaired)
	f.accepted(other, "tablet")
	f.disk.Heal()
	if err := f.Revoke(context.Background(), "pixel"); err != nil || f.Unsaved() != nil {
		t.Errorf("revoking again: %v, unsaved %v", err, f.Unsaved())
	}
	if data, err := os.ReadFile(f.path); err != nil || strings.Contains(string(data), "pixel") {
		t.Errorf("the file is %s, %v", data, err)
	}
	if err := f.Revoke(context.Background(), "pixel"); !errors.Is(err, ErrDeviceNotFound) {
		t.Errorf("a third time: %v", err)
	}
}

func TestARevocationIsStoredByItselfOnceTheDiskTakesIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := openInBubble(t)
		defer f.Close()
		f.Disk = &f.disk
		f.pair("pixel", 0)
		f.disk.Fail(diskfault.Write, false)
		if err := f.Revoke(context.Background(), "pixel"); !errors.Is(err, api.ErrUnsaved) {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if f.Unsaved() == nil {
			t.Error("it is stored on a full disk")
		}
		f.disk.Heal()
		time.Sleep(2 * retryEvery)
		if data, err := os.ReadFile(f.path); f.Unsaved() != nil || err != nil || strings.Contains(string(data), "pixel") {
			t.Errorf("unsaved %v, the file is %s, %v", f.Unsaved(), data, err)
		}
	})
}

func TestTheConsoleIsToldWhichFileIsBroken(t *testing.T) {
	t.Parallel()
	f := open(t)
	code := f.code(0)
	f.damage("{")
	_, listed := f.Devices()
	_, coded := f.NewCode(0, "")
	for what, err := range map[string]error{"list": listed, "pair": coded, "revoke": f.Revoke(context.Background(), "pixel")} {
		var refusal *api.Error
		if !errors.As(err, &refusal) || refusal.Code != api.ErrPairingUnavailable.Code {
			t.Errorf("%s: %v", what, err)
		} else if detail, _ := refusal.Detail.(string); !strings.Contains(detail, f.path) || !strings.Contains(detail, "move it away") {
			t.Errorf("%s: the detail is %q", what, detail)
		}
	}
	var refusal *api.Error
	if _, _, err := f.Claim(context.Background(), "a", code, "pixel"); !errors.As(err, &refusal) || refusal.Detail != nil {
		t.Errorf("a stranger is told %v", err)
	}
}
