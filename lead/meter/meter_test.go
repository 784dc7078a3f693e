package meter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/node/load"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// at is a reading so many minutes after noon on a machine that is busy with so
// much of its processors in each of them.
func at(minute int, busy float64) *load.Reading {
	return &load.Reading{
		UptimeMs: int64(1_000_000 + minute*60_000), BusyTicks: uint64(float64(minute) * 6000 * busy), TotalTicks: uint64(1000 + minute*6000), Cores: 2,
		MemoryUsedBytes: 50, MemoryTotalBytes: 100, Load1: 1, ReceivedBytes: uint64(minute) * 60_000, SentBytes: 0,
	}
}

func (m *Meter) run(from, to int, busy float64) {
	for i := from; i <= to; i++ {
		m.Minute("juno", "juno", at(i, busy), noon.Add(time.Duration(i)*time.Minute))
	}
}

func TestADayHasAPointForEachMinuteAndNoMore(t *testing.T) {
	t.Parallel()
	m := New()
	m.run(0, 2000, 0.25)
	now := noon.Add(2000 * time.Minute)
	day := m.History("juno", now)
	if len(day) != Points || !day[Points-1].At.Equal(now) || !day[0].At.Equal(now.Add(-(Points-1)*time.Minute)) {
		t.Fatalf("%d points from %v to %v", len(day), day[0].At, day[len(day)-1].At)
	}
	want := load.Rates{CPU: 0.25, Memory: 0.5, Load: 0.5, ReceivedBytesPerSec: 1000}
	if day[7].Rates != want || day[7].Absent {
		t.Errorf("a point is %+v", day[7])
	}
	if later := m.History("juno", now.Add(12*time.Hour)); len(later) != Points/2 {
		t.Errorf("half a day later there are %d points", len(later))
	}
	if got := m.History("nobody", now); got != nil {
		t.Errorf("nobody has %v", got)
	}
}

func TestAMinuteOfWhichNothingIsKnownIsSaid(t *testing.T) {
	t.Parallel()
	m := New()
	m.run(0, 3, 0.5)
	m.Minute("juno", "juno", nil, noon.Add(4*time.Minute)) // away
	m.run(5, 7, 0.5)                                       // the fifth has nothing to begin at
	var shape strings.Builder
	for _, p := range m.History("juno", noon.Add(7*time.Minute)) {
		shape.WriteByte(map[bool]byte{true: '.', false: 'x'}[p.Absent])
	}
	if shape.String() != "xxx..xx" {
		t.Errorf("the points are %s", &shape)
	}
}

func TestAClockThatIsSetBackAndAMachineThatStartsAgainBeginAnew(t *testing.T) {
	t.Parallel()
	m := New()
	m.run(0, 10, 0.5)
	m.Minute("juno", "juno", at(0, 0.5), noon.Add(11*time.Minute)) // it was started again
	if day := m.History("juno", noon.Add(11*time.Minute)); len(day) != 10 {
		t.Errorf("%d points", len(day))
	}
	m.Minute("juno", "juno", at(1, 0.5), noon.Add(-time.Hour))
	if day := m.History("juno", noon.Add(-time.Hour)); len(day) != 1 {
		t.Errorf("after the clock was set back there are %d points", len(day))
	}
}

func TestWhoLooksGetsTheRatesSinceTheLookBefore(t *testing.T) {
	t.Parallel()
	m := New()
	if _, known := m.Now("juno"); known {
		t.Error("a machine is known that nobody asked")
	}
	m.Look("juno", *at(0, 0.5), noon)
	if now, known := m.Now("juno"); !known || now.Rates != nil || now.Reading.Cores != 2 {
		t.Errorf("after one look it is %+v", now)
	}
	m.Look("juno", *at(1, 0.5), noon.Add(5*time.Second))
	if now, _ := m.Now("juno"); now.Rates == nil || now.Rates.CPU != 0.5 || !now.At.Equal(noon.Add(5*time.Second)) {
		t.Errorf("after two looks it is %+v", now)
	}
	m.Keep([]string{"atlas"})
	if _, known := m.Now("juno"); known {
		t.Error("a machine that left is remembered")
	}
	for i := range MaxMachines + 10 {
		m.Look(fmt.Sprint(i), *at(0, 0), noon)
	}
	if len(m.machines) != MaxMachines {
		t.Errorf("%d machines are remembered", len(m.machines))
	}
}

