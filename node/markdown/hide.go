package markdown

import (
	"slices"
	"strings"
)

// Hide masks a source so that nothing of it is seen that hide would hide, in the
// source or in the tree. Where the two do not agree, what comes back is the
// masked text of the tree without its Markdown.
func Hide(source string, hide func(string) (masked string, found bool)) (masked string, found bool) {
	masked, found = hide(source)
	if len(source) > MaxBytes || len(masked) > MaxBytes {
		return masked, found // it will be shown as it stands
	}
	tree := Parse(source)
	seen, hidden := hide(Text(tree))
	addresses := addressesOf(nil, tree)
	for i, address := range addresses {
		other, bad := hide(address)
		addresses[i], hidden = other, hidden || bad
	}
	if !found && !hidden {
		return source, false
	}
	tree = Parse(masked)
	if Text(tree) == seen && slices.Equal(addressesOf(nil, tree), addresses) {
		return masked, true
	}
	return fence(seen), true
}

// addressesOf appends what a tree holds besides its words.
func addressesOf(list []string, tree []Node) []string {
	for _, n := range tree {
		for _, text := range []string{n.Href, n.Lang} {
			if text != "" {
				list = append(list, text)
			}
		}
		list = addressesOf(list, n.Kids)
	}
	return list
}

// Text returns all words of a tree, each block on a line of its own.
func Text(tree []Node) string {
	var text strings.Builder
	writeText(&text, tree)
	return strings.TrimRight(text.String(), "\n")
}

func writeText(text *strings.Builder, tree []Node) {
	for _, n := range tree {
		text.WriteString(n.Text)
		writeText(text, n.Kids)
		switch n.Kind {
		case "p", "h", "li", "pre", "hr", "tr", "br":
			if s := text.String(); s != "" && s[len(s)-1] != '\n' {
				text.WriteByte('\n')
			}
		case "th", "td":
			text.WriteByte(' ')
		}
	}
}

// fence makes a text stay as it is in Markdown: a block of code, within a fence
// that is longer than any in it.
func fence(text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	ticks := strings.Repeat("`", longest+1)
	return ticks + "\n" + text + "\n" + ticks
}
