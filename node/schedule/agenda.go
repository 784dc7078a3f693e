// Package schedule has something said to a session at a later time: a schedule is
// the operator's, at the times of a cron line, and a wake is a session's own, once.
//
// They differ in what they are worth. A schedule was typed by the operator, so
// what it says is typed into the session as an instruction. A wake was booked by
// an agent, which may have been told to by anybody: it comes back as that
// session's own earlier note, a participant's, whoever's turn it was booked in.
// If it could instruct, one injection would go on for ever.
//
// Invariants:
//   - An entry's kind is set by the door that it was booked through, and sealed
//     with the rest of the file. One with a seal that does not hold is refused whole
//     and not written; nothing of it is said.
//   - What is due is said at most once, also when the node is killed while it is
//     said: the id of the message is drawn from the entry and its time. A wake is
//     kept until its message is in the journal.
//   - A schedule that was missed by more than a while is skipped, not made up for.
//     However the clock jumps, one look says an entry once.
//
// Nothing runs between two due times but a look once an hour. The bounds are in
// limits.go.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"collie/node/trust"
	"collie/node/walky"
)

// A Kind is what an entry is worth.
type Kind string

// The kinds.
const (
	Schedule Kind = "schedule"
	Wake     Kind = "wake"
)

// An Entry is something to be said to a session.
type Entry struct {
	Kind   Kind          `json:"kind"`
	Name   string        `json:"name"`           // a ULID of a wake
	Cron   string        `json:"cron,omitempty"` // of a schedule, in local time
	To     walky.Address `json:"-"`              // a schedule may be for whichever session is in the pane
	Text   string        `json:"text"`
	Booked time.Time     `json:"booked"`
	// Done is the time up to which a schedule was looked at; At is when a wake is
	// due.
	Done time.Time `json:"done,omitzero"`
	At   time.Time `json:"at,omitzero"`
}

// Refusals of Add, Book, Remove and Cancel.
var (
	ErrName        = errors.New("name of a schedule is 1 to 32 of a-z, 0-9 and -, and begins with no -")
	ErrCron        = errors.New("not a cron line: five fields in local time, or @daily and the like, at most once a minute")
	ErrTarget      = errors.New("not a pane or a session of this machine")
	ErrText        = fmt.Errorf("text is 1 to %d bytes without control and invisible characters", maxText)
	ErrTime        = errors.New("a wake is at least a minute and at most 30 days ahead")
	ErrExists      = errors.New("a schedule has that name")
	ErrUnknown     = errors.New("there is none of that name")
	ErrUnavailable = errors.New("schedules cannot be read")
	ErrTooMany     = errors.New("there are as many as may be")
)

