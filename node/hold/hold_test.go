package hold_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"collie/node/hold"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func board() *hold.Board { return hold.New(time.Now, nil, func() {}) }

// An asker waits for the answer to one question.
type asker struct {
	request hold.Request
	answer  hold.Answer
	err     error
	done    chan struct{}
}

func ask(ctx context.Context, b *hold.Board, q hold.Question) *asker {
	a := &asker{done: make(chan struct{})}
	asked := make(chan struct{})
	go func() {
		defer close(a.done)
		a.answer, a.err = b.Ask(ctx, q, time.Minute, func(r hold.Request) {
			a.request = r
			close(asked)
		})
	}()
	select {
	case <-asked:
	case <-a.done:
	}
	return a
}

func TestATapAnswersTheOneQuestionThatItIsFor(t *testing.T) {
	t.Parallel()
	b := board()
	one := ask(t.Context(), b, hold.Question{Pane: "p1", Tool: "Bash"})
	two := ask(t.Context(), b, hold.Question{Pane: "p1", Tool: "Bash"})
	if list := b.Waiting("p1"); len(list) != 2 || list[0].ID != one.request.ID || len(b.Waiting("p2")) != 0 {
		t.Errorf("these wait: %+v", list)
	}
	if err := b.Answer(t.Context(), two.request.ID, hold.Deny); err != nil {
		t.Fatal(err)
	}
	<-two.done
	if two.answer != hold.Deny || two.err != nil || len(b.Waiting("p1")) != 1 {
		t.Errorf("the answer is %q, %v", two.answer, two.err)
	}
	if err := b.Answer(t.Context(), one.request.ID, hold.Allow); err != nil {
		t.Fatal(err)
	}
	<-one.done
	if one.answer != hold.Allow {
		t.Errorf("the answer is %q", one.answer)
	}
}

// TestOneOfManyAnswersCounts is the fault in which a request was looked for
// again and again after it had been answered: an answer uses it up, once.
func TestOneOfManyAnswersCounts(t *testing.T) {
	t.Parallel()
	b := board()
	for round := range 50 {
		a := ask(t.Context(), b, hold.Question{Pane: "p1"})
		var group sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			group.Go(func() { errs[i] = b.Answer(t.Context(), a.request.ID, hold.Allow) })
		}
		group.Wait()
		<-a.done
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, hold.ErrAnswered):
				t.Errorf("round %d: %v", round, err)
			}
		}
		if won != 1 || a.err != nil {
			t.Fatalf("round %d: %d answers won, the asker has %v", round, won, a.err)
		}
		if err := b.Answer(t.Context(), a.request.ID, hold.Deny); !errors.Is(err, hold.ErrAnswered) {
			t.Errorf("a late answer: %v", err)
		}
	}
	if err := b.Answer(t.Context(), "none", hold.Allow); !errors.Is(err, hold.ErrUnknown) {
		t.Errorf("to no question: %v", err)
	}
}

func TestAQuestionEndsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := board()
		late := ask(t.Context(), b, hold.Question{Pane: "p1"})
		released := ask(t.Context(), b, hold.Question{Pane: "p1", Session: "s"})
		ctx, leave := context.WithCancel(t.Context())
		left := ask(ctx, b, hold.Question{Pane: "p2"})
		b.Release(func(r hold.Request) bool { return r.Session == "s" })
		leave()
		<-released.done
		<-left.done
		if !errors.Is(released.err, hold.ErrReleased) || !errors.Is(left.err, context.Canceled) || len(b.Waiting("p1")) != 1 || len(b.Waiting("p2")) != 0 {
			t.Errorf("%v, %v", released.err, left.err)
		}
		if err := b.Answer(t.Context(), released.request.ID, hold.Allow); !errors.Is(err, hold.ErrUnknown) {
			t.Errorf("a tap on what was released: %v", err)
		}
		<-late.done
		if !errors.Is(late.err, hold.ErrUnanswered) || len(b.Waiting("p1")) != 0 {
			t.Errorf("%v", late.err)
		}
	})
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	b := board()
	ctx, leave := context.WithCancel(t.Context())
	var all []*asker
	refused := 0
	for i := range 200 {
		a := ask(ctx, b, hold.Question{Pane: fmt.Sprintf("p%d", i%20)})
		all = append(all, a)
		select {
		case <-a.done:
			if !errors.Is(a.err, hold.ErrFull) {
				t.Errorf("%v", a.err)
			}
			refused++
		default:
		}
	}
	if refused != 200-64 {
		t.Errorf("%d were refused", refused)
	}
	leave()
	for _, a := range all {
		<-a.done
	}
	for range 8 {
		all = append(all, ask(t.Context(), b, hold.Question{Pane: "p1"}))
	}
	if a := ask(t.Context(), b, hold.Question{Pane: "p1"}); !errors.Is(a.err, hold.ErrFull) {
		t.Errorf("the ninth of a pane: %v", a.err)
	}
	b.Release(func(hold.Request) bool { return true })
	for _, a := range all {
		<-a.done
	}
}
