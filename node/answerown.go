package node

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"collie/node/api"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/typing"
)

// errOwnUnseen says that an own answer did not appear in its field.
var errOwnUnseen = errors.New("the text did not appear in the field of the answer")

// checkOwn refuses a text that goes into no field of a question.
func checkOwn(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return api.ErrBadRequest.With("that answer takes a text")
	case len(text) > api.MaxOwnBytes:
		return api.ErrTooLarge
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return api.ErrBadRequest.With("an answer is one line without control characters")
	}
	return nil
}

// answerOwn types an answer of a person's own into the field of a question, under
// the rule for every text that is sent: it is pasted where nothing was typed yet,
// looked for there, and only then submitted. asks returns the question while it is
// the one that was answered.
func (l *Local) answerOwn(ctx context.Context, id pane.ID, option harness.Option, text string, asks func() (harness.Option, *harness.Prompt, error)) error {
	ctx, cancel := context.WithTimeout(ctx, typing.Budget) // others wait for their turn at the pane
	defer cancel()
	_, p, err := asks()
	if err != nil {
		return err
	}
	sight, err := l.node.Status.Look(ctx, id)
	if err != nil {
		return err
	}
	// asked reports whether a sight has the question with its field open. Its other
	// answers may be away then.
	asked := func(s status.Sight) bool {
		now := s.Reading.Prompt
		return now != nil && s.Program == sight.Program && now.Question == p.Question && now.Subject == p.Subject && now.Field != nil && now.Field.Open
	}
	same := func(s status.Sight, typed string) bool {
		return asked(s) && harness.Squeeze(s.Reading.Prompt.Field.Text) == harness.Squeeze(typed)
	}
	if !p.Field.Open {
		if option.Key == "" {
			err = l.move(ctx, id, option.ID, asks)
		} else {
			err = l.press(ctx, id, option.Key, func() error { _, _, err := asks(); return err })
		}
		if err == nil {
			err = l.until(ctx, id, func(s status.Sight) bool { return same(s, "") }, api.ErrAnswerUnseen)
		}
		if err != nil {
			return err
		}
	}
	// holds looks once more, right before something is typed.
	holds := func(typed string) error {
		now, err := l.node.Status.Look(ctx, id)
		if err == nil && !same(now, typed) {
			err = api.ErrScreenChanged
		}
		return err
	}
	if err := l.node.Panes.PasteIf(ctx, id, text, func() error { return holds("") }); err != nil {
		return err
	}
	err = l.until(ctx, id, func(s status.Sight) bool { return same(s, text) }, errOwnUnseen)
	if err == nil {
		err = wait(ctx, sight.Adapter.Settle)
	}
	moved := false
	if err == nil {
		err = l.press(ctx, id, "Enter", func() error {
			err := holds(text)
			moved = err != nil
			return err
		})
		if err != nil && !moved {
			return err
		}
	}
	if err != nil {
		l.node.log.Info("an answer was typed and not submitted", "pane", id, "reason", err)
		return api.ErrNotSubmitted.With(api.Replied{TextDelivered: true})
	}
	for { // a question that is drawn anew is away for a moment
		if err := l.until(ctx, id, func(s status.Sight) bool { return !asked(s) }, api.ErrAnswerUnseen); err != nil {
			return err
		}
		if err := wait(ctx, redrawn); err != nil {
			return api.ErrAnswerUnseen
		}
		now, err := l.node.Status.Look(ctx, id)
		switch {
		case ctx.Err() != nil:
			return api.ErrAnswerUnseen
		case err != nil || !asked(now): // also when the program has gone, and its question with it
			return nil
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
