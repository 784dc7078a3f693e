package lead

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/lead/meter"
	"collie/node/api"
	"collie/node/load"
)

func (m *machine) Load(context.Context) (load.Reading, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads++
	return m.reading, m.err
}

func (m *machine) says(reading load.Reading, err error) (asked int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading, m.err = reading, err
	return m.loads
}

// busy is a reading after so many minutes with half of its processors at work.
func busy(minutes int) load.Reading {
	return load.Reading{
		UptimeMs: int64(1+minutes) * 60_000, BusyTicks: uint64(minutes) * 3000, TotalTicks: uint64(1+minutes) * 6000, Cores: 4,
		MemoryUsedBytes: 1 << 30, MemoryTotalBytes: 4 << 30, Load1: 2, SentBytes: uint64(minutes) * 60_000,
	}
}

// loadedLead is a lead of juno, whose link is up.
func loadedLead(t *testing.T, now func() time.Time) (l *Lead, juno *machine) {
	t.Helper()
	l, juno = New(openNode(t, slog.New(slog.DiscardHandler)), now, slog.New(slog.DiscardHandler)), newMachine()
	l.herd.set(func() {
		l.herd.solo, l.herd.self = false, api.MachineInfo{ID: "atlas", Label: "Atlas", Lead: true, State: "reachable"}
		l.herd.followers["juno"] = &follower{info: api.MachineInfo{ID: "juno", Label: "Juno", State: "reachable"}, machine: l.remote("juno", juno), readable: true}
	})
	return l, juno
}

func ask[T any](t *testing.T, l *Lead, path string) (status int, answer T) {
	t.Helper()
	router := httprouter.New()
	for _, route := range l.LoadRoutes() {
		router.Handle(route.Method, route.Path, route.Handle)
	}
	w := httptest.NewRecorder()
	router.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	must(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return w.Code, answer
}

func TestAPhoneThatLooksGetsWhatEveryMachineIsBusyWith(t *testing.T) {
	t.Parallel()
	var at atomic.Int64
	l, juno := loadedLead(t, func() time.Time { return noon.Add(time.Duration(at.Load())) })
	juno.says(busy(0), nil)
	first := func() api.MachineLoad {
		t.Helper()
		_, all := ask[api.Machines](t, l, "/machines")
		if len(all.Machines) != 2 || all.Machines[0].ID != "atlas" || all.Machines[0].Load == nil || all.Machines[1].ID != "juno" {
			t.Fatalf("the machines are %+v", all)
		}
		return all.Machines[1]
	}
	if got := first().Load; got == nil || got.CPU != nil || got.MemoryUsedBytes != 1<<30 || got.Cores != 4 || got.Load1 != 2 {
		t.Errorf("at the first look: %+v", got)
	}
	asked := juno.says(busy(1), nil)
	first() // two phones may look
	if again := juno.says(busy(1), nil); again != asked {
		t.Error("a machine is asked again at once")
	}
	at.Store(int64(lookEvery))
	if got := first().Load; got == nil || got.CPU == nil || *got.CPU != 0.5 || *got.SentBytesPerSec != 1000 || *got.ReceivedBytesPerSec != 0 {
		t.Errorf("at the second look: %+v", got)
	}
	juno.says(load.Reading{}, api.ErrHostUnreachable)
	at.Store(int64(time.Hour))
	if got := first(); got.Load != nil || got.State != "reachable" {
		t.Errorf("of a machine that does not answer: %+v", got)
	}
	if status, _ := ask[api.Error](t, l, "/machines/nobody/history"); status != http.StatusNotFound {
		t.Errorf("the history of nobody: %d", status)
	}
}

func TestALeadKeepsAMinutePointAndJudgesTheOperatorsRules(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), meter.TableName)
	must(t, os.WriteFile(path, []byte("[[alert]]\nmetric = \"cpu\"\nabove = 40\nfor = \"2m\"\nmachines = [\"juno\"]\n"), 0o600))
	l, juno := loadedLead(t, time.Now)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		juno.says(busy(0), nil)
		go func() { _ = l.FollowLoad(ctx, LoadFiles{Rules: path, Day: filepath.Join(t.TempDir(), "load.day")}) }()
		synctest.Wait()
		for minute := 1; minute <= 3; minute++ {
			before := juno.says(busy(minute), nil)
			time.Sleep(meter.Step)
			synctest.Wait()
			if asked := juno.says(busy(minute), nil) - before; asked != 1 {
				t.Errorf("in minute %d juno was asked %d times", minute, asked)
			}
		}
		_, day := ask[api.MachineHistory](t, l, "/machines/juno/history")
		if len(day.CPU) != 3 || *day.CPU[2] != 0.5 || *day.Memory[0] != 0.25 || *day.Load[1] != 0.5 || *day.SentBytesPerSec[0] != 1000 || day.StepMs != 60_000 ||
			day.From != time.Now().Add(-2*time.Minute).Truncate(time.Minute).UnixMilli() {
			t.Errorf("the day is %+v", day)
		}
		if alerts := l.meter.Alerts("juno"); len(alerts) != 1 || alerts[0].Minutes != 3 {
			t.Errorf("the alerts are %+v", alerts)
		}
		if alerts := l.meter.Alerts(""); len(alerts) != 0 {
			t.Errorf("of this machine: %+v", alerts)
		}
		must(t, os.WriteFile(path, []byte("[[alert]]\nmetric = 1\n"), 0o600))
		time.Sleep(meter.Step)
		synctest.Wait()
		cancel()
		synctest.Wait() // the day is stored at the end, into a folder of this test
	})
	if _, all := ask[api.Machines](t, l, "/machines"); !strings.Contains(all.Problem, "line 2, column 10") {
		t.Errorf("the problem is %q", all.Problem)
	}
}

