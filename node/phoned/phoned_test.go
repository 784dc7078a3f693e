package phoned

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile/diskfault"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// opened is a book whose clock a test moves, with a mask that hides one word.
func opened(t testing.TB, path string, clock *time.Time) *Book {
	t.Helper()
	return Open(path, Options{
		Hide: func(text string) string { return strings.ReplaceAll(text, "hunter2", "•••••••") },
		Now:  func() time.Time { return *clock }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
}

func turn(id, text string, at time.Time) Turn { return Turn{"claude 1", id, text, at} }

func want(t *testing.T, what string, got []string, devices ...string) {
	t.Helper()
	if !slices.Equal(got, devices) {
		t.Errorf("%s: the devices are %q, want %q", what, got, devices)
	}
}

func TestATurnHasThePhoneThatSentIt(t *testing.T) {
	t.Parallel()
	now := noon
	b := opened(t, filepath.Join(t.TempDir(), "phoned.json"), &now)
	b.Note("p1", "Pixel", "go on")
	b.Note("p1", "Tablet", "stop\n\nthere\tnow ")
	b.Note("p1", "Pixel", "it is hunter2‹›")
	b.Note("p1", "", "nobody's")
	later := noon.Add(2 * time.Second)
	want(t, "what was sent", b.Devices("p1", []Turn{
		turn("1", "go on", later), turn("2", "stop\n\nthere    now", later), turn("3", "it is •••••••<>", later),
		turn("4", "nobody's", later), turn("5", "go on, please", later), turn("6", "", later),
	}), "Pixel", "Tablet", "Pixel", "", "", "")
	want(t, "another pane", b.Devices("p2", []Turn{{"claude 2", "1", "go on", later}}), "")
}

func TestANoteStandsForTheFirstTurnAfterItAndForNoOther(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		at   []time.Duration // of turns with the words of one note
		want []string
	}{
		"one after it":            {[]time.Duration{time.Second}, []string{"Pixel"}},
		"typed again by hand":     {[]time.Duration{time.Second, time.Minute}, []string{"Pixel", ""}},
		"typed before by hand":    {[]time.Duration{-30 * time.Second, time.Second}, []string{"", "Pixel"}},
		"a slow clock":            {[]time.Duration{-2 * time.Minute, -50 * time.Second, -40 * time.Second}, []string{"", "", "Pixel"}},
		"an agent that was busy":  {[]time.Duration{50 * time.Minute}, []string{"Pixel"}},
		"too late and too early":  {[]time.Duration{-2 * time.Minute, 61 * time.Minute}, []string{"", ""}},
		"a log that has no times": {[]time.Duration{0}, []string{"Pixel"}},
	} {
		now := noon
		b := opened(t, filepath.Join(t.TempDir(), "phoned.json"), &now)
		b.Note("p1", "Pixel", "yes")
		var turns []Turn
		for i, after := range c.at {
			at := noon.Add(after)
			if after == 0 {
				at = time.Time{}
			}
			turns = append(turns, turn(fmt.Sprint(i), "yes", at))
		}
		want(t, what, b.Devices("p1", turns), c.want...)
		want(t, what+", again", b.Devices("p1", turns), c.want...)
	}
}

func TestTwoTextsOfTheSameWordsAreTwoTurnsAndASubmitIsNone(t *testing.T) {
	t.Parallel()
	now := noon
	b := opened(t, filepath.Join(t.TempDir(), "phoned.json"), &now)
	b.Note("p1", "Pixel", "yes")
	b.Note("p1", "Pixel", "yes")
	now = noon.Add(2 * time.Hour)
	b.Note("p1", "Pixel", "no")
	now = noon.Add(4 * time.Hour)
	b.Renew("p1", "Tablet", "no")
	want(t, "the turns", b.Devices("p1", []Turn{
		turn("1", "yes", noon.Add(time.Second)), turn("2", "yes", noon.Add(2*time.Second)), turn("3", "yes", noon.Add(3*time.Second)),
		turn("4", "no", noon.Add(2*time.Hour)), turn("5", "no", noon.Add(4*time.Hour+time.Second)),
	}), "Pixel", "Pixel", "", "", "Tablet")
}

func TestNotesOutliveAStopAndASessionThatGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	now, path := noon, filepath.Join(t.TempDir(), "phoned.json")
	said := []Turn{turn("1", "yes, do it", noon.Add(time.Second))}
	opened(t, path, &now).Note("the first pane", "Pixel", "yes, do it") // and no Close: it crashed
	b := opened(t, path, &now)
	want(t, "after a crash", b.Devices("the first pane", said), "Pixel")
	b.Close()
	want(t, "in another pane", opened(t, path, &now).Devices("p7", said), "Pixel")
	want(t, "another session there", opened(t, path, &now).Devices("p7", []Turn{{"claude 2", "1", "yes, do it", noon.Add(time.Second)}}), "")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "yes, do it") || strings.Contains(string(data), "the first pane") || strings.Contains(string(data), "claude 1") {
		t.Errorf("the file is %s, %v", data, err)
	}
}

