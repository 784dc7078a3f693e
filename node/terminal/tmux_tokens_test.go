package terminal

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A token is the smallest thing that a program writes: some text, a control
// character or one sequence.
type token string

// tokens makes n tokens as programs might write them in a terminal of the given
// size. The same seed makes the same ones. Simple ones write line after line.
func tokens(seed uint64, n, cols, rows int, simple bool) []token {
	g := generator{random: rand.New(rand.NewPCG(seed, seed)), cols: cols, rows: rows}
	all := make([]token, n)
	for i := range all {
		all[i] = g.token(simple)
	}
	return all
}

type generator struct {
	random     *rand.Rand
	cols, rows int
}

func (g *generator) pick(from ...string) string { return from[g.random.IntN(len(from))] }

func (g *generator) token(simple bool) token {
	type kind struct {
		weight int
		make   func() string
	}
	kinds := []kind{
		{30, g.text},
		{12, g.graphics},
		{14, g.lineEnd},
		{10, g.motion},
		{7, g.erasing},
		{7, g.editing},
		{4, g.scrolling},
		{4, g.mode},
		{3, g.charset},
		{3, g.tab},
		{3, g.saving},
		{2, g.controlString},
		{1, g.rare},
	}
	if simple {
		kinds = append(kinds[:2:2], kind{10, func() string { return "\r\n" }})
	}
	total := 0
	for _, kind := range kinds {
		total += kind.weight
	}
	at := g.random.IntN(total)
	for _, kind := range kinds {
		if at -= kind.weight; at < 0 {
			return token(kind.make())
		}
	}
	panic("not reached")
}

func (g *generator) text() string {
	const latin = "abcdefghijklmnopqrstuvwxyz ABC.,:_-~|`{}0123456789"
	switch g.random.IntN(10) {
	case 0:
		// What is left of an overwritten half has its style here, none in tmux.
		return "\x1b[m" + g.pick("端末", "界", "测试通过", "한글", "🚀", "✅x", "😀😀")
	case 1:
		return g.pick("é", "naïve", "e\u0301", "o\u0308\u0301", "привет", "n\u0303a", "│", "└──┘", "•…")
	case 2:
		return strings.Repeat(g.pick("x", "=", "─", "w "), 1+g.random.IntN(2*g.cols))
	}
	var out strings.Builder
	for range 1 + g.random.IntN(g.cols) {
		out.WriteByte(latin[g.random.IntN(len(latin))])
	}
	return out.String()
}

func (g *generator) lineEnd() string {
	return g.pick("\r\n", "\r\n", "\r\n", "\r", "\n", "\b", "\b\b", "\x1bM", "\x1bD", "\x1bE", "\v", "\f", "\a", "\x00")
}

// number is a parameter: often small, sometimes missing, zero or beyond.
func (g *generator) number(most int) string {
	switch g.random.IntN(8) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return fmt.Sprint(most + g.random.IntN(100))
	default:
		return fmt.Sprint(1 + g.random.IntN(most))
	}
}

func (g *generator) motion() string {
	switch g.random.IntN(3) {
	case 0:
		return "\x1b[" + g.number(g.rows) + ";" + g.number(g.cols) + g.pick("H", "H", "f")
	case 1:
		return "\x1b[" + g.number(g.rows) + g.pick("A", "B", "E", "F", "d", "e")
	default:
		return "\x1b[" + g.number(g.cols) + g.pick("C", "D", "G", "`", "a")
	}
}

func (g *generator) erasing() string {
	return "\x1b[" + g.pick("J", "0J", "1J", "2J", "K", "K", "0K", "1K", "2K", g.number(g.cols)+"X")
}

func (g *generator) editing() string {
	if g.random.IntN(2) == 0 {
		return "\x1b[" + g.number(g.rows) + g.pick("L", "M")
	}
	return "\x1b[" + g.number(g.cols) + g.pick("@", "P")
}

func (g *generator) scrolling() string {
	switch g.random.IntN(4) {
	case 0:
		return "\x1b[r"
	case 1:
		return "\x1b[" + g.number(g.rows) + g.pick("S", "T")
	default:
		return "\x1b[" + g.number(g.rows) + ";" + g.number(g.rows) + "r"
	}
}

func (g *generator) mode() string {
	return "\x1b[" + g.pick("4", "4", "?7", "?6", "?25", "?1", "?2004", "?1000;1006", "?2026") + g.pick("h", "l", "l")
}

func (g *generator) charset() string {
	return g.pick("\x1b(0lqqk\x1b(B", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b)B", "\x0e", "\x0f", "\x0ex\x0f")
}

func (g *generator) tab() string {
	return g.pick("\t", "\t", "\t\t", "\x1bH", "\x1b[g", "\x1b[3g", "\x1b["+g.number(4)+"I", "\x1b["+g.number(4)+"Z")
}

func (g *generator) saving() string {
	// In xterm, each screen has a saved cursor, and entering the alternate screen
	// saves; tmux has one cursor for that, and one for all else.
	return g.pick("\x1b7", "\x1b8", "\x1b[s", "\x1b[u", "\x1b7\x1b[?1049h\x1b7", "\x1b[?1049l\x1b7")
}

func (g *generator) controlString() string {
	end := g.pick("\a", "\x1b\\")
	return g.pick("\x1b]0;title"+end, "\x1b]2;"+g.pick("a", "端末 – é", "x;y")+end,
		"\x1b]8;;https://example.org/"+end, "\x1b]8;;"+end, "\x1b]8;id=1;file:///tmp"+end,
		"\x1b]133;A"+end, "\x1b]7;file://host/tmp"+end, "\x1bP+q544e\x1b\\", "\x1b[22;0t", "\x1b[23;0t")
}

func (g *generator) rare() string {
	return g.pick("\x1b#8", "\x1bc", "\x1b[!p", "\x1b[c", "\x1b[6n", "\x1b[18t", "\x1b=", "\x1b>", "\x1b[2 q",
		"=\x1b["+g.number(g.cols)+"b", "\x1b[3J", "\x1b[>4;1m", "\x1b[?u", "\x1b[>1u", "\x1b%G")
}

// graphics is SGR in all of its forms.
func (g *generator) graphics() string {
	var parameters []string
	for range 1 + g.random.IntN(3) {
		parameters = append(parameters, g.graphic())
	}
	return "\x1b[" + strings.Join(parameters, ";") + "m"
}

func (g *generator) graphic() string {
	n := func(most int) string { return fmt.Sprint(g.random.IntN(most)) }
	rgb := func(separator string) string { return n(256) + separator + n(256) + separator + n(256) }
	target := g.pick("38", "48", "58")
	switch g.random.IntN(8) {
	case 0:
		return g.pick("", "0")
	case 1:
		return g.pick("4:"+n(6), "4", "21", "24")
	case 2:
		return target + g.pick(";5;"+n(256), ":5:"+n(256))
	case 3:
		return target + g.pick(";2;"+rgb(";"), ":2:"+rgb(":"), ":2::"+rgb(":"))
	case 4:
		return g.pick("39", "49", "59")
	case 5:
		return g.pick("3", "4", "9", "10") + n(8)
	case 6:
		return g.pick("22", "23", "25", "27", "28", "29", "55")
	default:
		return g.pick("1", "2", "3", "5", "7", "8", "9", "53")
	}
}
