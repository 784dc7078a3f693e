package harness

import "strings"

// A Field is where an answer of one's own is typed, in the place of one of those
// that a question offers.
type Field struct {
	Open bool   // it takes the keys
	Text string // that was typed; blanks may stand where rows were joined
}

// own makes an option the one that takes a text. Its words are the same whatever
// was typed; hint is what its field shows while nothing was.
func (p *Prompt) own(i int, label, hint, typed string, open bool) {
	if strings.HasPrefix(typed, hint) {
		typed = ""
	}
	o := &p.Options[i]
	o.Own, o.Label, o.Detail = true, label, ""
	p.Field = &Field{Open: open, Text: strings.TrimSpace(typed)}
}

// ownByMove makes an option of a list the one that takes a text once the mark
// stands there. A number would be typed there, so that other answers are gone to.
func (p *Prompt) ownByMove(i int, hint string) {
	o := p.Options[i]
	p.own(i, hint, hint, o.Label+" "+o.Detail, o.Marked)
	if p.Field.Open {
		for j := range p.Options {
			p.Options[j].Key = ""
		}
	}
	p.Options[i].Key = ""
	p.moves("Down", "Up")
}

// claudeOwn finds the answer that takes a text in a question of Claude Code's
// agent: the one above that which ends the question.
func claudeOwn(p *Prompt) *Prompt {
	for i := 1; i < len(p.Options); i++ {
		if strings.HasPrefix(p.Options[i].Label, "Chat about this") {
			p.ownByMove(i-1, "Type something")
			break
		}
	}
	return p
}

// geminiOwn finds it in a question of Gemini CLI's agent: the last one.
func geminiOwn(p *Prompt, hint string) *Prompt {
	last := len(p.Options) - 1
	if p.Options[last].Label == geminiOther || (p.Options[last].Marked && strings.Contains(hint, "Enter to submit")) {
		p.ownByMove(last, geminiOther)
	}
	return p
}

const geminiOther = "Enter a custom value"

// opencodeOwn finds it in a question of OpenCode's agent: the last one, with the
// field below it once it is open. Then every other key is typed there, too.
func opencodeOwn(p *Prompt) *Prompt {
	last := len(p.Options) - 1
	if p.Options[last].Label != opencodeOther {
		return p
	}
	open := p.Options[last].Detail != ""
	if p.own(last, opencodeOther, opencodeOther, p.Options[last].Detail, open); open {
		p.Options = p.Options[last:]
		p.Options[0].Key = ""
	}
	return p
}

const opencodeOther = "Type your own answer"
