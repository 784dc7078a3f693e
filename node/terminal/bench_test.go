package terminal

import (
	"bytes"
	"testing"

	"collie/node/grid"

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

// What real programs wrote.
func BenchmarkRecordings80x24(b *testing.B) {
	var all []byte
	for _, recording := range recordings(b) {
		all = append(all, recording.output...)
	}
	benchmarkWrite(b, 80, 24, bytes.Repeat(all, corpusSize/len(all)))
}

// A key's echo: what a person waits for.
func BenchmarkEcho(b *testing.B) {
	s := New(200, 50, 10_000)
	key := []byte("a\b")
	b.ReportAllocs()
	for b.Loop() {
		s.Write(key)
	}
}

// One changed row on its way to a phone.
func BenchmarkRow(b *testing.B) {
	s := New(200, 50, 0)
	s.Write([]byte("\x1b[1;38;5;2m● \x1b[msome text of a row \x1b[2m(12s · 端末)\x1b[m and \x1b[48;2;1;2;3mmore of it\x1b[m"))
	b.ReportAllocs()
	for b.Loop() {
		s.Row(0)
	}
}

// The most that few bytes can ask for: to fill the largest screen.
func BenchmarkFillLargest(b *testing.B) {
	s := New(grid.MaxCols, grid.MaxRows, 0)
	fill := []byte("\x1b[44m\x1b[2J")
	b.ReportAllocs()
	for b.Loop() {
		s.Write(fill)
	}
}

// The parser of x/ansi without any screen, as a yardstick.
func BenchmarkParserAlone(b *testing.B) {
	for name, corpus := range map[string][]byte{
		"PlainLog": plainLog(corpusSize), "Agent": agentLog(corpusSize, 80, 24),
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

func TestWritingDoesNotAllocate(t *testing.T) {
	for name, corpus := range map[string][]byte{
		"plain log": plainLog(1 << 20), "agent": agentLog(1<<20, 80, 24),
	} {
		s := New(80, 24, 500)
		all := pieces(corpus)
		write := func() {
			for _, p := range all {
				s.Write(p)
			}
		}
		write()
		if allocs := testing.AllocsPerRun(3, write); allocs > 0 {
			t.Errorf("%s: %.0f allocations for 1 MiB", name, allocs)
		}
	}
}
