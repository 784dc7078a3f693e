package pairing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/node/api"
	"collie/node/site"
)

func (f *fixture) claim(source, code, label string) error {
	_, _, err := f.Claim(context.Background(), source, code, label)
	return err
}

// race runs n claims at once, each from an address of its own.
func (f *fixture) race(n int, code func(i int) string) (won, lost int) {
	f.t.Helper()
	results := make(chan error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			results <- f.claim(fmt.Sprint("10.0.0.", i), code(i), fmt.Sprint("device ", i))
		})
	}
	close(start)
	all.Wait()
	for range n {
		switch err := <-results; {
		case err == nil:
			won++
		case errors.Is(err, ErrCodeRefused):
			lost++
		default:
			f.t.Errorf("claim: %v", err)
		}
	}
	return won, lost
}

func TestFiftyClaimsRacingOnOneCodeEnrolOneDevice(t *testing.T) {
	t.Parallel()
	f := open(t)
	code := f.code(0)
	won, lost := f.race(50, func(int) string { return code })
	devices, err := f.Devices()
	if won != 1 || lost != 49 || err != nil || len(devices) != 1 {
		t.Fatalf("%d won, %d lost, %d devices, %v", won, lost, len(devices), err)
	}
}

func TestWrongGuessesThatRaceAllCount(t *testing.T) {
	t.Parallel()
	f := open(t)
	code := f.code(0)
	if won, lost := f.race(10, func(int) string { return "22222222" }); won != 0 || lost != 10 {
		t.Fatalf("%d won, %d lost", won, lost)
	}
	if err := f.claim("b", code, "pixel"); !errors.Is(err, ErrCodeRefused) {
		t.Fatalf("the right code after ten wrong ones: %v", err)
	}
}

func TestTheFifthWrongCodeKills(t *testing.T) {
	t.Parallel()
	f := open(t)
	code := f.code(0)
	for range MaxWrongCodes - 1 {
		_ = f.claim("a", "22222222", "pixel")
	}
	if err := f.claim("b", code, "pixel"); err != nil {
		t.Fatalf("after four wrong codes: %v", err)
	}
	code = f.code(0)
	for range MaxWrongCodes {
		_ = f.claim("c", "22222222", "tablet")
	}
	if err := f.claim("d", code, "tablet"); !errors.Is(err, ErrCodeRefused) {
		t.Fatalf("after five wrong codes: %v", err)
	}
}

func TestACodeIsValidForTenMinutes(t *testing.T) {
	t.Parallel()
	f := open(t)
	code, err := f.NewCode(0, "shell")
	if err != nil || !code.ExpiresAt.Equal(f.clock().Add(10*time.Minute)) || len(code.Code) != 8 {
		t.Fatalf("code %+v, %v", code, err)
	}
	f.pass(10 * time.Minute)
	if err := f.claim("a", code.Code, "pixel"); !errors.Is(err, ErrCodeRefused) {
		t.Fatalf("after ten minutes: %v", err)
	}
}

func TestTheOldestCodeMakesRoom(t *testing.T) {
	t.Parallel()
	f := open(t)
	oldest, second := f.code(0), f.code(0)
	for range MaxLiveCodes - 1 {
		f.code(0)
	}
	if err := f.claim("a", oldest, "pixel"); !errors.Is(err, ErrCodeRefused) {
		t.Errorf("the oldest code: %v", err)
	}
	if err := f.claim("a", second, "pixel"); err != nil {
		t.Errorf("the second code: %v", err)
	}
}

