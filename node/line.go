package node

import (
	"context"
	"errors"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/pane"
	"collie/node/status"
)

var (
	// errNotSeen says that typed text did not appear where it was expected.
	errNotSeen = errors.New("the text did not appear at the end of the input")
	// errStays says that it did not leave after Enter.
	errStays = errors.New("the text was not seen to leave the input")
	// errTaken says that something else got the input before Enter.
	errTaken = errors.New("something else has the input now")
)

// typing is one text on its way into a pane.
type typing struct {
	input  *input
	writer *writer
	id     pane.ID
	// saw refuses what is not what a person saw before they sent the text; it is
	// nil where nobody saw a screen.
	saw func(status.Sight) error
	// ahead says that the text may be typed ahead: that the prompt of a busy shell
	// may come while it is on its way, as long as none was there before.
	ahead bool
	// starting says that the shell has just begun and may be half way through its
	// prompt: what stands there is none of anybody's questions yet.
	starting bool
	// phone notes what the input holds, when a phone has it typed; see phone.go.
	phone *phoneNotes
	// still, when there is one, may refuse before the first byte and before each Enter.
	still func() error

	modes   pane.Modes
	sight   status.Sight // before the text
	free    bool         // nothing was in the input then
	opened  bool         // it was looked whether the input takes text,
	refusal error        // and this came of it
	hidden  bool         // a password was asked for, as far as anybody can tell
	unread  bool         // it could not be read, or the text was not seen in it
	entered []string     // the texts for which Enter was pressed
}

// line pastes text and looks for it; with submit it presses Enter and looks
// that it left. Where each line is sent as it comes, a text of several goes line
// by line. It returns how far it came, also with an error.
func (t *typing) line(ctx context.Context, text string, submit bool) (api.Replied, error) {
	ctx, cancel := context.WithTimeout(ctx, lineTimeout)
	defer cancel()
	if err := t.open(ctx); err != nil {
		return api.Replied{}, err
	}
	byLine := t.sight.Adapter.ByLine || !t.pastes()
	switch {
	case !byLine:
		return t.part(ctx, text, submit)
	case !submit && strings.ContainsAny(text, "\r\n"):
		return api.Replied{}, api.ErrWouldSubmit
	}
	if one := strings.TrimRight(text, "\r\n"); !strings.ContainsAny(one, "\r\n") {
		return t.part(ctx, one, submit) // a newline behind it would be an Enter of its own
	}
	sent := 0
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" && t.sight.Adapter.Agent() {
			continue // an empty line says nothing to an agent, and Enter alone might
		}
		done, err := t.next(ctx, line, sent)
		switch {
		case err == nil:
			sent++
		case sent == 0:
			return done, err
		case errors.Is(err, api.ErrOutcomeUnknown):
			done.Lines = sent
			return done, api.ErrOutcomeUnknown.With(done)
		default:
			return api.Replied{TextDelivered: true}, api.ErrPartlySent.With(api.Replied{TextDelivered: true, Lines: sent})
		}
	}
	return api.Replied{TextDelivered: true, Submitted: true}, nil
}

// pastes reports whether several lines are one paste. A program with a box asks
// for it, even where the multiplexer has yet to see that.
func (t *typing) pastes() bool {
	return t.modes.BracketedPaste || (t.sight.Reading.Boxed && !t.input.panes.Capabilities().PasteKnown)
}

// open looks once whether the input takes text. Nothing is typed by that, so what is
// found counts for how the write is audited.
func (t *typing) open(ctx context.Context) error {
	if !t.opened {
		ctx, cancel := context.WithTimeout(ctx, lineTimeout)
		defer cancel()
		t.opened, t.refusal = true, t.enter(ctx)
	}
	return t.refusal
}

// enter looks whether the input takes text now.
func (t *typing) enter(ctx context.Context) (err error) {
	if t.modes, err = t.input.panes.Modes(ctx, t.id); err != nil {
		return err
	}
	if t.sight, err = t.look(ctx); err != nil {
		return err
	}
	t.hidden = t.hidden || t.blind()
	switch r := t.sight.Reading; {
	case t.modes.Password:
		return api.ErrPasswordPrompt
	case r.Owned:
		return api.ErrDialogOpen
	case r.Boxed && r.Input == nil:
		return api.ErrInputUnseen
	case r.Boxed:
		t.free = r.Input.Free()
	default:
		t.free = !t.writer.draft
	}
	if t.saw == nil {
		return nil
	}
	return t.saw(t.sight)
}

