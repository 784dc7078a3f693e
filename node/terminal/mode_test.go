package terminal

import (
	"strings"
	"testing"

	"collie/node/grid"
)

func TestModes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		input string
		want  Modes
	}{
		{"", Modes{}},
		{"\x1b[?1h", Modes{ApplicationCursor: true}},
		{"\x1b[?1h\x1b[?1l", Modes{}},
		{"\x1b=", Modes{ApplicationKeypad: true}},
		{"\x1b=\x1b>", Modes{}},
		{"\x1b[?66h", Modes{ApplicationKeypad: true}},
		{"\x1b[?2004h", Modes{BracketedPaste: true}},
		{"\x1b[?1049h", Modes{AlternateScreen: true}},
		{"\x1b[20h", Modes{NewLine: true}},
		{"\x1b[?1004h", Modes{Focus: true}},
		{"\x1b[?1007h", Modes{AlternateScroll: true}},
		{"\x1b[?2026h", Modes{Synchronized: true}},
		{"\x1b[?9h", Modes{Mouse: MouseX10}},
		{"\x1b[?1000h\x1b[?1006h", Modes{Mouse: MouseNormal, MouseEncoding: MouseSGR}},
		{"\x1b[?1002;1015h", Modes{Mouse: MouseButton, MouseEncoding: MouseURXVT}},
		{"\x1b[?1003h\x1b[?1016h", Modes{Mouse: MouseAny, MouseEncoding: MouseSGRPixels}},
		{"\x1b[?1003h\x1b[?1005h\x1b[?1003l", Modes{MouseEncoding: MouseUTF8}},
		{"\x1b[?1006h\x1b[?1005l", Modes{MouseEncoding: MouseSGR}},
		{"\x1b[?1006h\x1b[?1006l", Modes{}},
		{"\x1b[?1;1000;2004h\x1b[20h\x1bc", Modes{}},
		{"\x1b[?1;66;2004h\x1b[!p", Modes{BracketedPaste: true}},
	} {
		if got := screenOf(4, 2, test.input).Modes(); got != test.want {
			t.Errorf("after %q %+v, want %+v", test.input, got, test.want)
		}
	}
}

func TestNewLineModeReturnsTheCarriage(t *testing.T) {
	t.Parallel()
	if got := text(screenOf(4, 2, "\x1b[20hab\ncd")); got != "ab\ncd" {
		t.Errorf("screen %q", got)
	}
}

func TestCursorVisibility(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		input string
		want  bool
	}{{"", true}, {"\x1b[?25l", false}, {"\x1b[?25l\x1b[?25h", true}, {"\x1b[?25l\x1bc", true}} {
		if got := screenOf(4, 2, test.input).Cursor().Visible; got != test.want {
			t.Errorf("after %q visible: %v", test.input, got)
		}
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, input, want string }{
		{"primary attributes", "\x1b[c", "\x1b[?62;22c"},
		{"identify", "\x1bZ", "\x1b[?62;22c"},
		{"secondary attributes", "\x1b[>c", "\x1b[>1;10;0c"},
		{"tertiary attributes", "\x1b[=c", "\x1bP!|00000000\x1b\\"},
		{"version", "\x1b[>q", "\x1bP>|collie\x1b\\"},
		{"status", "\x1b[5n", "\x1b[0n"},
		{"cursor", "ab\r\nc\x1b[6n", "\x1b[2;2R"},
		{"cursor in origin mode", "\x1b[2;3r\x1b[?6h\x1b[6n", "\x1b[1;1R"},
		{"cursor, DEC", "a\x1b[?6n", "\x1b[?1;2R"},
		{"size", "\x1b[18t", "\x1b[8;4;10t"},
		{"a mode that is set", "\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"},
		{"a mode that is not set", "\x1b[?2026$p\x1b[?1006$p\x1b[?1049$p", "\x1b[?2026;2$y\x1b[?1006;2$y\x1b[?1049;2$y"},
		{"modes on at first", "\x1b[?7$p\x1b[?25$p", "\x1b[?7;1$y\x1b[?25;1$y"},
		{"a mode that is not known", "\x1b[?31$p\x1b[31$p", "\x1b[?31;0$y\x1b[31;0$y"},
		{"grapheme clusters are always on", "\x1b[?2027l\x1b[?2027$p", "\x1b[?2027;3$y"},
		{"ANSI modes", "\x1b[4h\x1b[4$p\x1b[20$p", "\x1b[4;1$y\x1b[20;2$y"},
		{"the pen", "\x1b[1;4:3;38;2;1;2;3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;38;2;1;2;3m\x1b\\"},
		{"the scroll region", "\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\"},
		{"another setting is not told", "\x1bP$q q\x1b\\", "\x1bP0$r\x1b\\"},
		{"terminfo is not told", "\x1bP+q544e\x1b\\", "\x1bP0+r\x1b\\"},
		{"the clipboard is not told", "\x1b]52;c;?\x07", ""},
		{"answers keep their order", "\x1b[5n\x1b[c", "\x1b[0n\x1b[?62;22c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := screenOf(10, 4, test.input)
			if got := string(s.TakeReplies()); got != test.want {
				t.Errorf("reply %q, want %q", got, test.want)
			}
			if again := s.TakeReplies(); again != nil {
				t.Errorf("reply %q a second time", again)
			}
		})
	}
}

