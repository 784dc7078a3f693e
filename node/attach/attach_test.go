package attach_test

import (
	"errors"
	"strings"
	"testing"

	"collie/node/attach"
	"collie/node/grid"
	"collie/node/pane"
	"collie/node/terminal"
)

func TestDetachKeysAreFoundAndEverythingElseIsSentOn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys   string
		typed  []string
		sent   string
		detach bool
	}{
		"the default":              {attach.DefaultDetach, []string{"ab\x1c\x1c"}, "ab", true},
		"in two reads":             {attach.DefaultDetach, []string{"\x1c", "\x1c"}, "", true},
		"one alone, with the next": {attach.DefaultDetach, []string{"\x1c", "x"}, "\x1cx", false},
		"what follows is dropped":  {attach.DefaultDetach, []string{"\x1c\x1crm"}, "", true},
		"a false start":            {"a,a,b", []string{"aaab"}, "a", true},
		"docker's":                 {"Ctrl+P,Ctrl+Q", []string{"\x10\x10\x11"}, "\x10", true},
		"a key of more bytes":      {"F12", []string{"\x1b[24", "~"}, "", true},
	} {
		d, err := attach.NewDetach(tc.keys)
		if err != nil {
			t.Fatal(name, err)
		}
		var sent strings.Builder
		var detach bool
		for _, typed := range tc.typed {
			send, now := d.Feed([]byte(typed))
			sent.Write(send)
			detach = detach || now
		}
		if sent.String() != tc.sent || detach != tc.detach {
			t.Errorf("%s: sent %q, detach %v", name, sent.String(), detach)
		}
	}
	for _, keys := range []string{"", "Ctrl+", "Nokey", strings.Repeat("a,", 9) + "a"} {
		if _, err := attach.NewDetach(keys); !errors.Is(err, attach.ErrDetachKeys) {
			t.Errorf("detach keys %q: %v", keys, err)
		}
	}
}

func TestWhatIsTypedBecomesWhatTheProgramAskedFor(t *testing.T) {
	t.Parallel()
	plain, asked := pane.Modes{}, pane.Modes{ApplicationCursor: true, BracketedPaste: true}
	for name, tc := range map[string]struct {
		modes pane.Modes
		typed []string
		want  string
	}{
		"cursor keys":                   {plain, []string{"\x1b[A\x1b[1;5C"}, "\x1b[A\x1b[1;5C"},
		"cursor keys, application":      {asked, []string{"x\x1b[A\x1b[H\x1b[1;5C"}, "x\x1bOA\x1bOH\x1b[1;5C"},
		"a paste":                       {plain, []string{"a\x1b[200~b\rc\x1b[201~d"}, "ab\rcd"},
		"a paste, in brackets":          {asked, []string{"a\x1b[200~b\rc\x1b[201~d"}, "a\x1b[200~b\rc\x1b[201~d"},
		"its end in two reads":          {plain, []string{"\x1b[200~b\x1b[2", "01~d"}, "bd"},
		"its end in two reads, asked":   {asked, []string{"\x1b[200~b\x1b[2", "01~d"}, "\x1b[200~b\x1b[201~d"},
		"Escape in it":                  {plain, []string{"\x1b[200~a\x1b", "b\x1b[201~"}, "a\x1bb"},
		"cursor keys in it stay":        {asked, []string{"\x1b[200~\x1b[A\x1b[201~"}, "\x1b[200~\x1b[A\x1b[201~"},
		"Escape alone is not held back": {asked, []string{"\x1b"}, "\x1b"},
	} {
		var translate attach.Translator
		var got strings.Builder
		for _, typed := range tc.typed {
			out, err := translate.Translate([]byte(typed), func() (pane.Modes, error) { return tc.modes, nil })
			if err != nil {
				t.Fatal(name, err)
			}
			got.Write(out)
		}
		if got.String() != tc.want {
			t.Errorf("%s: %q, want %q", name, got.String(), tc.want)
		}
	}
}