// look looks at the pane. A program that is drawing its input anew has a moment
// until it is there.
func (t *typing) look(ctx context.Context) (status.Sight, error) {
	sight, err := t.input.look(ctx, t.id)
	if r := sight.Reading; err != nil || !r.Boxed || r.Owned || r.Input != nil {
		return sight, err
	}
	t.sight = sight
	within, cancel := context.WithTimeout(ctx, unseenTimeout)
	defer cancel()
	if _, err := t.await(within, func(now shot) bool { return now.owned || now.input != nil }); err != nil {
		return sight, nil // it is as it was
	}
	return t.input.look(ctx, t.id)
}

// next sends one of several lines. Before all but the first one the input is
// looked at again; what a person saw is what was there before the first.
func (t *typing) next(ctx context.Context, line string, sent int) (api.Replied, error) {
	if sent > 0 {
		t.saw = nil
		if err := t.enter(ctx); err != nil {
			return api.Replied{}, err
		}
	}
	return t.part(ctx, line, true)
}

// part types what one Enter sends. Once Enter was written there is no way back:
// what is not seen to leave after it has an outcome that nobody knows.
func (t *typing) part(ctx context.Context, text string, submit bool) (done api.Replied, err error) {
	if err := t.stillThere(); err != nil {
		return done, err
	}
	t.note(text)
	paste := func() error {
		if err := t.input.panes.Paste(ctx, t.id, text); err != nil {
			t.writer.held = nil
			return err
		}
		t.writer.draft, done.TextDelivered = true, true
		return nil
	}
	if !submit {
		err := paste()
		return done, err
	}
	stands := t.leavable(text)
	seen, err := t.arrives(ctx, paste, text)
	if err != nil {
		return done, err
	}
	entered := false
	enter := func() error {
		err := t.input.panes.Input(ctx, t.id, []byte{'\r'})
		entered = err == nil || errors.Is(err, pane.ErrOutcomeUnknown)
		return err
	}
	if stands {
		err = t.leaves(ctx, enter, seen)
	} else { // Enter alone may leave the screen as it is
		err = enter()
	}
	if entered {
		t.entered, t.writer.held = append(t.entered, text), nil
	}
	switch {
	case err == nil, entered && !errors.Is(err, pane.ErrOutcomeUnknown) && t.ended(): // a line that ended its program has left, too
		t.writer.draft, done.Submitted, err = false, true, nil
	case entered:
		if errors.Is(err, errNotSeen) {
			err = errStays
		}
		t.input.log.Info("Enter was pressed, and what came of it was not seen", "pane", t.id, "reason", err)
		done.TextDelivered = stands
		err = api.ErrOutcomeUnknown.With(done)
	}
	return done, err
}

func (t *typing) ended() bool {
	info, err := t.input.panes.Get(t.id)
	return errors.Is(err, pane.ErrNotFound) || (err == nil && info.Exited != nil)
}

// leavable reports whether there is something in the input, once text was typed,
// that an Enter takes out of it.
func (t *typing) leavable(text string) bool {
	in := t.sight.Reading.Input
	return text != "" || (in != nil && !in.Free()) || (!t.sight.Reading.Boxed && t.writer.draft)
}

// arrives pastes and awaits the text where it belongs. It looks once more, right
// before Enter: the same program waits where it waited, with nothing but the text
// behind what was there, and it asks for no password. A program may be drawing its
// input anew in that moment, so it is awaited again a few times.
func (t *typing) arrives(ctx context.Context, paste func() error, text string) (now shot, err error) {
	before := t.before()
	there := func(now shot) bool {
		return now.holds(before, text) || ((t.ahead || t.starting) && now.tookAhead(before, text, t.starting))
	}
	comes := func(now shot) bool { return now.owned || there(now) }
	if text != "" {
		if now, err = t.afterwards(ctx, paste, comes); err == nil {
			err = t.settle(ctx)
		}
	}
	for range maxRedraws {
		if err == nil {
			err = t.stillThere()
		}
		if err != nil {
			return now, err
		}
		ready := false
		if now, ready, err = t.ready(ctx); err != nil || (ready && there(now)) {
			return now, err
		}
		if !ready || text == "" {
			break
		}
		now, err = t.await(ctx, comes)
	}
	if text == "" {
		return now, api.ErrScreenChanged
	}
	return now, errTaken
}

