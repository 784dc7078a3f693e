package grid

import "fmt"

// A Screen is a receiver's copy of a screen: the sum of the frames that were
// applied to it. The zero value has no size until its first frame. It is not
// safe for concurrent use.
type Screen struct {
	frame Frame // of the last frame, everything but the lines
	rows  []Row
}

// Apply adds a frame and returns the indexes of the rows that it names. A frame
// that is not valid, or that changes the size without naming every row,
// changes nothing.
func (s *Screen) Apply(f Frame) ([]int, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	resized := f.Cols != s.frame.Cols || f.Rows != s.frame.Rows
	if resized && len(f.Lines) != f.Rows {
		return nil, fmt.Errorf("%w: new size with %d of %d rows", ErrFrame, len(f.Lines), f.Rows)
	}
	if resized {
		s.rows = make([]Row, f.Rows)
	}
	named := make([]int, 0, len(f.Lines))
	for _, line := range f.Lines {
		s.rows[line.I] = line.Row
		named = append(named, line.I)
	}
	s.frame = f
	s.frame.Lines = nil
	return named, nil
}

// Rows returns the rows; they belong to the screen.
func (s *Screen) Rows() []Row { return s.rows }

// Head returns the last frame without its lines.
func (s *Screen) Head() Frame { return s.frame }

// Full returns a frame that names every row.
func (s *Screen) Full() Frame {
	f := s.frame
	f.Lines = make([]Line, len(s.rows))
	for i, row := range s.rows {
		f.Lines[i] = Line{I: i, Row: row}
	}
	return f
}
