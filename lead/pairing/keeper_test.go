package pairing

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func openInBubble(t *testing.T) *fixture {
	f := &fixture{t: t}
	f.Store = Open(filepath.Join(t.TempDir(), "devices.json"), Options{Audit: f.audit})
	return f
}

func TestAStreamEndsAtTheMomentOfExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := openInBubble(t)
		defer f.Close()
		device := f.accepted(f.pair("pixel", 12*time.Hour), "pixel")
		start := time.Now()
		<-device.Ended()
		if took := time.Since(start).Round(time.Second); took != 12*time.Hour {
			t.Fatalf("the stream ended after %v", took)
		}
	})
}

func TestAShorterExpiryIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := openInBubble(t)
		defer f.Close()
		device := f.accepted(f.pair("pixel", 0), "pixel")
		if err := f.SetExpiry(context.Background(), "pixel", time.Second); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		<-device.Ended()
		if took := time.Since(start).Round(time.Millisecond); took != time.Second {
			t.Fatalf("the stream ended after %v", took)
		}
	})
}

func TestARevocationByHandEndsStreamsWithinAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := openInBubble(t)
		defer f.Close()
		device := f.accepted(f.pair("pixel", 0), "pixel")
		f.damage(`{"version":1,"devices":[]}`)
		start := time.Now()
		<-device.Ended()
		if took := time.Since(start); took > time.Minute {
			t.Fatalf("the stream ended after %v", took)
		}
	})
}

func TestLastSeenIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := openInBubble(t)
		defer f.Close()
		token := f.pair("pixel", 0)
		time.Sleep(61 * time.Second)
		synctest.Wait()
		before, changes := f.bytes(), 0
		for range 180 {
			time.Sleep(time.Second)
			f.accepted(token, "pixel")
			synctest.Wait()
			if now := f.bytes(); now != before {
				before, changes = now, changes+1
			}
		}
		if changes != 3 || !strings.Contains(before, "lastSeenAt") {
			t.Fatalf("written %d times in three minutes:\n%s", changes, before)
		}
	})
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1h": time.Hour, "12h": 12 * time.Hour, "30d": 720 * time.Hour, "2w": 336 * time.Hour,
		"3650d": MaxLifetime, "87600h": MaxLifetime, "521w": 521 * 168 * time.Hour,
	} {
		if got, err := ParseLifetime(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "h", "12", "0d", "-1d", "+1d", "1.5h", "3651d", "522w", "87601h", "1m", "1y", " 1h", "1h ", "1_0h", "99999w", "4294967297d", "１h",
	} {
		if got, err := ParseLifetime(text); !errors.Is(err, ErrLifetime) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
