package node_test

import (
	"strings"
	"testing"

	"collie/node"
	"collie/node/api"
	"collie/node/pane"
)

// own starts a fake at a recorded screen; on are further ones by what is typed.
func own(t *testing.T, n *node.Node, screen string, on ...string) fake {
	t.Helper()
	args := []string{"-screen", screenOf(screen)}
	for _, key := range on {
		typed, next, _ := strings.Cut(key, "=")
		args = append(args, "-on", typed+"="+screenOf(next))
	}
	program, _, _ := strings.Cut(screen, "-")
	return play(t, n, pane.Spec{Cols: 80, Rows: 30}, program, args...)
}

func (f fake) answerText(card, option, text string) error {
	return f.node.Local().Answer(asPixel(f.t), f.id, api.Answer{Card: card, Option: option, Text: text})
}

func TestAnOwnAnswerIsTypedIntoItsFieldSeenThereAndSubmittedOnce(t *testing.T) {
	t.Parallel()
	n := open(t)
	for name, c := range map[string]struct {
		screen string
		on     []string
		want   string
	}{
		"the field is opened by its number": {"opencode-ask", []string{"3=opencode-own", "MySQL=opencode-own-typed", `\r=opencode-idle`}, "3MySQL\r"},
		"the mark is moved to the field":    {"gemini-ask", []string{`\e[B=gemini-own`, "MySQL=gemini-own-typed", `\r=gemini-idle`}, "\x1b[BMySQL\r"},
		"the mark stands there":             {"claude-own", []string{"MySQL=claude-own-typed", `\r=claude-said`}, "MySQL\r"},
		"the field is open":                 {"opencode-own", []string{"MySQL=opencode-own-typed", `\r=opencode-idle`}, "MySQL\r"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := own(t, n, c.screen, c.on...)
			card := f.card()
			if last := card.Prompt.Options[len(card.Prompt.Options)-1]; !last.Own || last.ID != "3" {
				t.Fatalf("the last answer is %+v", last)
			}
			if err := f.answerText(card.ID, "3", "MySQL"); err != nil {
				t.Fatal(err)
			}
			f.got(c.want)
		})
	}
}

func TestAnOwnAnswerThatIsNotSeenInItsFieldIsNotSubmitted(t *testing.T) {
	t.Parallel()
	n := open(t)
	for name, on := range map[string][]string{
		"it does not appear":          nil,
		"another question is asked":   {"MySQL=claude-bash"},
		"the mark has gone meanwhile": {"MySQL=claude-own-left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := own(t, n, "claude-own", on...)
			refused(t, "the answer", f.answerText(f.card().ID, "3", "MySQL"), api.ErrNotSubmitted)
			f.got("MySQL")
		})
	}
}

func TestAFieldInWhichSomebodyTypesIsLeftToThem(t *testing.T) {
	t.Parallel()
	f := own(t, open(t), "claude-own-left")
	card := f.card()
	if o := card.Prompt.Options; len(o) != 2 || o[0].Own || o[1].Own {
		t.Errorf("the answers are %+v", o)
	}
	refused(t, "an own answer", f.answerText(card.ID, "3", "MySQL"), api.ErrScreenChanged)
	f.got("")
}

func TestATextThatIsNoAnswerTypesNothing(t *testing.T) {
	t.Parallel()
	f := own(t, open(t), "opencode-ask", "3=opencode-own")
	card := f.card().ID
	for what, c := range map[string]struct {
		option, text string
		want         *api.Error
	}{
		"no text":                {"3", "", api.ErrBadRequest},
		"blanks":                 {"3", "  ", api.ErrBadRequest},
		"two lines":              {"3", "a\nb", api.ErrBadRequest},
		"a control character":    {"3", "a\x1b[Ab", api.ErrBadRequest},
		"bytes that are no text": {"3", "a\xff", api.ErrBadRequest},
		"too much":               {"3", strings.Repeat("a", api.MaxOwnBytes+1), api.ErrTooLarge},
		"an answer without one":  {"1", "MySQL", api.ErrBadRequest},
		"no answer":              {"9", "MySQL", api.ErrBadRequest},
	} {
		refused(t, what, f.answerText(card, c.option, c.text), c.want)
	}
	refused(t, "a held permission", f.answerText("held.1", "allow", "MySQL"), api.ErrScreenChanged)
	f.got("")
}

// While the field is open a number would be typed there.
func TestAnotherAnswerIsGoneToWhileTheFieldIsOpen(t *testing.T) {
	t.Parallel()
	f := own(t, open(t), "claude-own", `\e[A=claude-own-left`, `\r=claude-said`)
	if err := f.answer(f.card().ID, "2", false); err != nil {
		t.Fatal(err)
	}
	f.got("\x1b[A\r")
}

func TestSeveralAnswersOfOpenCodeAreTickedAndReviewed(t *testing.T) {
	t.Parallel()
	n := open(t)
	f := own(t, n, "opencode-multi", "2=opencode-two", `\t=opencode-review`)
	card := f.card()
	ticks := ""
	for _, o := range card.Prompt.Options {
		if ticks += " " + o.ID; o.Ticked != nil && *o.Ticked {
			ticks += "✓"
		}
	}
	if ticks != " 1 2✓ 3 further" {
		t.Errorf("the answers are%s", ticks)
	}
	if err := f.answer(card.ID, "further", false); err != nil {
		t.Fatal(err)
	}
	g := own(t, n, "opencode-review", `\r=opencode-idle`)
	if o := g.card().Prompt.Options; len(o) != 1 || o[0].Label != "Submit" {
		t.Errorf("the review has %+v", o)
	}
	if err := g.answer(g.card().ID, "further", false); err != nil {
		t.Fatal(err)
	}
	f.got("\t")
	g.got("\r")
}
