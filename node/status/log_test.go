package status

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/harness"
	"collie/node/pane"
)

// aLog is what a session log says.
type aLog struct {
	mu     sync.Mutex // guards what follows
	report Report
	says   bool
	reads  int
}

func (l *aLog) read(context.Context, pane.Info) (Report, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	return l.report, l.says
}

func (l *aLog) say(s harness.Status, at time.Time) (reads int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.report, l.says = Report{Status: s, At: at}, s != ""
	return l.reads
}

// withALog is a board of an idle pane whose log says nothing.
func withALog(t *testing.T) (*onePane, *aLog, *Board) {
	t.Helper()
	o, log := newOnePane(), &aLog{}
	o.show(t, "claude-idle", 1000)
	b := Open(o, harness.Builtin(), time.Now, slog.New(slog.DiscardHandler))
	t.Cleanup(b.Close)
	b.ReadLogs(log.read)
	time.Sleep(time.Minute)
	return o, log, b
}

func TestALogIsReadAfterTheScreenChangedAndNotOtherwise(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, log, _ := withALog(t)
		if reads := log.say("", time.Time{}); reads < 1 || reads > 2 {
			t.Fatalf("in a minute without a change it is read %d times", reads)
		}
		before := log.say(harness.Working, time.Now().Add(9*time.Second))
		for range 40 { // for ten seconds
			o.show(t, "claude-idle", 1000)
			time.Sleep(250 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if reads := log.say("", time.Time{}) - before; reads < 10 || reads > 12 {
			t.Errorf("in ten seconds of changes it is read %d times", reads)
		}
	})
}

func TestALogCountsUntilTheScreenShowsSomethingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o, log, b := withALog(t)
		is := func(what string, want harness.Status, from Source) {
			t.Helper()
			if belief := b.Of(o.info()); belief.Status != want || belief.Source != from {
				t.Errorf("%s: it is %s from its %s", what, belief.Status, belief.Source)
			}
		}
		step := func(screen string, s harness.Status, at time.Duration) {
			t.Helper()
			log.say(s, time.Now().Add(at))
			o.show(t, screen, 1000)
			time.Sleep(3 * time.Second)
		}
		step("claude-idle", harness.Working, -time.Hour)
		is("an old word", harness.Idle, Screen)
		step("claude-idle", harness.Idle, -time.Hour)
		is("an old word that is right", harness.Idle, Log)
		step("claude-slow", harness.Idle, 0)
		is("a word as new as the screen", harness.Idle, Log)
		time.Sleep(time.Second)
		o.show(t, "claude-slow", 1000)
		time.Sleep(time.Second)
		is("a screen that goes on working", harness.Working, Screen)
		step("claude-slow", harness.Blocked, 0)
		is("a log that asks for a person", harness.Working, Screen)
		step("claude-bash", harness.Working, 0)
		is("a question on the screen", harness.Blocked, Screen)
		step("claude-idle", harness.Idle, 0)
		is("a turn that ended", harness.Idle, Log)
		b.Report("p1", Report{Source: Hook, Status: harness.Working})
		is("a hook", harness.Working, Hook)
		step("claude-idle", "", 0)
		is("a log without a word", harness.Working, Hook)
	})
}
