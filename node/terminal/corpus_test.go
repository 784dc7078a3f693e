package terminal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// plainLog is what a build or a server prints: lines of ASCII of 20 to 140
// characters.
func plainLog(size int) []byte {
	random := rand.New(rand.NewPCG(1, 1))
	var out bytes.Buffer
	for n := 0; out.Len() < size; n++ {
		fmt.Fprintf(&out, "2026-11-30T12:%02d:%02d.%03dZ INFO request=%06d", n/60%60, n%60, n%1000, n)
		for range random.IntN(12) {
			out.WriteString(" " + words[random.IntN(len(words))])
		}
		out.WriteString("\r\n")
	}
	return out.Bytes()
}

// agentLog is what coding agents print: coloured text and links, redrawn boxes and
// spinners, text in several scripts, and an editor's screens in between.
func agentLog(size, cols, rows int) []byte {
	random := rand.New(rand.NewPCG(2, 2))
	var out bytes.Buffer
	for out.Len() < size {
		switch n := random.IntN(100); {
		case n < 30:
			colouredLines(&out, random)
		case n < 50:
			diff(&out, random)
		case n < 65:
			spinner(&out, random)
		case n < 80:
			promptBox(&out, random, cols)
		case n < 95:
			scripts(&out, random)
		default:
			editor(&out, random, cols, rows)
		}
	}
	return out.Bytes()
}

var (
	words = strings.Fields("the quick agent reads files and writes tests before it runs the build again " +
		"internal/server/handler.go func return error context cache Update(todo) 200 OK main.rs => --verbose")
	foreign = strings.Fields("端末の画面を更新しました 测试全部通过 빌드가끝났습니다 😀 🚀 ✅ ❤️ 👩‍💻 🇪🇺 naïve café Ünïcödé привет")
)

func sentence(random *rand.Rand, n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(words[random.IntN(len(words))])
		out.WriteByte(' ')
	}
	return out.String()
}

func colouredLines(out *bytes.Buffer, random *rand.Rand) {
	fmt.Fprintf(out, "\x1b]8;;https://example.org/pull/%d\x1b\\#\x1b[4:3;58;5;9mpull\x1b[m\x1b]8;;\x1b\\\r\n", random.IntN(50))
	for range 4 {
		fmt.Fprintf(out, "\x1b[1m\x1b[38;5;%dm●\x1b[39m\x1b[22m %s\x1b[2m(%dms)\x1b[22m \x1b[32m✔\x1b[0m\r\n",
			random.IntN(256), sentence(random, 6), random.IntN(1000))
	}
}

func diff(out *bytes.Buffer, random *rand.Rand) {
	for i := range 6 {
		colour := []string{"48;2;34;92;43", "48;2;122;41;54", "49"}[i%3]
		fmt.Fprintf(out, "\x1b[2m%5d \x1b[22m\x1b[%sm\x1b[38;2;%d;%d;%dm%s\x1b[39m%s\x1b[49m\x1b[K\r\n",
			i, colour, random.IntN(256), random.IntN(256), random.IntN(256), sentence(random, 2), sentence(random, 5))
	}
}

func spinner(out *bytes.Buffer, random *rand.Rand) {
	for i := range 10 {
		fmt.Fprintf(out, "\x1b[?2026h\r\x1b[2K\x1b[38;5;174m%c\x1b[39m Thinking… \x1b[2m(%ds · ↑ %d tokens)\x1b[22m\x1b[?2026l",
			[]rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[i], i, random.IntN(9000))
	}
	out.WriteString("\r\x1b[2K")
}

func promptBox(out *bytes.Buffer, random *rand.Rand, cols int) {
	edge := strings.Repeat("─", cols-3)
	for range 3 {
		text := sentence(random, 5)
		fmt.Fprintf(out, "\x1b[38;5;240m╭%s╮\r\n│\x1b[39m > %s\x1b[%dG\x1b[38;5;240m│\r\n╰%s╯\x1b[39m\r\n",
			edge, text, cols-1, edge)
		out.WriteString("  ? for shortcuts\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[G")
	}
}

func scripts(out *bytes.Buffer, random *rand.Rand) {
	for range 4 {
		for range 5 {
			out.WriteString(foreign[random.IntN(len(foreign))] + " ")
			out.WriteString(sentence(random, 2))
		}
		out.WriteString("\r\n")
	}
}

func editor(out *bytes.Buffer, random *rand.Rand, cols, rows int) {
	out.WriteString("\x1b[?1049h\x1b[2J\x1b[H")
	for row := range rows - 1 {
		fmt.Fprintf(out, "\x1b[%d;1H\x1b[33m%4d \x1b[0m%.*s\x1b[K", row+1, row+1, cols-6, sentence(random, 8))
	}
	fmt.Fprintf(out, "\x1b[%d;1H\x1b[7m NORMAL \x1b[27m %s\x1b[K\x1b[?1049l", rows, words[random.IntN(len(words))])
}