// A17: what was pasted holds what cannot be seen.
func TestAPastedCodeIsTakenOrRefusedByName(t *testing.T) {
	t.Parallel()
	f := open(t)
	for i, dress := range []func(string) string{
		strings.ToLower,
		func(c string) string { return "\ufeff" + c[:4] + "-" + c[4:] },
		func(c string) string { return c[:2] + "\u200b" + c[2:] + "\u00a0\r\n" },
		func(c string) string { return " " + c[:4] + " – " + strings.ToLower(c[4:]) + " " },
	} {
		code := f.code(0)
		if err := f.claim("a", dress(code), fmt.Sprint("device ", i)); err != nil {
			t.Errorf("dress %d: %v", i, err)
		}
	}
	code := f.code(0)
	for i, typed := range []string{"", "2345678", code + "2", "0OIl1234", strings.Repeat("2", 1<<16)} {
		if err := f.claim(fmt.Sprint("b", i), typed, "x"); !errors.Is(err, ErrCodeInvalid) {
			t.Errorf("%.20q: %v", typed, err)
		}
	}
	if err := f.claim("c", code, "x"); err != nil {
		t.Errorf("text that is no code counted as a wrong one: %v", err)
	}
}

func TestARefusedLabelSpendsNoCode(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.pair("pixel", 0)
	code := f.code(0)
	if err := f.claim("a", code, "pix\u200bel"); !errors.Is(err, ErrLabelInUse) {
		t.Fatalf("a label in use: %v", err)
	}
	for _, label := range []string{"", "a/b", "two\nlines", "..", strings.Repeat("x", 49)} {
		if err := f.claim("a", code, label); !errors.Is(err, ErrLabelInvalid) {
			t.Fatalf("label %q: %v", label, err)
		}
	}
	if err := f.claim("a", code, "tablet"); err != nil {
		t.Fatalf("the code is spent: %v", err)
	}
}

func TestOnlyTheRightCodeLearnsThatALabelIsInUse(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.pair("pixel", 0)
	f.code(0)
	if err := f.claim("a", "22222222", "pixel"); !errors.Is(err, ErrCodeRefused) {
		t.Fatalf("a wrong code with a label in use: %v", err)
	}
}

func TestTheLabelOfAnExpiredDeviceMayBeTakenOver(t *testing.T) {
	t.Parallel()
	f := open(t)
	old := f.pair("pixel", time.Hour)
	f.pass(time.Hour)
	f.entries = nil
	token := f.pair("pixel", 0)
	f.refused(old, ErrNotPaired)
	f.accepted(token, "pixel")
	if f.labels() != "pixel" {
		t.Fatalf("devices: %s", f.labels())
	}
	want := "[{pair.code  shell of pane 3  ok} {device.revoke  shell of pane 3 pixel ok} {device.pair  shell of pane 3 pixel ok}]"
	if got := fmt.Sprint(f.entries); got != want {
		t.Fatalf("audit: %s, want %s", got, want)
	}
}

func TestTriesAreLimitedPerSourceAndMinute(t *testing.T) {
	t.Parallel()
	f := open(t)
	for range site.MaxTries {
		if err := f.claim("a", "no code", "x"); !errors.Is(err, ErrCodeInvalid) {
			t.Fatal(err)
		}
	}
	code := f.code(0)
	if err := f.claim("a", code, "x"); !errors.Is(err, ErrRateLimited) {
		t.Fatalf("the eleventh try: %v", err)
	}
	if err := f.claim("b", code, "x"); err != nil {
		t.Fatalf("another source: %v", err)
	}
	f.pass(time.Minute)
	if err := f.claim("a", f.code(0), "y"); err != nil {
		t.Fatalf("a minute later: %v", err)
	}
}

func TestAClaimThatNobodyWaitsForEnrolsNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code := f.code(0)
	if _, _, err := f.Claim(ctx, "a", code, "pixel"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := f.claim("a", code, "pixel"); err != nil {
		t.Fatalf("the code is spent: %v", err)
	}
}

func TestNoCodeIsShownThatCannotBeClaimed(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.pair("pixel", 0)
	f.damage("{")
	if _, err := f.NewCode(0, "shell"); !errors.Is(err, api.ErrPairingUnavailable) {
		t.Fatal(err)
	}
	if _, err := f.NewCode(MaxLifetime+1, "shell"); !errors.Is(err, ErrLifetime) {
		t.Fatal(err)
	}
}
