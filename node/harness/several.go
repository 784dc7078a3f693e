package harness

import "strings"

// claudeSeveral makes a question of a list of which several options may be chosen.
// Claude Code ticks an option at its number, wherever its mark stands among them,
// and Right goes on, to the next question or to a review of the answers with a
// list of its own. The last option with a box takes a text: while the mark stands
// there, or behind it, a number may be a part of that, and there is no card.
func claudeSeveral(p *Prompt) *Prompt {
	var kept []Option
	further, marked := "", false
	for _, o := range p.Options {
		ticked, label, box := tick(o.Label)
		switch {
		case further != "" && !box: // what stands below the list
		case !box || further != "" || len(o.ID) > 1:
			return nil
		case o.Detail == "Submit" || o.Detail == "Next":
			further = o.Detail
		default:
			marked = marked || o.Marked
			o.Label, o.Box, o.Ticked, o.Key = label, true, ticked, o.ID
			kept = append(kept, o)
		}
	}
	if further == "" || !marked {
		return nil
	}
	p.Options = append(kept, Option{ID: furtherID, Label: further, Key: "Right"})
	return p
}

// furtherID names what ends the choice of several.
const furtherID = "further"

// tick reads the box before a label.
func tick(text string) (ticked bool, label string, ok bool) {
	for box, ticked := range map[string]bool{"[ ] ": false, "[✔] ": true, "[✓] ": true} {
		if label, ok := strings.CutPrefix(text, box); ok {
			return ticked, strings.TrimSpace(label), true
		}
	}
	return false, "", false
}

// opencodeSeveral is claudeSeveral for OpenCode, in which a number ticks, too, and
// Tab goes on. While the field of an own answer is open a number is typed there.
func opencodeSeveral(p *Prompt) *Prompt {
	for i := range p.Options {
		o := &p.Options[i]
		ticked, label, box := tick(o.Label)
		if !box || len(o.ID) > 1 || (label == opencodeOther && o.Detail != "") {
			return nil
		}
		o.Label, o.Box, o.Ticked, o.Key = label, true, ticked, o.ID
	}
	p.Options = append(p.Options, Option{ID: furtherID, Label: "Next", Key: "Tab"})
	return p
}

// opencodeReview is what OpenCode shows of all answers before it sends them: rows
// below a title, and Enter.
func (v *view) opencodeReview(begin, end int, text func(int) string) *Prompt {
	for i := begin; i < end; i++ {
		if flat(text(i)) == "Review" && strings.Contains(text(end), "enter submit") {
			return &Prompt{
				Question: "Review", Subject: v.subject(i+1, end, text), first: begin, last: end,
				Options: []Option{{ID: furtherID, Label: "Submit", Key: "Enter", Marked: true}},
			}
		}
	}
	return nil
}