func TestTheDayIsStoredNowAndThenAndAtTheEndAndReadAtTheStart(t *testing.T) {
	t.Parallel()
	files := LoadFiles{Rules: filepath.Join(t.TempDir(), meter.TableName), Day: filepath.Join(t.TempDir(), "load.day")}
	first, juno := loadedLead(t, time.Now)
	second := New(openNode(t, slog.New(slog.DiscardHandler)), time.Now, slog.New(slog.DiscardHandler)) // its members are not there yet
	synctest.Test(t, func(t *testing.T) {
		run := func(l *Lead) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { _ = l.FollowLoad(ctx, files); close(ended) }()
			synctest.Wait()
			return func() { cancel(); <-ended }
		}
		written := func() int64 {
			info, err := os.Stat(files.Day)
			if err != nil {
				return 0
			}
			return info.Size()
		}
		juno.says(busy(0), nil)
		stop := run(first)
		for minute := 1; minute <= 16; minute++ {
			juno.says(busy(minute), nil)
			time.Sleep(meter.Step)
			synctest.Wait()
			if size := written(); (size > 0) != (minute >= 15) {
				t.Errorf("after %d minutes the file has %d bytes", minute, size)
			}
		}
		before := written()
		stop()
		if written() <= before {
			t.Error("the end did not store the last minute")
		}
		stop = run(second)
		defer stop()
		if day := second.meter.History("juno", time.Now()); len(day) != 16 {
			t.Errorf("after a restart there are %d points", len(day))
		}
	})
}

func TestASoloNodeIsAMachineToo(t *testing.T) {
	t.Parallel()
	l := New(openNode(t, slog.New(slog.DiscardHandler)), time.Now, slog.New(slog.DiscardHandler))
	_, all := ask[api.Machines](t, l, "/machines")
	if len(all.Machines) != 1 || all.Machines[0].ID != thisMachine || all.Machines[0].Load == nil || all.Machines[0].State != "reachable" {
		t.Errorf("the machines are %+v", all)
	}
	if status, _ := ask[api.MachineHistory](t, l, "/machines/this/history"); status != http.StatusOK {
		t.Errorf("its history: %d", status)
	}
}
