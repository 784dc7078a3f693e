package grid_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"collie/node/grid"
)

// coloured is a full screen of 200 by 50 cells with ten styles in each row.
func coloured() grid.Frame {
	frame := grid.Frame{Cols: 200, Rows: 50}
	for i := range frame.Rows {
		line := grid.Line{I: i}
		for j := range 10 {
			line.Runs = append(line.Runs, grid.Run{Text: "func main() { work() ", Style: fmt.Sprintf("38;5;%d", j)})
		}
		frame.Lines = append(frame.Lines, line)
	}
	return frame
}

func BenchmarkFrame(b *testing.B) {
	frame := coloured()
	data, err := json.Marshal(frame)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("marshal", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(frame)
		}
	})
	b.Run("marshal without its own methods", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		plain := plainFrame(frame)
		for b.Loop() {
			_, _ = json.Marshal(plain)
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var read grid.Frame
			_ = json.Unmarshal(data, &read)
		}
	})
	b.Run("apply", func(b *testing.B) {
		b.ReportAllocs()
		var screen grid.Screen
		for b.Loop() {
			_, _ = screen.Apply(frame)
		}
	})
}

// plainFrame is the same document as encoding/json writes it by itself.
func plainFrame(f grid.Frame) any {
	type line struct {
		I    int         `json:"i"`
		Wrap bool        `json:"wrap"`
		Runs [][2]string `json:"runs"`
	}
	type frame struct {
		Cols  int    `json:"cols"`
		Rows  int    `json:"rows"`
		Lines []line `json:"lines"`
	}
	out := frame{Cols: f.Cols, Rows: f.Rows}
	for _, l := range f.Lines {
		plain := line{I: l.I, Wrap: l.Wrap}
		for _, run := range l.Runs {
			plain.Runs = append(plain.Runs, [2]string{run.Text, run.Style})
		}
		out.Lines = append(out.Lines, plain)
	}
	return out
}
