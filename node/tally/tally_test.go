package tally

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func at(moment time.Time) func() time.Time { return func() time.Time { return moment } }

func opened(path string, moment time.Time) *Tally {
	return Open(path, at(moment), slog.New(slog.DiscardHandler))
}

func TestTheLastSevenDaysCountAlsoAfterAStop(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "composer.json")
	for i := range 10 {
		c := opened(path, noon.AddDate(0, 0, i))
		c.Add(Week{Free: 1})
		c.Add(Week{Unreadable: 1, SentByHand: i})
		c.Close()
	}
	c := opened(path, noon.AddDate(0, 0, 9))
	if got, want := c.Week(), (Week{Free: 7, Unreadable: 7, SentByHand: 3 + 4 + 5 + 6 + 7 + 8 + 9}); got != want {
		t.Errorf("the week is %+v, want %+v", got, want)
	}
	if got, want := opened(path, noon.AddDate(0, 0, 14)).Week(), (Week{Free: 2, Unreadable: 2, SentByHand: 17}); got != want {
		t.Errorf("five days later it is %+v, want %+v", got, want)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), `"day"`) != 7 {
		t.Errorf("the file is %s, %v", data, err)
	}
}

func TestAClockThatWasAheadLeavesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "composer.json")
	ahead := opened(path, noon.AddDate(1, 0, 0))
	ahead.Add(Week{Free: 5})
	ahead.Close()
	c := opened(path, noon)
	c.Add(Week{Free: 1})
	if got := c.Week(); got != (Week{Free: 1}) {
		t.Errorf("the week is %+v", got)
	}
	c.Close()
}

func TestTheFileIsWrittenRarely(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "composer.json")
	synctest.Test(t, func(t *testing.T) {
		c := Open(path, time.Now, slog.New(slog.DiscardHandler))
		missing := func() bool { _, err := os.Stat(path); return errors.Is(err, fs.ErrNotExist) }
		for range 100 {
			c.Add(Week{Free: 1})
		}
		time.Sleep(storeEvery - time.Second)
		if !missing() {
			t.Error("it is there at once")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if missing() {
			t.Fatal("it is not there after a while")
		}
		must(t, os.Remove(path))
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		c.Close()
		if !missing() {
			t.Error("it is written where nothing was counted")
		}
	})
}

func TestAFileThatCannotBeBelievedIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"damaged":         `{"version":1,"days":[`,
		"another version": `{"version":9,"days":[]}`,
		"too many days":   `{"version":1,"days":[` + strings.Repeat(`{"day":"2026-11-30"},`, 8) + `{"day":"2026-11-30"}]}`,
		"no day":          `{"version":1,"days":[{"day":"yesterday","free":1,"unreadable":0,"sentByHand":0}]}`,
		"a negative":      `{"version":1,"days":[{"day":"2026-11-30","free":-1,"unreadable":0,"sentByHand":0}]}`,
	} {
		path := filepath.Join(t.TempDir(), "composer.json")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		c := opened(path, noon)
		c.Add(Week{Free: 2})
		if got := c.Week(); got != (Week{Free: 2}) {
			t.Errorf("%s: the week is %+v", name, got)
		}
		c.Close()
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: the file is %s, %v", name, data, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
