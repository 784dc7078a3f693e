package node

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/grid"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/trust"
	"collie/node/typing"
)

// keyed returns an opaque name for a text of a pane: without the node's key
// nobody can guess what it stands for.
func (n *Node) keyed(kind, id, text string) string {
	mac := hmac.New(sha256.New, n.screenKey)
	_, _ = io.WriteString(mac, kind+"\x00"+id+"\x00"+text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

func (n *Node) programID(program string) string { return n.keyed("program", "", program) }

// cardID names a question of one run of a program.
func (n *Node) cardID(id pane.ID, program string, p *harness.Prompt) string {
	return n.keyed("card", string(id), program+"\x00"+p.Key())
}

// promptCards returns the card of the question that a pane's program asks.
func (n *Node) promptCards(id pane.ID, b status.Belief) []api.Card {
	if b.Prompt == nil {
		return []api.Card{}
	}
	p := b.Prompt
	if n.Mask != nil {
		hidden := p.Hidden(func(rows []grid.Row) []grid.Row {
			rows, _ = n.Mask.Rows(rows, nil, nil)
			return rows
		})
		if hidden == nil {
			return []api.Card{} // what can be shown of it is no question: the screen has it, with its keys
		}
		p = hidden
	}
	shown := api.Prompt{
		Question: n.shown(p.Question, trust.Clean), Subject: n.shown(p.Subject, trust.CleanText),
		Cut: p.Cut || len(p.Subject) > api.MaxSubjectBytes, Options: []api.PromptOption{},
	}
	for _, o := range p.Options[:min(len(b.Prompt.Options), api.MaxOptions)] {
		if o.Own && p.Field.Text != "" { // what somebody else has begun is theirs
			continue
		}
		shown.Options = append(shown.Options, api.PromptOption{
			ID: o.ID, Label: n.shown(o.Label, trust.Clean), Detail: n.shown(o.Detail, trust.Clean), Always: o.Always, Deny: o.Deny, Own: o.Own,
		})
		if o.Box {
			shown.Options[len(shown.Options)-1].Ticked = &o.Ticked
		}
	}
	if len(shown.Options) == 0 {
		return []api.Card{}
	}
	return []api.Card{{Kind: "prompt", ID: n.cardID(id, b.Program, b.Prompt), At: b.Since.UnixMilli(), Prompt: &shown}}
}

// shown is text of a screen that leaves it: masked before it is cut.
func (n *Node) shown(text string, clean func(string, int) string) string {
	masked, _ := n.maskText(clean(text, 2*api.MaxSubjectBytes), "pane")
	return clean(masked, api.MaxSubjectBytes)
}

// Answer presses the keys of one option of a card, or types an own answer. The screen is read again
// before each key: while it asks the same about the same thing the key is
// pressed, else none is.
func (l *Local) Answer(ctx context.Context, id string, answer api.Answer) error {
	if answer.Card == "" || answer.Option == "" {
		return api.ErrBadRequest.With("a card and one of its options")
	}
	what := audit.ID(answer.Option)
	if answer.Text != "" {
		if err := checkOwn(answer.Text); err != nil {
			return err
		}
		what = audit.Text(answer.Text)
	}
	_, err := write(l, ctx, "pane.answer", id, what, func(*writer) (api.Done, error) {
		defer l.node.Walky.Nudge(id)
		return api.Done{OK: true}, l.answer(ctx, pane.ID(id), answer)
	})
	return err
}

func (l *Local) answer(ctx context.Context, id pane.ID, answer api.Answer) error {
	if strings.HasPrefix(answer.Card, heldPrefix) && answer.Text == "" {
		return l.answerHeld(ctx, id, answer.Card, answer.Option)
	}
	// asks reads the screen and returns the option while the card is there.
	program := ""
	asks := func() (harness.Option, *harness.Prompt, error) {
		sight, err := l.node.Status.Look(ctx, id)
		switch p := sight.Reading.Prompt; {
		case err != nil:
			return harness.Option{}, nil, err
		case p == nil || l.node.cardID(id, sight.Program, p) != answer.Card || (program != "" && sight.Program != program):
			return harness.Option{}, nil, api.ErrScreenChanged
		case program == "" && answer.Screen != "" && l.compare(string(id), sight, answer.Screen) != nil:
			return harness.Option{}, nil, api.ErrScreenChanged
		default:
			program = sight.Program
			o, ok := p.Option(answer.Option)
			switch {
			case !ok:
				return o, nil, api.ErrBadRequest.With("the card has no such option")
			case o.Own != (answer.Text != ""):
				return o, nil, api.ErrBadRequest.With("that answer takes a text, and no other does")
			case o.Own && p.Field.Text != "":
				return o, nil, api.ErrScreenChanged
			}
			return o, p, nil
		}
	}
	option, _, err := asks()
	if err != nil {
		return err
	}
	if option.Always && !answer.Confirm {
		return api.ErrConfirm
	}
	if option.Own {
		return l.answerOwn(ctx, id, option, answer.Text, asks)
	}
	key := option.Key
	if key == "" {
		if err := l.move(ctx, id, answer.Option, asks); err != nil {
			return err
		}
		key = "Enter"
	}
	err = l.press(ctx, id, key, func() error {
		option, _, err := asks()
		if err == nil && key == "Enter" && !option.Marked { // Enter takes what is marked, and nothing else
			return api.ErrScreenChanged
		}
		return err
	})
	if err != nil {
		return err
	}
	return l.until(ctx, id, func(s status.Sight) bool {
		p := s.Reading.Prompt
		return p == nil || l.node.cardID(id, s.Program, p) != answer.Card
	}, api.ErrAnswerUnseen)
}

// move moves the mark to an option, one key at a time, and looks after each.
func (l *Local) move(ctx context.Context, id pane.ID, to string, asks func() (harness.Option, *harness.Prompt, error)) error {
	began := time.Now()
	for range maxMoves {
		if time.Since(began) > typing.Budget { // others wait for their turn at the pane
			break
		}
		option, p, err := asks()
		if err != nil || option.Marked {
			return err
		}
		at := p.Marked()
		if at < 0 {
			return api.ErrScreenChanged
		}
		key := option.Next
		for i, o := range p.Options {
			if o.ID == to && i < at {
				key = option.Back
			}
		}
		err = l.press(ctx, id, key, func() error {
			_, p, err := asks()
			if err == nil && p.Marked() != at {
				return api.ErrScreenChanged
			}
			return err
		})
		if err != nil {
			return err
		}
		// A list that is drawn anew is away for a moment.
		err = l.until(ctx, id, func(s status.Sight) bool { return s.Reading.Prompt != nil && s.Reading.Prompt.Marked() != at }, api.ErrAnswerUnseen)
		if err != nil {
			_, _, gone := asks()
			return cmp.Or(gone, err)
		}
	}
	return api.ErrAnswerUnseen
}

// press presses a key unless still refuses, which looks right before.
func (l *Local) press(ctx context.Context, id pane.ID, key string, still func() error) error {
	data, err := l.encode(ctx, id, []string{key})
	if err != nil {
		return err
	}
	return l.node.Panes.InputIf(ctx, id, data, still)
}

// until looks at a pane each time its screen changes, until it is as wanted.
func (l *Local) until(ctx context.Context, id pane.ID, wanted func(status.Sight) bool, late error) error {
	within, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	seen := errors.New("seen")
	err := l.node.Panes.Watch(within, id, func(grid.Frame) error {
		sight, err := l.node.Status.Look(within, id)
		if err == nil && wanted(sight) {
			return seen
		}
		return err
	})
	switch {
	case errors.Is(err, seen):
		return nil
	case within.Err() != nil && ctx.Err() == nil:
		return late
	case errors.Is(err, pane.ErrNotFound), errors.Is(err, pane.ErrEnded):
		return nil // the program has gone, and its question with it
	}
	return err
}
