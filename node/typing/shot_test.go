package typing

import (
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/harness"
)

// picture is a screen whose last row has the cursor at a mark.
func picture(text string) shot {
	var rows []grid.Row
	cursor := grid.Cursor{}
	for i, line := range strings.Split(text, "\n") {
		if before, after, here := strings.Cut(line, "▮"); here {
			cursor, line = grid.Cursor{Row: i, Col: len([]rune(before))}, before+after
		}
		line, wraps := strings.CutSuffix(line, "↩")
		rows = append(rows, grid.Row{Wrap: wraps, Runs: []grid.Run{{Text: line}}})
	}
	return shotOf(harness.Builtin().Named(""), rows, grid.Frame{Cols: 80, Rows: len(rows), Cursor: cursor})
}

func TestAnInputHoldsATextOnlyBehindWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 10)
	for name, c := range map[string]struct {
		before, now, text string
		want              bool
	}{
		"at a prompt":                          {"\n$ ▮", "\n$ make test▮", "make test", true},
		"in part":                              {"\n$ ▮", "\n$ make te▮", "make test", false},
		"it was there before":                  {"\n$ make test▮", "\n$ make test▮", "make test", false},
		"another prompt":                       {"\nKeep A? ▮", "\nDelete all? yes▮", "yes", false},
		"another prompt below":                 {"\nKeep A? ▮", "\nKeep A? yes\nyes▮", "yes", false},
		"more than the text":                   {"\n$ ▮", "\n$ x; make test▮", "make test", false},
		"a prompt where none was":              {"\n▮", "\nDelete all? yes▮", "yes", false},
		"a letter of the prompt":               {"\nDeploy▮", "\nDeploy▮", "y", false},
		"blanks are nothing":                   {"\nready> ▮", "\nready> 漢字 仮名▮", "漢字仮名", true},
		"wrapped":                              {"\n$ ▮", "\n$ 0123↩\n4567▮", "01234567", true},
		"before a clock at the right":          {"\n$ ▮          12:01", "\n$ ls▮        12:01", "ls", true},
		"before what the shell suggests":       {"\n$ ▮", "\n$ make▮ test", "make", true},
		"another prompt before a suggestion":   {"\n$ ▮", "\n# make▮ test", "make", false},
		"two lines":                            {"\n$ ▮", "\n$ for\ndone▮", "for\ndone", true},
		"two lines with a mark":                {"\n>>> ▮", "\n>>> for\n... done▮", "for\ndone", true},
		"two lines at another prompt":          {"\n$ ▮", "\nDelete? for\ndone▮", "for\ndone", false},
		"two lines, the second at a question":  {"\n$ ▮", "\n$ for\nDelete? done▮", "for\ndone", false},
		"two lines and a newline":              {"\n$ ▮", "\n$ for\ndone▮", "for\ndone\n", true},
		"the end of a text that fills it":      {"\n$ ▮", long[40:80] + "↩\n" + long[80:] + "▮", long, true},
		"a short end proves nothing":           {"\n$ ▮", long[90:] + "▮", long, false},
		"the end of many lines":                {"\n$ ▮", long + "\n" + long + "▮", "first\n" + long + "\n" + long, true},
		"the end of other lines":               {"\n$ ▮", "Delete? " + long + "\n" + long + "▮", "first\n" + long + "\n" + long, false},
		"Enter alone":                          {"\n$ make▮", "\n$ make▮", "", true},
		"Enter alone, where the question went": {"\nKeep A? ▮", "\nDelete all? ▮", "", false},
	} {
		if got := picture(c.now).holds(picture(c.before), c.text); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

func TestALineIsTypedAheadOnlyWhereNothingStood(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, now, text string
		want              bool
	}{
		"the prompt comes behind it":          {"\n▮", "\nmake$ ▮", "make", true},
		"the prompt comes, and the text":      {"\n▮", "\n$ make▮", "make", true},
		"the prompt comes between":            {"\n▮", "\nmake$ make▮", "make", true},
		"not all of it":                       {"\n▮", "\n$ mak▮", "make", false},
		"a starting shell ends its prompt":    {"\nme▮", "\nme@make$ make▮", "make", true},
		"a starting shell that has it before": {"\nmake▮", "\nmake▮", "make", false},
		"a question stood there":              {"\nKeep A? ▮", "\nDelete all? yes▮", "yes", false},
		"Enter alone is nothing to be waited": {"\n▮", "\n$ ▮", "", false},
	} {
		if got := picture(c.now).tookAhead(picture(c.before), c.text, strings.Contains(name, "starting")); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

func TestALineOfWhichNobodyKnowsIsFreeOnlyAtABarePrompt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		screen string
		echo   bool
		want   bool
	}{
		"an empty line":                            {"what it said\n▮", true, true},
		"an empty line that nobody echoes":         {"what it said\n▮", false, false},
		"half a line":                              {"what it said\nrm -rf half▮", true, false},
		"a prompt":                                 {"\n> ▮", false, true},
		"a prompt with a word":                     {"\nready> ▮", true, true},
		"a shell's":                                {"\nme@atlas:~/src$ ▮", false, true},
		"one with half a line":                     {"\nready> rm -rf half▮", true, false},
		"one with the cursor in it":                {"\nread▮y>", true, false},
		"a question":                               {"\nOverwrite it? [y/N] ▮", true, false},
		"half a line that ends like a prompt":      {"\nread> cat x > ▮", true, false},
		"a line that was begun above, in two rows": {"\ncat x↩\n> ▮", true, false},
	} {
		if got := picture(c.screen).asks(c.echo); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
