package terminal

import (
	"strconv"
	"strings"
	"testing"

	"collie/node/grid"
)

func TestSelectGraphicRendition(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ sgr, want string }{
		{"", ""},
		{"0", ""},
		{"1", "1"},
		{"9;8;7;6;4;3;2;1", "1;2;3;4;5;7;8;9"},
		{"1;2;22", ""},
		{"3;23;5;25;7;27;8;28;9;29;53;55;4;24", ""},
		{"53", "53"},
		{"31", "31"},
		{"31;39", ""},
		{"42;97;1", "1;97;42"},
		{"107;90", "90;107"},
		{"44;49", ""},
		{"38;5;2;1", "1;38;5;2"},
		{"38:5:2", "38;5;2"},
		{"48;5;255", "48;5;255"},
		{"38;2;1;2;3;48;2;4;5;6;1", "1;38;2;1;2;3;48;2;4;5;6"},
		{"38:2:1:2:3", "38;2;1;2;3"},
		{"38:2::1:2:3", "38;2;1;2;3"},
		{"38:2:0:1:2:3:4:5", "38;2;1;2;3"},
		{"38;2;0;0;0", "38;2;0;0;0"},
		{"38;2;256;0;0", ""},
		{"38;5;256", ""},
		{"38;5", ""},
		{"38", ""},
		{"38:5", ""},
		{"4:0", ""},
		{"4:1", "4"},
		{"4:3", "4:3"},
		{"4:3;58:5:9", "4:3;58;5;9"},
		{"4;58:2::1:2:3", "4;58;2;1;2;3"},
		{"58;5;9;59", ""},
		{"21", "4:2"},
		{"1;0;3", "3"},
		{"1;;3", "3"},
		{"38;5;;1", "1;38;5;0"},
		{"73", ""},
		{"1;2;3;4:5;5;7;8;9;53;38;2;255;255;255;48;2;255;255;255;58:2::255:255:255", "1;2;3;4:5;5;7;8;9;53;38;2;255;255;255;48;2;255;255;255;58;2;255;255;255"},
	} {
		s := screenOf(4, 1, "\x1b["+test.sgr+"mx")
		want := grid.Row{Runs: []grid.Run{{Text: "x", Style: test.want}}}
		if got := s.Row(0); !got.Equal(want) {
			t.Errorf("SGR %q gives %+v, want style %q", test.sgr, got, test.want)
		}
		if len(test.want) > grid.MaxStyleBytes {
			t.Errorf("style of %d bytes", len(test.want))
		}
	}
}

// styledText writes each run of a row as its style in braces and its text.
func styledText(r grid.Row) string {
	var out strings.Builder
	for _, run := range r.Runs {
		out.WriteString("{" + run.Style + "}" + run.Text)
	}
	return out.String()
}

func TestRowsAreRunsOfOneStyle(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, input, want string
	}{
		{"blank", "", ""},
		{"spaces at the end in the default style are left out", "a b  ", "{}a b"},
		{"blanks in between are spaces", "a\x1b[5Gb", "{}a   b"},
		{"styles", "a\x1b[1mb端\x1b[31mc\x1b[md", "{}a{1}b端{1;31}c{}d"},
		{"a style set twice is one run", "\x1b[1ma\x1b[1mb", "{1}ab"},
		{"styled spaces stay", "\x1b[7m \x1b[m ", "{7} "},
		{"erasing keeps the background", "\x1b[1;41ma\x1b[K", "{1;41}a{41}       "},
		{"erasing without background leaves nothing", "\x1b[1ma\x1b[K", "{1}a"},
		{"inserted cells have the background", "\x1b[44mab\x1b[G\x1b[@", "{44} ab"},
		{"deleted cells leave the background", "abcdefgh\x1b[44m\x1b[G\x1b[6P", "{}gh{44}      "},
		{"half of an overwritten character keeps its style", "\x1b[31m端\x1b[m\rx", "{}x{31} "},
		{"saved with the cursor", "\x1b[1m\x1b7\x1b[m\x1b8a", "{1}a"},
		{"soft reset", "\x1b[1m\x1b[!pa", "{}a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := styledText(screenOf(8, 1, test.input).Row(0)); got != test.want {
				t.Errorf("row %q, want %q", got, test.want)
			}
		})
	}
}

func TestRowsOutsideTheScreenAreEmpty(t *testing.T) {
	t.Parallel()
	s := screenOf(4, 1, "abc")
	for _, i := range []int{-1, 1, 1 << 40} {
		if got := s.Row(i); !got.Equal(grid.Row{}) {
			t.Errorf("row %d: %+v", i, got)
		}
	}
}

func TestManyStylesAreNotRemembered(t *testing.T) {
	t.Parallel()
	s := New(4, 1, 0)
	for i := range 3 * maxStyles {
		s.Write([]byte("\r\x1b[38;2;0;" + strconv.Itoa(i%10) + ";" + strconv.Itoa(i%256) + ";48;5;" + strconv.Itoa(i/256) + "mx"))
		s.Row(0)
	}
	if len(s.styles) > maxStyles {
		t.Errorf("%d styles remembered", len(s.styles))
	}
}
