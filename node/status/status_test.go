package status

import (
	"testing"
	"time"

	"collie/node/harness"
)

// A step of what is seen and said, at a time after the beginning.
type step struct {
	at     time.Duration
	screen harness.Status // seen, or
	source Source         // who reports
	status harness.Status
	want   harness.Status
	from   Source
}

func TestTheBestSourceIsBelieved(t *testing.T) {
	t.Parallel()
	const s = time.Second
	claude := harness.Builtin().Named("claude")
	for name, steps := range map[string][]step{
		"the screen alone": {
			{at: 0, screen: harness.Idle, want: harness.Idle, from: Screen},
			{at: s, screen: harness.Working, want: harness.Working, from: Screen},
		},
		"a hook is sooner than the screen": {
			{at: 0, screen: harness.Idle, want: harness.Idle, from: Screen},
			{at: 5 * s, source: Hook, status: harness.Working, want: harness.Working, from: Hook},
			{at: 5*s + s/10, screen: harness.Idle, want: harness.Working, from: Hook},
		},
		"a late picture does not outweigh a hook": {
			{at: 0, screen: harness.Working, want: harness.Working, from: Screen},
			{at: 5 * s, source: Hook, status: harness.Idle, want: harness.Idle, from: Hook},
			{at: 5*s + s/2, screen: harness.Unknown, want: harness.Idle, from: Hook},
		},
		"what the screen came to show later counts": {
			{at: 0, screen: harness.Working, want: harness.Working, from: Screen},
			{at: 5 * s, source: Hook, status: harness.Idle, want: harness.Idle, from: Hook},
			{at: 9 * s, screen: harness.Idle, want: harness.Idle, from: Screen},
			{at: 20 * s, screen: harness.Working, want: harness.Working, from: Screen},
		},
		"a question on the screen outweighs everything": {
			{at: 0, source: Hook, status: harness.Working, want: harness.Working, from: Hook},
			{at: s / 2, screen: harness.Blocked, want: harness.Blocked, from: Screen},
		},
		"a hook is better than a log": {
			{at: 0, source: Log, status: harness.Idle, want: harness.Idle, from: Log},
			{at: s, source: Hook, status: harness.Working, want: harness.Working, from: Hook},
			{at: 2 * s, source: Log, status: harness.Idle, want: harness.Working, from: Hook},
		},
		"a screen that is not understood leaves the hook's word": {
			{at: 0, source: Hook, status: harness.Working, want: harness.Working, from: Hook},
			{at: 60 * s, screen: harness.Unknown, want: harness.Working, from: Hook},
		},
	} {
		begin := time.Unix(1000, 0)
		p := &place{belief: Belief{Adapter: claude, Program: "claude.1.1", Status: harness.Unknown, Since: begin}, reported: map[Source]Report{}}
		for i, step := range steps {
			now := begin.Add(step.at)
			before := p.belief
			if step.screen != "" {
				p.see(claude, "claude.1.1", harness.Reading{Status: step.screen}, now)
			} else {
				p.reported[step.source] = Report{Source: step.source, Status: step.status, At: now}
				p.weigh(now)
			}
			if p.belief.Status != step.want || p.belief.Source != step.from {
				t.Errorf("%s, step %d: %s from %s, want %s from %s", name, i, p.belief.Status, p.belief.Source, step.want, step.from)
			}
			if since := p.belief.Since; (before.Status != p.belief.Status) != since.Equal(now) && step.at != 0 {
				t.Errorf("%s, step %d: since %s, and the status went from %s to %s", name, i, since.Sub(begin), before.Status, p.belief.Status)
			}
		}
	}
}

func TestAnotherProgramBeginsWithoutWhatWasSaidOfTheOneBefore(t *testing.T) {
	t.Parallel()
	set := harness.Builtin()
	now := time.Unix(1000, 0)
	p := &place{belief: Belief{Adapter: set.Named("claude"), Program: "claude.1.1"}, reported: map[Source]Report{
		Hook: {Source: Hook, Status: harness.Working, At: now.Add(time.Hour)},
	}}
	if changed, _ := p.see(set.Named(""), harness.ShellName, harness.Reading{Status: harness.Shell}, now); !changed {
		t.Error("nobody is told")
	}
	if p.belief.Status != harness.Shell || p.belief.Harness() != "shell" || p.belief.Source != Screen {
		t.Errorf("the belief is %+v", p.belief)
	}
}

func TestAQuestionCountsOnceTwoLooksInARowSawIt(t *testing.T) {
	t.Parallel()
	claude := harness.Builtin().Named("claude")
	now := time.Unix(1000, 0)
	p := &place{belief: Belief{Adapter: claude, Program: "claude.1.1", Status: harness.Working}, reported: map[Source]Report{}}
	asks := func(subject string) harness.Reading {
		return harness.Reading{Status: harness.Blocked, Owned: true, Prompt: &harness.Prompt{Question: "Proceed?", Subject: subject}}
	}
	for i, subject := range []string{"rm -rf", "rm -rf build"} {
		if _, again := p.see(claude, "claude.1.1", asks(subject), now); !again || p.belief.Prompt != nil || p.belief.Status != harness.Working {
			t.Errorf("look %d: half a question counts: %+v", i, p.belief)
		}
	}
	changed, again := p.see(claude, "claude.1.1", asks("rm -rf build"), now)
	if !changed || again || p.belief.Prompt == nil || p.belief.Prompt.Subject != "rm -rf build" || p.belief.Status != harness.Blocked {
		t.Errorf("the question does not count: %+v", p.belief)
	}
	if changed, again := p.see(claude, "claude.1.1", asks("rm -rf build"), now); changed || again || p.belief.Prompt == nil {
		t.Error("the same question has to be seen once more")
	}
	if changed, _ := p.see(claude, "claude.1.1", harness.Reading{Status: harness.Idle}, now); !changed || p.belief.Prompt != nil || p.belief.Status != harness.Idle {
		t.Errorf("a question that has gone still counts: %+v", p.belief)
	}
}
