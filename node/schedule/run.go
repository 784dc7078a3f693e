package schedule

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"collie/node/walky"
)

// parseCron reads a cron line: five fields or a descriptor, in local time.
func parseCron(line string) (cron.Schedule, error) {
	if len(line) > maxCron || strings.Contains(line, "TZ=") { // the library wants more of a zone than it checks
		return nil, ErrCron
	}
	times, err := cron.ParseStandard(line)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCron, err)
	}
	if every, ok := times.(cron.ConstantDelaySchedule); ok && every.Delay < time.Minute {
		return nil, ErrCron
	}
	return times, nil
}

// Run says what is due, until ctx ends.
func (a *Agenda) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.changed:
		case <-timer.C:
		}
		timer.Reset(a.look(ctx))
	}
}

// look says what is due now and returns how long nothing is.
func (a *Agenda) look(ctx context.Context) time.Duration {
	a.mu.Lock()
	for i := range a.entries { // a clock that was set back is followed
		if now := a.config.Now(); a.entries[i].Done.After(now) {
			a.entries[i].Done = now.UTC().Truncate(time.Millisecond)
		}
	}
	entries := slices.Clone(a.entries)
	a.mu.Unlock()
	rest := lookEvery
	for _, e := range entries {
		at, due := e.due(a.config.Now())
		if due && !a.say(ctx, e, at) {
			rest = min(rest, retryAfter)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.config.Now()
	for _, e := range a.entries {
		if next := e.next(now); !next.IsZero() {
			rest = min(rest, max(next.Sub(now), time.Millisecond))
		}
	}
	return rest
}

// due says whether an entry is due, and for which time.
func (e Entry) due(now time.Time) (at time.Time, due bool) {
	if e.Kind == Wake {
		return e.At, !e.At.After(now)
	}
	// Of all that was missed only the last counts, and only when it is young,
	// however long the node was away.
	from := e.Done
	if oldest := now.Add(-missedBy); from.Before(oldest) {
		from = oldest
	}
	for next := e.after(from); !next.IsZero() && !next.After(now); next = e.after(next) {
		at, due = next, true
	}
	return at, due
}

// after is the first time of a schedule that is later than t; zero for none.
// Those of "@every" are counted from when it was booked or last said.
func (e Entry) after(t time.Time) time.Time {
	times, err := parseCron(e.Cron)
	if err != nil { // checked when it came in
		return time.Time{}
	}
	if every, ok := times.(cron.ConstantDelaySchedule); ok {
		return e.Done.Add((max(t.Sub(e.Done), 0)/every.Delay + 1) * every.Delay)
	}
	return times.Next(t.Local())
}

// next is when an entry is due that is not due now; zero for never.
func (e Entry) next(now time.Time) time.Time {
	if e.Kind == Wake {
		if e.At.After(now) {
			return e.At
		}
		return time.Time{} // it could not be said, and is tried again
	}
	return e.after(now)
}

// Next is when a schedule will be said, or a wake; zero for never.
func (e Entry) Next(now time.Time) time.Time {
	if e.Kind == Wake {
		return e.At
	}
	return e.next(now)
}

// say posts what is due and takes it off the agenda. It returns false when it is
// to be tried again.
func (a *Agenda) say(ctx context.Context, e Entry, at time.Time) bool {
	ctx, cancel := context.WithTimeout(ctx, sayFor)
	defer cancel()
	door := walky.Door{Kind: walky.Schedule, Name: e.Name}
	if e.Kind == Wake {
		door = walky.Door{Kind: walky.Wake}
	}
	receipt, err := a.config.Post(ctx, walky.Post{
		Door: door, ID: walky.DoorID(at, string(e.Kind), e.Name, strconv.FormatInt(e.Booked.UnixMilli(), 10)), To: e.To, Body: e.Text,
	})
	switch {
	case (err != nil || receipt.Wait > 0 || receipt.Reason == walky.ReasonFull) && (e.Kind == Wake || a.config.Now().Sub(at) < missedBy):
		a.config.Log.Warn("could not be said and is tried again", "kind", e.Kind, "name", e.Name, "error", err)
		return false
	case err != nil || receipt.State == walky.Refused:
		a.config.Log.Warn("was not said", "kind", e.Kind, "name", e.Name, "reason", receipt.Reason, "error", err)
	}
	a.done(e, at)
	return true
}

// done takes what was said off the agenda. When that cannot be stored it is said
// again after a restart, under the same id.
func (a *Agenda) done(e Entry, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := slices.Clone(a.entries)
	i := slices.IndexFunc(left, func(other Entry) bool {
		return other.Kind == e.Kind && other.Name == e.Name && other.Booked.Equal(e.Booked)
	})
	switch {
	case i < 0: // removed meanwhile
		return
	case e.Kind == Wake:
		left = slices.Delete(left, i, i+1)
	default:
		left[i].Done = at.UTC()
	}
	if err := a.store(left); err != nil {
		a.config.Log.Error("that it was said is not stored", "kind", e.Kind, "name", e.Name, "error", err)
	}
	a.entries = left
}
