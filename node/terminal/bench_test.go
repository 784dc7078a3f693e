package terminal

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const corpusSize = 4 << 20

// pieces cuts a corpus as reads from a PTY do.
func pieces(corpus []byte) [][]byte {
	const size = 4095
	var out [][]byte
	for len(corpus) > size {
		out = append(out, corpus[:size])
		corpus = corpus[size:]
	}
	return append(out, corpus)
}

func benchmarkWrite(b *testing.B, cols, rows int, corpus []byte) {
	s := New(cols, rows, 10_000)
	all := pieces(corpus)
	for range 2 { // until the scrollback is full and everything is warm
		for _, p := range all {
			s.Write(p)
		}
	}
	b.SetBytes(int64(len(corpus)))
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range all {
			s.Write(p)
		}
	}
}

func BenchmarkPlainLog80x24(b *testing.B)  { benchmarkWrite(b, 80, 24, plainLog(corpusSize)) }
func BenchmarkPlainLog200x50(b *testing.B) { benchmarkWrite(b, 200, 50, plainLog(corpusSize)) }
func BenchmarkAgent80x24(b *testing.B)     { benchmarkWrite(b, 80, 24, agentLog(corpusSize, 80, 24)) }

func BenchmarkAgent200x50(b *testing.B) { benchmarkWrite(b, 200, 50, agentLog(corpusSize, 200, 50)) }

// The parser of x/ansi without any screen, as a yardstick.
func BenchmarkParserAlone(b *testing.B) {
	for name, corpus := range map[string][]byte{
		"plain": plainLog(corpusSize), "agent": agentLog(corpusSize, 80, 24),
	} {
		b.Run(name, func(b *testing.B) {
			p := ansi.NewParser()
			count := 0
			p.SetHandler(ansi.Handler{
				Print:     func(rune) { count++ },
				Execute:   func(byte) { count++ },
				HandleCsi: func(ansi.Cmd, ansi.Params) { count++ },
			})
			b.SetBytes(int64(len(corpus)))
			b.ReportAllocs()
			for b.Loop() {
				for _, c := range corpus {
					p.Advance(c)
				}
			}
		})
	}
}