// ready looks at the pane, and reports whether the program that was there before
// still takes text.
func (t *typing) ready(ctx context.Context) (now shot, ready bool, err error) {
	sight, err := t.input.look(ctx, t.id)
	if err != nil {
		return now, false, err
	}
	modes, err := t.input.panes.Modes(ctx, t.id)
	if err != nil {
		return now, false, err
	}
	t.hidden = t.hidden || modes.Password
	now = shotOf(sight.Adapter, rowsOf(sight.Frame), sight.Frame)
	return now, sight.Program == t.sight.Program && !modes.Password && !now.owned, nil
}

func (t *typing) stillThere() error {
	if t.still == nil {
		return nil
	}
	return t.still()
}

// leaves presses Enter and waits until the text has left the input, and stays
// away: a box that is drawn anew shows less for a moment.
func (t *typing) leaves(ctx context.Context, enter func() error, seen shot) error {
	for first := true; ; first = false {
		left := func(now shot) bool { return now.left(seen) }
		var last shot
		var err error
		if first {
			last, err = t.afterwards(ctx, enter, left)
		} else {
			last, err = t.await(ctx, left)
		}
		switch {
		case errors.Is(err, errNotSeen) && last.boxed && last.input == nil:
			return nil // the input is gone for good: it took the text, or ended by it
		case err != nil || !seen.boxed:
			return err
		}
		if err := pause(ctx, redrawn); err != nil {
			return err
		}
		sight, err := t.input.look(ctx, t.id)
		if err != nil {
			return err
		}
		now := shotOf(sight.Adapter, rowsOf(sight.Frame), sight.Frame)
		if sight.Program != t.sight.Program || now.left(seen) {
			return nil
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errNotSeen
	}
}

// restless reports whether an Enter may have been given a moment ago, which the
// program has not taken yet. In a pane into which persons type past the node nobody
// knows.
func (in *input) restless(w *writer) bool {
	return in.panes.Capabilities().Shared || time.Since(w.emptied) < rested
}

// rests waits until the line of a program without a box stands still. Nobody is in
// a hurry who calls it: a text behind the line that an Enter has left, and that the
// program has not taken yet, is not where it belongs.
func (in *input) rests(ctx context.Context, id pane.ID) error {
	ctx, cancel := context.WithTimeout(ctx, stallTimeout)
	defer cancel()
	var last *shot
	for {
		sight, err := in.look(ctx, id)
		switch {
		case ctx.Err() != nil: // in the middle of a look
			return errNotSeen
		case err != nil:
			return err
		}
		now := shotOf(sight.Adapter, rowsOf(sight.Frame), sight.Frame)
		if now.boxed || last != nil && now.text == last.text && now.cursor == last.cursor {
			return nil
		}
		last = &now
		if err := pause(ctx, rested); err != nil {
			return err
		}
	}
}

// settle waits as long as the program takes an Enter for a part of the paste.
func (t *typing) settle(ctx context.Context) error {
	if t.sight.Adapter.Settle == 0 {
		return nil
	}
	return pause(ctx, t.sight.Adapter.Settle)
}

func (t *typing) before() shot {
	return shotOf(t.sight.Adapter, rowsOf(t.sight.Frame), t.sight.Frame)
}

// await looks at each new screen until one is as wanted. A program that goes on
// drawing has longer than one that stands still.
func (t *typing) await(ctx context.Context, wanted func(shot) bool) (found shot, err error) {
	return t.watch(ctx, nil, wanted)
}

// afterwards does something to the pane while it is watched, and awaits what comes
// of it: the answer to what is typed is not held back for the pace of pictures.
func (t *typing) afterwards(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	failed := error(nil)
	found, err = t.watch(ctx, func() error { failed = do(); return failed }, wanted)
	if failed != nil {
		return found, failed
	}
	return found, err
}

// watch is await and, with do, afterwards: the screen before that counts for
// nothing.
func (t *typing) watch(ctx context.Context, do func() error, wanted func(shot) bool) (found shot, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stalled := time.AfterFunc(stallTimeout, cancel)
	defer stalled.Stop()
	seen := errors.New("seen")
	var screen grid.Screen
	err = t.input.panes.Watch(ctx, t.id, func(frame grid.Frame) error {
		if _, err := screen.Apply(frame); err != nil {
			return err
		}
		if do != nil {
			act := do
			do = nil
			stalled.Reset(stallTimeout)
			return act()
		}
		if found = shotOf(t.sight.Adapter, screen.Rows(), screen.Head()); wanted(found) {
			return seen
		}
		stalled.Reset(stallTimeout)
		return nil
	})
	switch {
	case errors.Is(err, seen):
		return found, nil
	case ctx.Err() != nil:
		return found, errNotSeen
	}
	return found, err
}