// The proof that a painted picture is right is a terminal that shows it.
func TestAPaintedPictureIsThePicture(t *testing.T) {
	t.Parallel()
	source := terminal.New(20, 5, 0)
	source.Write([]byte("\x1b[1;31mred\x1b[0m plain 漢字\r\nfull row of twenty!!\r\n\x1b[44mback\x1b[K\x1b[0m\r\nlast"))
	p := attach.NewPainter(attach.Size{Cols: 20, Rows: 5})
	person := terminal.New(20, 5, 0)
	person.Write([]byte(attach.Enter))
	paint := func() {
		t.Helper()
		picture, err := p.Paint(frameOf(source, 20, 5))
		if err != nil {
			t.Fatal(err)
		}
		person.Write(picture)
		for i := range 5 {
			if got, want := person.Row(i), source.Row(i); got.Text() != want.Text() || len(got.Runs) != len(want.Runs) {
				t.Errorf("row %d is %v, want %v", i, got, want)
			}
		}
		if person.Cursor() != source.Cursor() {
			t.Errorf("the cursor is at %+v, want %+v", person.Cursor(), source.Cursor())
		}
	}
	paint()
	source.Write([]byte("\x1b[1;1H\x1b[2K\x1b[?25lnew"))
	paint()
}

func TestAPictureIsCutToASmallerTerminal(t *testing.T) {
	t.Parallel()
	source := terminal.New(20, 5, 0)
	source.Write([]byte("0123456789漢字\r\n\r\n\r\nhidden"))
	p := attach.NewPainter(attach.Size{Cols: 11, Rows: 2})
	person := terminal.New(11, 2, 0)
	picture, err := p.Paint(frameOf(source, 20, 5))
	if err != nil {
		t.Fatal(err)
	}
	person.Write([]byte(attach.Enter + string(picture)))
	if got := person.Row(0).Text() + "|" + person.Row(1).Text(); got != "0123456789|" {
		t.Errorf("it shows %q", got)
	}
}

func TestNoTextOfAPaneSpeaksToThePersonsTerminal(t *testing.T) {
	t.Parallel()
	p := attach.NewPainter(attach.Size{Cols: 20, Rows: 1})
	picture, err := p.Paint(grid.Frame{Cols: 20, Rows: 1, Lines: []grid.Line{{Row: grid.Row{Runs: []grid.Run{
		{Text: "a\x1b]52;c;eA==\x07b\u009b2J", Style: "1m\x1b[2J"},
	}}}}})
	if err == nil { // a frame like this is refused; if it ever is not, nothing of it gets through
		if strings.Contains(string(picture), "\x1b]") || strings.ContainsRune(string(picture), 0x9b) {
			t.Errorf("it paints %q", picture)
		}
	}
}

func frameOf(s *terminal.Screen, cols, rows int) grid.Frame {
	frame := grid.Frame{Cols: cols, Rows: rows, Cursor: s.Cursor()}
	for i := range rows {
		frame.Lines = append(frame.Lines, grid.Line{I: i, Row: s.Row(i)})
	}
	return frame
}

func TestTheTerminalThatCameLastDecidesOnTheSize(t *testing.T) {
	t.Parallel()
	var sizes attach.Sizes
	first := sizes.Open("p1", attach.Size{Cols: 80, Rows: 24})
	second := sizes.Open("p1", attach.Size{Cols: 100, Rows: 30})
	first.Resize(attach.Size{Cols: 90, Rows: 20})
	if size, ok := first.Close(); !ok || size != (attach.Size{Cols: 100, Rows: 30}) || !sizes.IsOpen("p1") {
		t.Errorf("the second is left with %+v %v", size, ok)
	}
	if _, ok := second.Close(); ok || sizes.IsOpen("p1") {
		t.Error("nobody is left, and yet it is open")
	}
}

func TestTheLogOfWhatIsTypedNamesKeysAndNoCharacter(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		typed []string
		want  string
	}{
		"characters":            {[]string{"ab漢 "}, "• • • •"},
		"one in two reads":      {[]string{"\xe6", "\xbc\xa2"}, "•"},
		"Enter and others":      {[]string{"\r\t\x7f\x03\x1b"}, "Enter Tab Backspace Ctrl+C Escape"},
		"cursor keys":           {[]string{"\x1b[A\x1bOB\x1b[5~\x1b[1;5C"}, "Up Down PageUp Escape"},
		"a paste":               {[]string{"\x1b[200~a\rb\x03\x1b[A", "c\x1b[201~\r"}, "• • • • • • • • Enter"},
		"a chord with a letter": {[]string{"\x1bx"}, "Escape •"},
	} {
		var names attach.Names
		var got []string
		for _, typed := range tc.typed {
			got = append(got, names.Keys([]byte(typed))...)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
