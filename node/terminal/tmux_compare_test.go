package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What tmux shows after the same bytes is what this package must show. Where
// tmux and xterm differ, the package follows xterm and the stream is not here.
func TestScreensEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	pane := tmux.pane(t, 20, 6)
	for _, stream := range tmuxStreams {
		t.Run(stream.name, func(t *testing.T) {
			pane.blank(t)
			pane.compare(t, New(20, 6, 0), stream.input)
		})
	}
}

// compare shows the input in the pane and on the screen, and both must look the
// same.
func (p *tmuxPane) compare(t testing.TB, s *Screen, input string) {
	t.Helper()
	p.write(t, input)
	s.Write([]byte(input))
	p.compareNow(t, s, input)
}

// compareNow holds what a screen shows after the input against the pane. A
// capture leaves out cells that were erased in a colour at the end of a row, so
// styles are compared once more with something in the last column.
func (p *tmuxPane) compareNow(t testing.TB, s *Screen, input string) {
	t.Helper()
	got, want := pictureOf(t, s), p.picture(t)
	if strings.ContainsAny(input, "\x18\x1a") || strings.Contains(input, "\x1b_") || strings.Contains(input, "\x1bc") {
		want.title = got.title // in tmux, a cancelled string is a title, APC sets one, and a reset keeps it
	}
	if d := got.differences(want); d != "" {
		t.Error(d)
	}
	ruler := "\x1b[?7l\x1b[?6l\x1b[4l\x0f\x1b(B\x1b[m"
	for row := range p.rows {
		ruler += fmt.Sprintf("\x1b[%d;%dH|", row+1, p.cols)
	}
	p.write(t, ruler)
	s.Write([]byte(ruler))
	var out strings.Builder
	compareRows(&out, "styles of row", pictureOf(t, s).rows, p.picture(t).rows)
	if out.Len() > 0 {
		t.Error(out.String())
	}
}

// The recordings are of real programs: bash, less, vim, git and tmux itself.
// Each is compared at several points, since most leave a blank screen.
func TestRecordingsEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	pane := tmux.pane(t, 80, 24)
	for name, recording := range recordings(t) {
		const parts = 4
		for i := range parts {
			t.Run(fmt.Sprintf("%s %d", name, i+1), func(t *testing.T) {
				end := len(recording) * (i + 1) / parts
				if next := strings.IndexByte(recording[end:], esc); next >= 0 {
					end += next // between two sequences
				}
				pane.blank(t)
				pane.compare(t, New(80, 24, 0), recording[:end])
			})
		}
	}
}

// recordings returns what programs wrote to terminals of 80 by 24 cells.
func recordings(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/recordings/*.vt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := make(map[string]string)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = string(data)
	}
	return all
}