func TestNotesGoWithAgeAndAreBounded(t *testing.T) {
	t.Parallel()
	now := noon
	b := opened(t, filepath.Join(t.TempDir(), "phoned.json"), &now)
	for i := range maxNotes {
		b.notes = append(b.notes, note{At: noon, Device: "Pixel", Place: strings.Repeat("p", hashChars), Text: fmt.Sprintf("%0*d", hashChars, i)})
	}
	b.Note("p1", "Pixel", "the last")
	if len(b.notes) != maxNotes || b.notes[0].Text != fmt.Sprintf("%0*d", hashChars, 1) {
		t.Errorf("there are %d notes, the first %q", len(b.notes), b.notes[0].Text)
	}
	if again := opened(t, b.path, &now); len(again.notes) != maxNotes {
		t.Errorf("%d are read back", len(again.notes))
	}
	now = noon.Add(keptFor + time.Minute)
	b.Note("p1", "Pixel", "the only one")
	if len(b.notes) != 1 {
		t.Errorf("%d are kept after that", len(b.notes))
	}
}

func TestAFileThatCannotBeBelievedIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	key := `"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
	for what, text := range map[string]string{
		"damaged":         `{"version":1,"notes":[`,
		"another version": `{"version":9,` + key + `,"notes":[]}`,
		"no key":          `{"version":1,"notes":[]}`,
		"a text":          `{"version":1,` + key + `,"notes":[{"at":"2026-11-30T12:00:00Z","device":"Pixel","place":"p1","text":"yes"}]}`,
		"a hostile label": `{"version":1,` + key + `,"notes":[{"at":"2026-11-30T12:00:00Z","device":"\u001b[2J","place":"0123456789012345678901","text":"0123456789012345678901"}]}`,
	} {
		now, path := noon, filepath.Join(t.TempDir(), "phoned.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b := opened(t, path, &now)
		b.Note("p1", "Pixel", "yes")
		want(t, what, b.Devices("p1", []Turn{turn("1", "yes", noon)}), "Pixel")
		b.Close()
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%s: the file is %s, %v", what, data, err)
		}
	}
}

func TestADiskThatFailsLeavesTheNotesBeforeOrAfter(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			now, path, disk := noon, filepath.Join(t.TempDir(), "phoned.json"), &diskfault.Disk{}
			b := opened(t, path, &now)
			b.options.Disk = disk
			b.Note("p1", "Pixel", "one")
			disk.Fail(step, persist)
			b.Note("p1", "Pixel", "two")
			if again := opened(t, path, &now); again.refused || len(again.notes) < 1 || len(again.notes) > 2 {
				t.Errorf("%s, %v: %d notes are read back", step, persist, len(again.notes))
			}
			disk.Heal()
			b.Close()
			if again := opened(t, path, &now); len(again.notes) != 2 {
				t.Errorf("%s, %v: %d notes once the disk is well", step, persist, len(again.notes))
			}
		}
	}
}