func TestRepliesThatNobodyTakesAreBounded(t *testing.T) {
	t.Parallel()
	s := screenOf(10, 4, "\x1b[5n", strings.Repeat("\x1b[c", 10_000))
	got := string(s.TakeReplies())
	const first, other = "\x1b[0n", "\x1b[?62;22c"
	if n := (maxReplyBytes - len(first)) / len(other); got != first+strings.Repeat(other, n) {
		t.Errorf("%d bytes of replies, want the first %d whole ones", len(got), n)
	}
	s.Write([]byte("\x1b[5n"))
	if got := string(s.TakeReplies()); got != first {
		t.Errorf("reply %q after the overflow", got)
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("端", grid.MaxTitleBytes)
	for _, test := range []struct{ name, input, want string }{
		{"none", "a", ""},
		{"OSC 0 and bell", "\x1b]0;vim\x07", "vim"},
		{"OSC 2 and ST", "\x1b]2;vim – main.go\x1b\\", "vim – main.go"},
		{"with semicolons", "\x1b]2;a;b\x07", "a;b"},
		{"OSC 1 is the icon", "\x1b]1;icon\x07", ""},
		{"empty", "\x1b]2;a\x07\x1b]2;\x07", ""},
		{"quotes", "\x1b]2;\u201cq\u201d\x07", "\u201cq\u201d"},
		{"without control characters", "\x1b]2;a\nb\tc\u0085d\x7f\x07", "abcd"},
		{"invalid UTF-8", "\x1b]2;a\xffb\x07", "a\ufffdb"},
		{"bounded at a whole character", "\x1b]2;" + long + "\x07", long[:grid.MaxTitleBytes/3*3]},
		{"cancelled", "\x1b]2;a\x18", ""},
		{"cancelled by a substitute", "\x1b]2;a\x1a", ""},
		{"unfinished", "\x1b]2;a", ""},
		{"saved and restored", "\x1b]2;a\x07\x1b[22;0t\x1b]2;b\x07\x1b[23;0t", "a"},
		{"nothing to restore", "\x1b]2;a\x07\x1b[23t", "a"},
		{"reset", "\x1b]2;a\x07\x1bc", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := screenOf(4, 2, test.input).Title(); got != test.want {
				t.Errorf("title %q, want %q", got, test.want)
			}
		})
	}
	s := screenOf(4, 2, strings.Repeat("\x1b[22t", 1000))
	if len(s.titles) > maxTitles {
		t.Errorf("%d titles saved", len(s.titles))
	}
}
