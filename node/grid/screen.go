package grid

import (
	"fmt"
)

// A Screen is a receiver's copy of a screen: the sum of the frames that were
// applied to it, at most MaxScreenBytes of text, styles and links. The zero value has
// no size until its first frame. It is not safe for concurrent use.
type Screen struct {
	head Frame // the last frame without its lines
	rows []Row
	size int // bytes in rows
}

// Apply adds a frame and returns the indexes of the rows that it names. A frame
// that is not valid, that changes the size without naming every row, or that
// makes the screen too large, changes nothing.
func (s *Screen) Apply(f Frame) ([]int, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	rows, size := s.rows, s.size
	if f.Cols != s.head.Cols || f.Rows != s.head.Rows {
		if len(f.Lines) != f.Rows {
			return nil, fmt.Errorf("%w: new size with %d of %d rows", ErrFrame, len(f.Lines), f.Rows)
		}
		rows, size = make([]Row, f.Rows), 0
	}
	for _, line := range f.Lines {
		size += line.size() - rows[line.I].size()
	}
	if size > MaxScreenBytes {
		return nil, fmt.Errorf("%w: screen of more than %d bytes", ErrFrame, MaxScreenBytes)
	}
	named := make([]int, len(f.Lines))
	for at, line := range f.Lines {
		rows[line.I], named[at] = line.Row, line.I
	}
	s.rows, s.size = rows, size
	f.Lines = nil
	s.head = f
	return named, nil
}

func (r Row) size() int {
	n := 0
	for _, run := range r.Runs {
		n += len(run.Text) + len(run.Style) + len(run.Link)
	}
	return n
}

// Rows returns the rows; they belong to the screen until its next frame.
func (s *Screen) Rows() []Row { return s.rows }

// Head returns the last frame without its lines.
func (s *Screen) Head() Frame { return s.head }
