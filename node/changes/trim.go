package changes

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var hunkForm = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)$`)

// Trim takes away the context of a unified diff that a person does not need: what
// is more than three lines from a change. A hunk may become several. What is no
// unified diff stays as it is, a merge's with two sides among it.
func Trim(diff string) string {
	var out strings.Builder
	rest := diff
	for rest != "" {
		line := firstLine(rest)
		h, ok := parseHunk(line)
		if !ok {
			out.WriteString(line)
			rest = rest[len(line):]
			continue
		}
		rest = rest[len(line):]
		rest = h.take(rest)
		h.write(&out)
	}
	return out.String()
}

// A hunk is a run of lines of a diff.
type hunk struct {
	header           string // as it was
	old, new         int    // the first line on each side
	oldLeft, newLeft int    // lines of each side that are still to come
	heading          string
	lines            []string // each with its sign and its end
}

func parseHunk(line string) (*hunk, bool) {
	found := hunkForm.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
	if found == nil {
		return nil, false
	}
	number := func(text string) int {
		if text == "" {
			return 1
		}
		n, _ := strconv.Atoi(text) // nine digits
		return n
	}
	return &hunk{
		header: line, old: number(found[1]), oldLeft: number(found[2]), new: number(found[3]), newLeft: number(found[4]), heading: found[5],
	}, true
}

// take takes a hunk's lines from what follows its header, and returns what
// follows them.
func (h *hunk) take(rest string) string {
	for rest != "" {
		line := firstLine(rest)
		switch sign := line[0]; {
		case sign == '\\':
		case h.oldLeft == 0 && h.newLeft == 0:
			return rest
		case sign == '-' && h.oldLeft > 0:
			h.oldLeft--
		case sign == '+' && h.newLeft > 0:
			h.newLeft--
		case sign == ' ' && h.oldLeft > 0 && h.newLeft > 0:
			h.oldLeft--
			h.newLeft--
		default:
			return rest
		}
		h.lines = append(h.lines, line)
		rest = rest[len(line):]
	}
	return rest
}

// write writes the hunk without the context that nobody needs.
func (h *hunk) write(out *strings.Builder) {
	near := h.near()
	if near == nil { // no change in it: a diff that was cut
		out.WriteString(h.header)
		for _, line := range h.lines {
			out.WriteString(line)
		}
		return
	}
	old, new, heading := h.old, h.new, h.heading
	for i := 0; i < len(h.lines); {
		if !near[i] {
			old, new = advance(h.lines[i], old, new)
			i++
			continue
		}
		end, oldEnd, newEnd := i, old, new
		for end < len(h.lines) && near[end] {
			oldEnd, newEnd = advance(h.lines[end], oldEnd, newEnd)
			end++
		}
		fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@%s\n", old, oldEnd-old, new, newEnd-new, heading)
		for _, line := range h.lines[i:end] {
			out.WriteString(line)
		}
		i, old, new, heading = end, oldEnd, newEnd, ""
	}
}

// near says of each line whether it is shown; nil when nothing is changed.
func (h *hunk) near() []bool {
	near := make([]bool, len(h.lines))
	changed := false
	for i, line := range h.lines {
		if line[0] != '+' && line[0] != '-' {
			continue
		}
		changed = true
		for j := max(i-showContext, 0); j <= min(i+showContext, len(near)-1); j++ {
			near[j] = true
		}
	}
	if !changed {
		return nil
	}
	for i := 1; i < len(near); i++ { // "\ No newline" belongs to the line before
		if h.lines[i][0] == '\\' {
			near[i] = near[i-1]
		}
	}
	return near
}

// advance counts a line on the sides that it is on.
func advance(line string, old, new int) (int, int) {
	switch line[0] {
	case '-':
		old++
	case '+':
		new++
	case ' ':
		old++
		new++
	}
	return old, new
}

// firstLine returns the first line of a text with its end.
func firstLine(text string) string {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return text[:end+1]
	}
	return text
}

// isBinary reports whether git says of a file that it is no text.
func isBinary(diff string) bool {
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			return false
		case strings.HasPrefix(line, "Binary files "):
			return true
		}
	}
	return false
}
