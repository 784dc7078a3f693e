package terminal

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
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

// The recordings are of real programs, made as testdata/recordings/record.go
// says. Each is compared at several points, since most leave a blank screen, and
// in larger sizes than its own. (In a smaller one rows wrap that the program did
// not mean to, and one that scrolls has not the background of the pen in tmux.)
func TestRecordingsEqualThoseOfTmux(t *testing.T) {
	t.Parallel()
	tmux := startTmux(t)
	panes := make(map[size]*tmuxPane)
	for _, r := range recordings(t) {
		for _, as := range []size{r.size, {132, 43}, {200, 50}} {
			if panes[as] == nil {
				panes[as] = tmux.pane(t, as.cols, as.rows)
			}
			random := rand.New(rand.NewPCG(uint64(as.cols), 3))
			points := []int{random.IntN(len(r.output))}
			if as == r.size {
				points = append(points, random.IntN(len(r.output)), len(r.output))
			}
			for _, at := range points {
				if next := strings.IndexByte(r.output[at:], esc); next >= 0 {
					at += next // between two sequences
				}
				t.Run(fmt.Sprintf("%s in %d by %d to %d", r.name, as.cols, as.rows, at), func(t *testing.T) {
					panes[as].blank(t)
					panes[as].compare(t, New(as.cols, as.rows, 0), r.output[:at])
				})
			}
		}
	}
}

// A recording is what a program wrote to a terminal of some size.
type recording struct {
	name string
	size
	output string
}

func recordings(t testing.TB) []recording {
	t.Helper()
	files, err := filepath.Glob("testdata/recordings/*.vt.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := make([]recording, len(files))
	for i, path := range files {
		r := &all[i]
		r.name = strings.TrimSuffix(filepath.Base(path), ".vt.gz")
		if _, err := fmt.Sscanf(r.name[strings.LastIndexByte(r.name, '-')+1:], "%dx%d", &r.cols, &r.rows); err != nil {
			t.Fatalf("%s does not end with a size: %v", r.name, err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		output, err := io.ReadAll(unzipped)
		if err != nil {
			t.Fatal(err)
		}
		r.output = string(output)
	}
	return all
}
