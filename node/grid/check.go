package grid

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// ErrFrame is wrapped by every refusal of a frame.
var ErrFrame = errors.New("frame is not valid")

// Check refuses a frame that no honest node sends, with an error that wraps
// ErrFrame and quotes nothing of what the frame shows.
func (f *Frame) Check() error {
	switch {
	case f.Cols < 1 || f.Cols > MaxCols || f.Rows < 1 || f.Rows > MaxRows:
		return fmt.Errorf("%w: %d by %d cells", ErrFrame, f.Cols, f.Rows)
	case f.Cursor.Row < 0 || f.Cursor.Row >= f.Rows || f.Cursor.Col < 0 || f.Cursor.Col >= f.Cols:
		return fmt.Errorf("%w: cursor at row %d, column %d", ErrFrame, f.Cursor.Row, f.Cursor.Col)
	case len(f.Title) > MaxTitleBytes:
		return fmt.Errorf("%w: title of %d bytes", ErrFrame, len(f.Title))
	case len(f.Screen) > MaxHashBytes:
		return fmt.Errorf("%w: screen hash of %d bytes", ErrFrame, len(f.Screen))
	case len(f.Lines) > f.Rows:
		return fmt.Errorf("%w: %d lines for %d rows", ErrFrame, len(f.Lines), f.Rows)
	case len(f.Above) > MaxAbove:
		return fmt.Errorf("%w: %d rows above the first", ErrFrame, len(f.Above))
	}
	if err := checkText(f.Title); err != nil {
		return fmt.Errorf("%w in the title", err)
	}
	if err := checkText(f.Screen); err != nil {
		return fmt.Errorf("%w in the screen hash", err)
	}
	if err := CheckRows(f.Above); err != nil {
		return err
	}
	last := -1
	for _, end := range f.Ends {
		if end.Row <= last || end.Row >= f.Rows || end.Col < 0 || end.Col > f.Cols {
			return fmt.Errorf("%w: row %d is written to at column %d", ErrFrame, end.Row, end.Col)
		}
		last = end.Row
	}
	last = -1
	for _, line := range f.Lines {
		if line.I <= last || line.I >= f.Rows {
			return fmt.Errorf("%w: line %d after line %d of %d", ErrFrame, line.I, last, f.Rows)
		}
		last = line.I
		if err := line.check(); err != nil {
			return err
		}
	}
	return nil
}

// CheckRows refuses rows that no honest node sends.
func CheckRows(rows []Row) error {
	for _, row := range rows {
		if err := row.check(); err != nil {
			return err
		}
	}
	return nil
}

func (r Row) check() error {
	if len(r.Runs) > MaxCols {
		return fmt.Errorf("%w: row of %d runs", ErrFrame, len(r.Runs))
	}
	size, links := 0, 0
	for _, run := range r.Runs {
		if size += len(run.Text); size > MaxRowBytes {
			return fmt.Errorf("%w: row of more than %d bytes", ErrFrame, MaxRowBytes)
		}
		if err := checkText(run.Text); err != nil {
			return fmt.Errorf("%w in a row", err)
		}
		if err := checkStyle(run.Style); err != nil {
			return err
		}
		if run.Link == "" {
			continue
		}
		if links += len(run.Link); links > MaxRowLinkBytes {
			return fmt.Errorf("%w: row of more than %d bytes of links", ErrFrame, MaxRowLinkBytes)
		}
		if !IsLink(run.Link) {
			return fmt.Errorf("%w: a link that is no address of the web", ErrFrame)
		}
	}
	return nil
}

// IsLink reports whether an address may be the link of a run: an absolute http
// or https address with a host, in printable ASCII as RFC 3986 has it, of at most
// MaxLinkBytes.
func IsLink(address string) bool {
	if len(address) > MaxLinkBytes {
		return false
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// checkText refuses what is not UTF-8 and the control characters C0, DEL and
// C1, so that no escape sequence travels inside a text.
func checkText(text string) error {
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < 0x7f {
			i++
			continue
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			return fmt.Errorf("%w: a byte that is not UTF-8", ErrFrame)
		case c < 0xa0:
			return fmt.Errorf("%w: control character %U", ErrFrame, c)
		}
		i += size
	}
	return nil
}

func checkStyle(style string) error {
	if len(style) > MaxStyleBytes {
		return fmt.Errorf("%w: style of %d bytes", ErrFrame, len(style))
	}
	for i := range len(style) {
		if c := style[i]; (c < '0' || c > '9') && c != ';' && c != ':' {
			return fmt.Errorf("%w: style holds %q", ErrFrame, c)
		}
	}
	return nil
}
