package typing

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"collie/node/grid"
	"collie/node/harness"
)

// leaves presses Enter and waits until the text was seen to leave the input, and to
// stay away: a box that is drawn anew shows less for a moment. Where something else
// has the input before that was seen, it may have been given the Enter: then the text
// has left only if it stands among what was said, or was a command that a list answers.
func (t *Text) leaves(ctx context.Context, enter func() error, text string, seen *shot) error {
	taken, empty := false, false
	command := t.Free && strings.HasPrefix(text, "/")
	left := func(now shot) bool {
		taken = taken || now.owned
		empty = now.input.Free()
		return now.left(*seen) && (!taken || command && now.owned || now.tells(*seen))
	}
	for act := t.afterwards; ; {
		last, err := act(ctx, enter, left)
		switch {
		case errors.Is(err, ErrNotSeen) && last.boxed && last.input == nil && last.tells(*seen):
			return nil // the input is gone for good: it took the text
		case err != nil || !seen.boxed:
			return err
		}
		if err := pause(ctx, redrawn); err != nil {
			return err
		}
		sight, err := t.By.Look(ctx, t.Pane)
		if err != nil {
			return err
		}
		now := shotIn(sight)
		switch {
		case sight.Program != t.sight.Program, now.tells(*seen), !now.owned && now.left(*seen), now.owned && (empty || command):
			return nil
		}
		act = func(ctx context.Context, _ func() error, left func(shot) bool) (shot, error) {
			return t.await(ctx, left)
		}
	}
}

// left reports whether what was seen in the input is there no more.
func (s shot) left(seen shot) bool {
	if s.boxed {
		return s.owned || (s.input != nil && harness.Squeeze(s.text) != harness.Squeeze(seen.text))
	}
	return s.cursor != seen.cursor || s.text != seen.text
}

// tells reports whether what was seen in the input stands outside of it now, more
// often than it did then.
func (s shot) tells(seen shot) bool {
	want := words(seen.text)
	if want == "" {
		want = harness.Squeeze(seen.text)
	}
	return want != "" && s.told(want) > seen.told(want)
}

// told counts how often a text begins with a row of its own, outside of the input. A
// program may put marks before it, and break it.
func (s shot) told(want string) (times int) {
	for i := range s.rows {
		if s.isInput(i) {
			continue
		}
		said := words(s.rows[i].Text())
		if said == "" && words(want) == "" && strings.HasSuffix(bare(s.rows[i].Text()), want) {
			said = want // signs alone, behind the program's own
		}
		for j := i + 1; said != "" && said != want && strings.HasPrefix(want, said) && j < len(s.rows) && !s.isInput(j); j++ {
			said += harness.Squeeze(strings.Trim(s.rows[j].Text(), "│ "))
		}
		if said == want {
			times++
		}
	}
	return times
}

// isInput reports whether a row is one of the input.
func (s shot) isInput(row int) bool {
	if s.boxed {
		return s.input.Has(row)
	}
	return row >= grid.LineStart(s.rows, s.cursor) && row <= s.cursor.Row
}

// words is a text without its blanks, and without the marks around it.
func words(text string) string {
	sign := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }
	return bare(strings.TrimLeftFunc(text, sign))
}

// bare is a text without its blanks, and without the frame at its end.
func bare(text string) string { return harness.Squeeze(strings.TrimRight(text, "│ ")) }
