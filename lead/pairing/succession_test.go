package pairing

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/mesh/trust"
	"collie/node/api"
)

func TestInheritedDevicesCountAndThoseOfSoloDaysSleep(t *testing.T) {
	t.Parallel()
	f := open(t)
	own := f.pair("own", 0)
	device, err := f.Authenticate(own)
	if err != nil {
		t.Fatal(err)
	}
	code := f.code(0)
	left := []trust.Device{{Label: "pixel", Token: secret.Hash("crew"), CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour)}}
	if err := f.Inherit(trust.DevicesCrew, left); err != nil || f.Using() != trust.DevicesCrew {
		t.Fatalf("%v, using %s", err, f.Using())
	}
	f.refused(own, ErrNotPaired)
	select {
	case <-device.Ended():
	default:
		t.Error("what a sleeping device has open goes on")
	}
	if got, err := f.Authenticate("crew"); err != nil || got.Label != "pixel" {
		t.Errorf("the inherited device: %+v, %v", got, err)
	}
	if err := f.claim("a", code, "x"); !errors.Is(err, ErrCodeRefused) {
		t.Errorf("a code of the list before: %v", err)
	}
	if bequest, err := f.Bequest(); err != nil || len(bequest) != 1 || bequest[0] != left[0] { // it was seen since
		t.Errorf("the bequest is %+v, %v", bequest, err)
	}
	f.Use(trust.DevicesOwn)
	if got, err := f.Authenticate(own); err != nil || got.Label != "own" {
		t.Errorf("awake again: %+v, %v", got, err)
	}
	f.refused("crew", ErrNotPaired)
	if err := f.Forget(trust.DevicesCrew, trust.DevicesOwn); err != nil {
		t.Fatal(err)
	}
	f.refused(own, ErrNotPaired)
	if rest, err := os.ReadDir(filepath.Dir(f.path)); err != nil || len(rest) != 0 {
		t.Errorf("%v is left, %v", rest, err)
	}
	if devices, err := f.Devices(); err != nil || len(devices) != 0 {
		t.Errorf("the list is %v, %v", devices, err)
	}
}

func TestAnInheritanceThatTheDiskRefusesChangesNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	own := f.pair("own", 0)
	f.disk.Fail("rename", false)
	if err := f.Inherit(trust.DevicesCrew, nil); err == nil {
		t.Fatal("stored on a disk that refuses")
	}
	if _, err := f.Authenticate(own); err != nil || f.Using() != trust.DevicesOwn {
		t.Errorf("%v, using %s", err, f.Using())
	}
	f.disk.Heal()
	if err := os.WriteFile(filepath.Join(filepath.Dir(f.path), string(trust.DevicesCrew)), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Use(trust.DevicesCrew)
	f.refused(own, api.ErrPairingUnavailable)
	if err := f.Inherit(trust.DevicesCrew, nil); err != nil {
		t.Errorf("a torn list is not replaced: %v", err)
	}
	f.refused(own, ErrNotPaired)
}