// Config is what an Agenda is made of. All of it is needed.
type Config struct {
	Folder string // <state>: schedules.json and schedules.key
	// Post takes a message for a session, see walky.Station.
	Post func(context.Context, walky.Post) (walky.Receipt, error)
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// An Agenda keeps what is to be said, and says it while Run runs. It is safe for
// concurrent use.
type Agenda struct {
	config  Config
	changed chan struct{} // holds one value when Run is to look again

	mu      sync.Mutex
	broken  error // why the file cannot be believed
	entries []Entry
}

// Open reads the file. One that cannot be believed is no error here: nothing is
// said and nothing is added until it is mended, and List says why.
func Open(c Config) *Agenda {
	a := &Agenda{config: c, changed: make(chan struct{}, 1)}
	entries, err := a.load()
	if err != nil {
		a.broken = fmt.Errorf("%w: %w", ErrUnavailable, err)
		c.Log.Error("no schedule and no wake is heard", "error", err)
	}
	a.entries = entries
	return a
}

// Add books a schedule of the operator. cron is in local time.
func (a *Agenda) Add(name, cron string, to walky.Address, text string) (Entry, error) {
	e := Entry{Kind: Schedule, Name: name, Cron: strings.TrimSpace(cron), To: to, Text: text}
	return a.add(e, func(all []Entry) ([]Entry, error) {
		if e.Next(a.config.Now()).IsZero() {
			return nil, fmt.Errorf("%w: %q is never due", ErrCron, e.Cron)
		}
		schedules := 0
		for _, other := range all {
			if other.Kind != Schedule {
				continue
			}
			if schedules++; other.Name == name {
				return nil, fmt.Errorf("%w: %s", ErrExists, name)
			}
		}
		if schedules >= maxSchedules {
			return nil, fmt.Errorf("%w: %d schedules", ErrTooMany, schedules)
		}
		return all, nil
	})
}

// Book books a wake of the session at an address, for itself. The wakes of
// sessions that have ended make room for it: they would be refused when they are
// due.
func (a *Agenda) Book(session walky.Address, at time.Time, text string, ended func(walky.Address) bool) (Entry, error) {
	now := a.config.Now()
	// To the second: whoever said "in a minute" said it a moment ago.
	if ahead := at.Sub(now).Round(time.Second); ahead < minAhead || ahead > maxAhead {
		return Entry{}, ErrTime
	}
	id, err := ulid.New(ulid.Timestamp(now), a.config.Rand)
	if err != nil {
		return Entry{}, fmt.Errorf("cannot draw the id of a wake: %w", err)
	}
	e := Entry{Kind: Wake, Name: id.String(), To: session, Text: text, At: at.UTC().Truncate(time.Millisecond)}
	var dropped []Entry
	booked, err := a.add(e, func(all []Entry) ([]Entry, error) {
		all = slices.DeleteFunc(all, func(other Entry) bool {
			over := other.Kind == Wake && ended(other.To)
			if over {
				dropped = append(dropped, other)
			}
			return over
		})
		own, wakes := 0, 0
		for _, other := range all {
			if other.Kind != Wake {
				continue
			}
			if wakes++; other.To == session {
				own++
			}
		}
		if own >= maxOwnWakes || wakes >= maxWakes {
			return nil, fmt.Errorf("%w: %d wakes of this session, %d of this machine", ErrTooMany, own, wakes)
		}
		return all, nil
	})
	if err != nil { // and nothing was dropped
		return booked, err
	}
	for _, other := range dropped {
		a.config.Log.Info("a wake is dropped, its session has ended", "wake", other.Name, "session", other.To.String())
	}
	return booked, nil
}

// add books an entry beside those that room leaves of all, a copy.
func (a *Agenda) add(e Entry, room func(all []Entry) ([]Entry, error)) (Entry, error) {
	e.Booked = a.config.Now().UTC().Truncate(time.Millisecond)
	e.Done = e.Booked
	if e.Kind == Wake {
		e.Done = time.Time{}
	}
	if err := e.check(); err != nil {
		return Entry{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return Entry{}, a.broken
	}
	others, err := room(slices.Clone(a.entries))
	if err != nil {
		return Entry{}, err
	}
	return e, a.replace(append(others, e))
}

// Remove ends a schedule.
func (a *Agenda) Remove(name string) error {
	return a.remove(func(e Entry) bool { return e.Kind == Schedule && e.Name == name })
}

// Cancel ends a wake: one of a session, or with a zero address of any.
func (a *Agenda) Cancel(session walky.Address, id string) error {
	return a.remove(func(e Entry) bool {
		return e.Kind == Wake && e.Name == id && (session == walky.Address{} || e.To == session)
	})
}

func (a *Agenda) remove(which func(Entry) bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return a.broken
	}
	left := slices.DeleteFunc(slices.Clone(a.entries), which)
	if len(left) == len(a.entries) {
		return ErrUnknown
	}
	return a.replace(left)
}

// replace stores entries and has Run look. mu is held.
func (a *Agenda) replace(entries []Entry) error {
	if err := a.store(entries); err != nil {
		return err
	}
	a.entries = entries
	select {
	case a.changed <- struct{}{}:
	default:
	}
	return nil
}

// List returns the entries of a kind, the oldest first.
func (a *Agenda) List(kind Kind) ([]Entry, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var some []Entry
	for _, e := range a.entries {
		if e.Kind == kind {
			some = append(some, e)
		}
	}
	return some, a.broken
}

// check is for what comes in and for what comes back from the file.
func (e Entry) check() error {
	switch {
	case e.Text == "" || len(e.Text) > maxText || trust.CleanText(e.Text, maxText) != e.Text:
		return ErrText
	case e.To.Machine != "":
		return ErrTarget
	}
	to := e.To
	switch e.Kind {
	case Schedule:
		if !walky.ValidDoorName(e.Name) {
			return ErrName
		}
		if _, err := parseCron(e.Cron); err != nil {
			return err
		}
		if to.Token == "" {
			to.Token = "2222" // any session in the pane
		}
	case Wake:
		if id, err := ulid.ParseStrict(e.Name); err != nil || id.String() != e.Name || e.At.IsZero() {
			return ErrUnknown
		}
	default:
		return fmt.Errorf("kind %q is not known", e.Kind)
	}
	if _, err := walky.ParseAddress(to.String()); err != nil {
		return ErrTarget
	}
	return nil
}
