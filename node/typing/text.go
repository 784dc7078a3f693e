package typing

import (
	"context"
	"errors"
	"strings"

	"collie/node/api"
	"collie/node/pane"
	"collie/node/pane/draft"
	"collie/node/status"
)

var (
	// ErrNotSeen says that typed text did not appear where it was expected.
	ErrNotSeen = errors.New("the text did not appear at the end of the input")
	// errStays says that it did not leave after Enter.
	errStays = errors.New("the text was not seen to leave the input")
	// errMoved says that right before Enter the text was not as it was seen.
	errMoved = errors.New("the screen moved right before Enter")
	// errTaken says that something else got the input before Enter.
	errTaken = errors.New("something else has the input now")
)

// A Text is one text on its way into a pane. Whoever types it has the turn there.
type Text struct {
	By   *Typist
	Line *Line
	Pane pane.ID
	// Saw refuses what is not what a person saw before they sent the text; it is
	// nil where nobody saw a screen.
	Saw func(status.Sight) error
	// Ahead says that the text may be typed ahead: that the prompt of a busy shell
	// may come while it is on its way, as long as none was there before.
	Ahead bool
	// Starting says that the shell has just begun and may be half way through its
	// prompt: what stands there is none of anybody's questions yet.
	Starting bool
	// Still, when there is one, may refuse before the first byte and before each Enter.
	Still func() error
	// Holds, when there is one, is told what the input of an agent will hold, right
	// before a text is typed there or is entered as it stands: as far as that is known,
	// because nothing else was typed since it was free. withdraw is for a text that was
	// refused after all.
	Holds func(whole string, asItStands bool) (withdraw func())

	// What came of it.
	Free    bool     // nothing was in the input before, for sure
	Hidden  bool     // a password was asked for, as far as anybody can tell
	Unseen  bool     // the input could not be read, or the text was not seen in it
	Entered []string // the texts for which Enter was pressed

	modes   pane.Modes
	sight   status.Sight // before the text
	begun   bool         // something was in the input of a program without a box, for sure
	opened  bool         // it was looked whether the input takes text,
	refusal error        // and this came of it
}

// Type pastes a text and looks for it; with submit it presses Enter and looks
// that it left. Where each line is sent as it comes, a text of several goes line
// by line. It returns how far it came, also with an error.
func (t *Text) Type(ctx context.Context, text string, submit bool) (api.Replied, error) {
	ctx, cancel := context.WithTimeout(ctx, Budget)
	defer cancel()
	replied, err := t.lines(ctx, text, submit)
	t.Unseen = errors.Is(err, api.ErrInputUnseen) || errors.Is(err, ErrNotSeen)
	return replied, err
}