func rules(t *testing.T, text string) ([]Rule, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), TableName)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadRules(path)
}

func TestARuleHoldsOnceEveryMinuteOfItsTimeWasAbove(t *testing.T) {
	t.Parallel()
	all, err := rules(t, "[[alert]]\nmetric = \"cpu\"\nabove = 90\nfor = \"3m\"\n[[alert]]\nmetric = \"memory\"\nabove = 20\nfor = \"90s\"\nmachines = [\"atlas\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	m := New()
	m.SetRules(all)
	m.Minute("juno", "juno", at(0, 0.95), noon)
	for minute := 1; minute <= 5; minute++ {
		m.run(minute, minute, 0.95)
		alerts := m.Alerts("juno")
		if minute < 3 && len(alerts) != 0 || minute >= 3 && (len(alerts) != 1 || alerts[0] != Alert{Metric: "cpu", Above: 90, Minutes: minute}) {
			t.Errorf("after %d minutes: %+v", minute, alerts)
		}
	}
	again, _ := rules(t, "[[alert]]\nmetric = \"cpu\"\nabove = 90\nfor = \"3m\"\n[[alert]]\nmetric = \"memory\"\nabove = 20\nfor = \"90s\"\nmachines = [\"atlas\"]\n")
	m.SetRules(again)
	if len(m.Alerts("juno")) != 1 {
		t.Error("the same rules, read again, begin anew")
	}
	calm := *at(6, 0.95)
	calm.BusyTicks = at(5, 0.95).BusyTicks
	m.Minute("juno", "juno", &calm, noon.Add(6*time.Minute))
	if alerts := m.Alerts("juno"); len(alerts) != 0 {
		t.Errorf("after a calm minute: %+v", alerts)
	}
	for i := range 3 {
		m.Minute("", "atlas", at(i, 0), noon.Add(time.Duration(i)*time.Minute))
	}
	if alerts := m.Alerts(""); len(alerts) != 1 || alerts[0].Metric != "memory" || alerts[0].Minutes != 2 {
		t.Errorf("a rule for atlas: %+v", alerts)
	}
	m.SetRules(nil)
	if alerts := m.Alerts(""); len(alerts) != 0 {
		t.Errorf("without rules: %+v", alerts)
	}
}

func TestARuleThatCannotBeJudgedIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	if none, err := LoadRules(filepath.Join(t.TempDir(), TableName)); err != nil || len(none) != 0 {
		t.Errorf("without a file: %v, %v", none, err)
	}
	good := "[[alert]]\nmetric = \"cpu\"\nabove = 90\nfor = \"5m\"\n"
	for text, want := range map[string]string{
		good + "\n[[alert]]\nmetric = \"disk\"\nabove = 1\nfor = \"5m\"": "line 6, column 1: metric is one of",
		good + "when = \"x\"":                      "line 5, column 1: unknown key alert.when",
		strings.Replace(good, "90", "\"much\"", 1): "line 3, column 9: ",
		strings.Replace(good, "90", "0", 1):        "above is a number above 0",
		strings.Replace(good, "90", "nan", 1):      "above is a number above 0",
		strings.Replace(good, "5m", "5", 1):        "for is a time",
		strings.Replace(good, "5m", "30s", 1):      "for is a time",
		strings.Replace(good, "5m", "25h", 1):      "for is a time",
		strings.Repeat(good, MaxRules+1):           "more than 50 rules",
	} {
		if _, err := rules(t, text); !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
