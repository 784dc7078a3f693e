// Package hold keeps the questions of agents that wait for a tap: held
// permissions.
//
// A question is asked by the hook of an agent's program, over a connection that
// stays open until there is an answer. It ends in one of four ways: somebody
// answered, it was released because the agent went on or ended, nobody answered
// in time, or the one who asked has left. Only the first is an answer; after the
// others the program asks on its screen as it would have without Collie.
//
// Invariants: a question has at most one answer, whoever else answers at that
// moment hears of a conflict; nothing here answers by itself; a question that
// cannot be kept is refused at once. Bounds are in limits.go.
package hold

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// What can become of a question.
var (
	// ErrFull says that as many questions wait as are kept.
	ErrFull = errors.New("too many questions wait for an answer")
	// ErrReleased says that a question needs no answer any more.
	ErrReleased = errors.New("the question needs no answer any more")
	// ErrUnanswered says that nobody answered in time.
	ErrUnanswered = errors.New("nobody answered in time")
	// ErrAnswered says that somebody else answered before.
	ErrAnswered = errors.New("the question was answered already")
	// ErrUnknown says that no such question waits.
	ErrUnknown = errors.New("no such question waits")
)

// An Answer to a permission.
type Answer string

// The answers.
const (
	Allow Answer = "allow"
	Deny  Answer = "deny"
)

// A Question is a permission that an agent's program asks for.
type Question struct {
	Pane    string
	Hook    string // whose it is: the name of the program
	Session string
	Tool    string
	Subject string // what it is about
	Cut     bool   // there is more of it
	Call    string // names the call of the tool among those of the session
}

// A Request is a question that waits.
type Request struct {
	ID string
	Question
	At time.Time
}

// A Board holds the questions of a machine.
type Board struct {
	now     func() time.Time
	rand    io.Reader
	changed func()

	mu       sync.Mutex // guards what follows
	waiting  []*waiting // the oldest first
	answered []string   // ids, the oldest first
}

type waiting struct {
	Request
	taken    bool        // an answer is on its way
	answers  chan Answer // to the one who asked
	released chan struct{}
	ended    chan struct{} // the one who asked has gone
}

// New returns a board. changed is called when other questions wait than before.
func New(now func() time.Time, random io.Reader, changed func()) *Board {
	if random == nil {
		random = rand.Reader
	}
	return &Board{now: now, rand: random, changed: changed}
}

// Ask waits for the answer to a question. asked is told its request.
func (b *Board) Ask(ctx context.Context, q Question, within time.Duration, asked func(Request)) (Answer, error) {
	var id [16]byte
	if _, err := io.ReadFull(b.rand, id[:]); err != nil {
		return "", fmt.Errorf("name a question: %w", err)
	}
	w := &waiting{
		Request: Request{ID: hex.EncodeToString(id[:]), Question: q, At: b.now()},
		answers: make(chan Answer), released: make(chan struct{}), ended: make(chan struct{}),
	}
	if err := b.add(w); err != nil {
		return "", err
	}
	b.changed()
	defer func() {
		b.remove(w)
		close(w.ended)
		b.changed()
	}()
	asked(w.Request)
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case answer := <-w.answers:
		return answer, nil
	case <-w.released:
		return "", ErrReleased
	case <-late.C:
		return "", ErrUnanswered
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (b *Board) add(w *waiting) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	ofPane := 0
	for _, other := range b.waiting {
		if other.Pane == w.Pane {
			ofPane++
		}
	}
	if len(b.waiting) >= maxWaiting || ofPane >= maxOfPane {
		return ErrFull
	}
	b.waiting = append(b.waiting, w)
	return nil
}

func (b *Board) remove(w *waiting) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = slices.DeleteFunc(b.waiting, func(other *waiting) bool { return other == w })
}

// Answer gives a question its answer, and returns once the one who asked has it.
func (b *Board) Answer(ctx context.Context, id string, answer Answer) error {
	b.mu.Lock()
	i := slices.IndexFunc(b.waiting, func(w *waiting) bool { return w.ID == id })
	switch {
	case i < 0 && slices.Contains(b.answered, id), i >= 0 && b.waiting[i].taken:
		b.mu.Unlock()
		return ErrAnswered
	case i < 0:
		b.mu.Unlock()
		return ErrUnknown
	}
	w := b.waiting[i]
	w.taken = true
	b.mu.Unlock()
	err := w.hand(ctx, answer)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		w.taken = false
		return err
	}
	b.answered = append(b.answered, id)
	if len(b.answered) > maxAnswered {
		b.answered = slices.Delete(b.answered, 0, 1)
	}
	return nil
}

// hand gives the answer to the one who asked.
func (w *waiting) hand(ctx context.Context, answer Answer) error {
	late := time.NewTimer(handTime)
	defer late.Stop()
	select {
	case w.answers <- answer:
		return nil
	case <-w.ended:
		return ErrUnknown
	case <-late.C:
		return ErrUnknown
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Waiting returns the questions of a pane that have no answer, the oldest first.
func (b *Board) Waiting(pane string) []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []Request
	for _, w := range b.waiting {
		if w.Pane == pane && !w.taken {
			list = append(list, w.Request)
		}
	}
	return list
}

// Release ends the questions that need no answer any more.
func (b *Board) Release(which func(Request) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		if !w.taken && which(w.Request) {
			w.taken = true
			close(w.released)
		}
	}
}