func (t *Text) lines(ctx context.Context, text string, submit bool) (api.Replied, error) {
	if err := t.Open(ctx); err != nil {
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
func (t *Text) pastes() bool {
	return t.modes.BracketedPaste || (t.sight.Reading.Boxed && !t.By.Panes.Capabilities().PasteKnown)
}

// Open looks once whether the input takes text. Nothing is typed by that, so what is
// found counts for how the write is audited.
func (t *Text) Open(ctx context.Context) error {
	if !t.opened {
		ctx, cancel := context.WithTimeout(ctx, Budget)
		defer cancel()
		t.opened, t.refusal = true, t.enter(ctx)
	}
	return t.refusal
}

// enter looks whether the input takes text now.
func (t *Text) enter(ctx context.Context) (err error) {
	if t.modes, err = t.By.Panes.Modes(ctx, t.Pane); err != nil {
		return err
	}
	t.sight = status.Sight{}
	if t.sight, err = t.look(ctx); err != nil {
		return err
	}
	t.Hidden = t.Hidden || t.blind()
	switch r := t.sight.Reading; {
	case t.modes.Password:
		return api.ErrPasswordPrompt
	case r.Owned:
		return api.ErrDialogOpen
	case r.Boxed && r.Input == nil:
		return api.ErrInputUnseen
	case r.Boxed:
		t.Free = r.Input.Free()
	default:
		t.begun = t.modes.Line == draft.Begun || t.Line.stays
		t.Free = !t.begun && (t.modes.Line == draft.Empty || t.before().asks(t.modes.Echo))
	}
	if t.Saw == nil {
		return nil
	}
	return t.Saw(t.sight)
}

// look looks at the pane. A program that is drawing its input anew has a moment
// until it is there.
func (t *Text) look(ctx context.Context) (status.Sight, error) {
	sight, err := t.By.Look(ctx, t.Pane)
	if r := sight.Reading; err != nil || !r.Boxed || r.Owned || r.Input != nil {
		return sight, err
	}
	if t.sight.Adapter == nil {
		t.sight = sight
	}
	within, cancel := context.WithTimeout(ctx, unseenTimeout)
	defer cancel()
	if _, err := t.await(within, func(now shot) bool { return now.owned || now.input != nil }); err != nil {
		return sight, nil // it is as it was
	}
	return t.By.Look(ctx, t.Pane)
}

// next sends one of several lines. Before all but the first one the input is
// looked at again; what a person saw is what was there before the first.
func (t *Text) next(ctx context.Context, line string, sent int) (api.Replied, error) {
	if sent > 0 {
		t.Saw = nil
		if err := t.enter(ctx); err != nil {
			return api.Replied{}, err
		}
	}
	return t.part(ctx, line, true)
}

// part types what one Enter sends. Once Enter was written there is no way back:
// what is not seen to leave after it has an outcome that nobody knows.
func (t *Text) part(ctx context.Context, text string, submit bool) (done api.Replied, err error) {
	if err := t.stillThere(); err != nil {
		return done, err
	}
	paste := func() error {
		withdraw := func() {}
		err := t.By.Panes.PasteIf(ctx, t.Pane, text, func() error {
			err := t.unmoved(ctx)
			if err == nil {
				withdraw = t.note(text)
			}
			return err
		})
		if err != nil {
			if t.Line.held = nil; !errors.Is(err, pane.ErrOutcomeUnknown) {
				withdraw()
			}
			return err
		}
		done.TextDelivered = true
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
	for tries := 0; ; tries++ {
		enter := func() error {
			err := t.By.Panes.InputIf(ctx, t.Pane, []byte{'\r'}, func() error {
				err := t.holds(ctx, text, &seen)
				if err == nil && text == "" {
					t.note(text)
				}
				return err
			})
			entered = err == nil || errors.Is(err, pane.ErrOutcomeUnknown)
			return err
		}
		if stands {
			err = t.leaves(ctx, enter, text, &seen)
		} else { // Enter alone may leave the screen as it is
			err = enter()
		}
		if entered || !errors.Is(err, errMoved) || tries == maxRedraws {
			break
		}
		if seen, err = t.stands(ctx, text); err != nil {
			return done, err
		}
	}
	if text == "" && errors.Is(err, errMoved) {
		err = api.ErrScreenChanged
	}
	if entered {
		t.Entered, t.Line.held = append(t.Entered, text), nil
	}
	switch {
	case err == nil, entered && !errors.Is(err, pane.ErrOutcomeUnknown) && t.ended(): // a line that ended its program has left, too
		t.Line.stays, done.Submitted, err = false, true, nil
	case entered:
		if errors.Is(err, ErrNotSeen) {
			err = errStays
		}
		t.By.Log.Info("Enter was pressed, and what came of it was not seen", "pane", t.Pane, "reason", err)
		t.Line.stays, done.TextDelivered = stands, stands
		err = api.ErrOutcomeUnknown.With(done)
	}
	return done, err
}

func (t *Text) ended() bool {
	info, err := t.By.Panes.Get(t.Pane)
	return errors.Is(err, pane.ErrNotFound) || (err == nil && info.Exited != nil)
}

// leavable reports whether there is something in the input, once text was typed,
// that an Enter takes out of it.
func (t *Text) leavable(text string) bool {
	in := t.sight.Reading.Input
	return text != "" || (in != nil && !in.Free()) || t.begun
}

// unmoved looks right before a text is typed, and refuses what is not as it was when
// the input was looked at. Only a text that may be typed ahead is for whatever comes.
func (t *Text) unmoved(ctx context.Context) error {
	sight, err := t.look(ctx)
	switch r := sight.Reading; {
	case err != nil:
		return err
	case sight.Frame.Password:
		return api.ErrPasswordPrompt
	case r.Owned:
		return api.ErrDialogOpen
	case t.Ahead || t.Starting:
		return nil
	case !sight.Is(t.sight.Front) || !shotIn(sight).holds(t.before(), ""):
		return api.ErrScreenChanged
	}
	return nil
}

// there reports whether the input shows the text, and nothing else that was not there.
func (t *Text) there(now shot, text string) bool {
	before := t.before()
	return now.holds(before, text) || ((t.Ahead || t.Starting) && now.tookAhead(before, text, t.Starting))
}

// holds looks right before Enter: the text is still there. seen becomes what it saw.
func (t *Text) holds(ctx context.Context, text string, seen *shot) error {
	now, ready, err := t.ready(ctx)
	switch {
	case err != nil:
		return err
	case !ready || !t.there(now, text):
		return errMoved
	}
	*seen = now
	return nil
}

// arrives pastes and awaits the text where it belongs.
func (t *Text) arrives(ctx context.Context, paste func() error, text string) (now shot, err error) {
	if text != "" {
		now, err = t.afterwards(ctx, paste, func(now shot) bool { return now.owned || t.there(now, text) })
		if err == nil {
			err = t.settle(ctx)
		}
		if err != nil {
			return now, err
		}
	}
	return t.stands(ctx, text)
}

// stands looks whether the same program waits where it waited, with nothing but the
// text behind what was there, and asks for no password. A program may be drawing its
// input anew in that moment, so it is awaited again a few times.
func (t *Text) stands(ctx context.Context, text string) (now shot, err error) {
	for range maxRedraws {
		if err == nil {
			err = t.stillThere()
		}
		if err != nil {
			return now, err
		}
		ready := false
		if now, ready, err = t.ready(ctx); err != nil || (ready && t.there(now, text)) {
			return now, err
		}
		if !ready || text == "" {
			break
		}
		now, err = t.await(ctx, func(now shot) bool { return now.owned || t.there(now, text) })
	}
	if text == "" {
		return now, api.ErrScreenChanged
	}
	return now, errTaken
}

// ready looks at the pane, and reports whether the program that was there before
// still takes text.
func (t *Text) ready(ctx context.Context) (now shot, ready bool, err error) {
	modes, err := t.By.Panes.Modes(ctx, t.Pane)
	if err != nil {
		return now, false, err
	}
	sight, err := t.By.Look(ctx, t.Pane) // the last: nothing is newer
	if err != nil {
		return now, false, err
	}
	t.Hidden = t.Hidden || modes.Password
	now = shotIn(sight)
	same := sight.Is(t.sight.Front) || ((t.Ahead || t.Starting) && sight.Program == t.sight.Program)
	return now, same && !modes.Password && !now.owned, nil
}

func (t *Text) stillThere() error {
	if t.Still == nil {
		return nil
	}
	return t.Still()
}

// settle waits as long as the program takes an Enter for a part of the paste.
func (t *Text) settle(ctx context.Context) error {
	if t.sight.Adapter.Settle == 0 {
		return nil
	}
	return pause(ctx, t.sight.Adapter.Settle)
}

// Behind reports whether the line that Open found ends with a text, before the cursor.
// Blanks at its end, which a screen does not keep, count for nothing.
func (t *Text) Behind(text string) bool {
	return strings.HasSuffix(strings.TrimRight(t.before().typed, " "), strings.TrimRight(text, " "))
}

func (t *Text) before() shot { return shotIn(t.sight) }

// note tells what the input will hold once a text is typed. Where that is not known,
// because somebody else typed there too, there is nothing to tell.
func (t *Text) note(text string) (withdraw func()) {
	held := t.Line.held
	if t.Free {
		held = new("")
	}
	if t.Line.held = nil; held == nil || t.Holds == nil {
		return func() {}
	}
	whole := *held + text
	t.Line.held = &whole
	if !t.sight.Adapter.Agent() || t.Hidden {
		return func() {}
	}
	return t.Holds(whole, text == "")
}
