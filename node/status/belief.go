package status

import (
	"context"
	"time"

	"collie/node/harness"
)

// A Source is where a belief comes from.
type Source string

// The sources, best first.
const (
	Hook    Source = "hook"
	Log     Source = "log"
	Screen  Source = "screen"
	Process Source = "process"
)

// A Belief is what is held to be true of a pane.
type Belief struct {
	Adapter *harness.Adapter
	// Program names the run of the program in the foreground: another agent, or
	// the same one started anew, is another program. All shells are one.
	Program string
	Status  harness.Status
	Since   time.Time
	Source  Source
	Why     string
	// Prompt is the question on the screen; nil when there is none, or none that
	// is understood.
	Prompt *harness.Prompt
}

// Harness is the name of what runs: "shell" without an agent.
func (b Belief) Harness() string { return b.Adapter.Name }

// A Report is what a hook or a session log says of the program in a pane.
type Report struct {
	Source Source // Hook or Log
	Status harness.Status
	Why    string    // one clause of ours, never text of the program's
	At     time.Time // zero: now
}

// A place is one pane on the board. The board's lock guards it.
type place struct {
	instance string // of the pane: an id may be given out again
	belief   Belief
	seen     harness.Reading // the screen, as it was read last
	seenAt   time.Time       // when its status became what it is
	lookedAt time.Time       // when it was read last and understood
	stood    string          // the key of the question that counts
	reported map[Source]Report
	cancel   context.CancelFunc
}

// becomes takes note of the program that runs, and reports whether it is another.
func (p *place) becomes(a *harness.Adapter, program string) (another bool) {
	if p.belief.Program == program {
		return false
	}
	clear(p.reported)
	p.belief.Adapter, p.belief.Program, p.belief.Prompt = a, program, nil
	p.seen, p.stood = harness.Reading{}, ""
	return true
}

// see takes a new reading. It reports whether the belief changed, and whether it
// saw a question that has to be seen once more to count.
func (p *place) see(a *harness.Adapter, program string, r harness.Reading, now time.Time) (changed, again bool) {
	another := p.becomes(a, program)
	if another || p.seen.Status != r.Status {
		p.seenAt = now
	}
	if r.Status != harness.Unknown {
		p.lookedAt = now
	}
	asked := key(r.Prompt)
	switch {
	case asked != key(p.seen.Prompt):
		p.stood = ""
	case p.stood != asked:
		p.stood, p.seenAt = asked, now
	}
	p.seen = r
	had := p.belief.Prompt != nil
	p.belief.Prompt = nil
	if asked != "" && p.stood == asked {
		p.belief.Prompt = r.Prompt
	}
	changed = p.weigh(now) || another || had != (p.belief.Prompt != nil)
	return changed, p.stood != asked
}

func key(p *harness.Prompt) string {
	if p == nil {
		return ""
	}
	return p.Key()
}

// weigh takes the best source's word.
func (p *place) weigh(now time.Time) (changed bool) {
	status, source, why := p.seen.Status, Screen, p.seen.Why
	if status == "" || (p.seen.Prompt != nil && p.stood == "") {
		status, source, why = p.belief.Status, p.belief.Source, p.belief.Why
	}
	for _, s := range []Source{Hook, Log} {
		r, ok := p.reported[s]
		if status == harness.Blocked {
			break // a question on the screen needs a person, whatever was said before
		}
		if ok && p.counts(r) {
			status, source, why = r.Status, s, r.Why
			break
		}
	}
	if status != p.belief.Status {
		p.belief.Since, changed = now, true
	}
	changed = changed || p.belief.Source != source || p.belief.Why != why
	p.belief.Status, p.belief.Source, p.belief.Why = status, source, why
	return changed
}

// counts says of a report whether it is still better than the screen, with the
// time that a late picture explains. A hook's counts until the screen came to show
// something else. A log is written with a delay and read with one: its word counts
// while the screen shows the same, or was not seen since.
func (p *place) counts(r Report) bool {
	switch {
	case p.seen.Status == harness.Unknown || p.seen.Status == "":
		return true
	case r.Source == Log:
		return r.Status == p.seen.Status || !p.lookedAt.After(r.At.Add(settle))
	}
	return !p.seenAt.After(r.At.Add(settle))
}
