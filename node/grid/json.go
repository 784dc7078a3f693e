package grid

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// MarshalJSON writes the pair form, with a third part for a link.
func (r Run) MarshalJSON() ([]byte, error) { return r.append(nil), nil }

// UnmarshalJSON reads two or three strings and refuses any other form; null
// stands for an empty string.
func (r *Run) UnmarshalJSON(data []byte) error {
	var parts []string
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("%w: a run is a list of strings: %w", ErrFrame, err)
	}
	switch {
	case len(parts) == 2:
		*r = Run{Text: parts[0], Style: parts[1]}
	case len(parts) == 3 && parts[2] != "":
		*r = Run{Text: parts[0], Style: parts[1], Link: parts[2]}
	default:
		return fmt.Errorf("%w: a run has %d parts, want 2 or 3", ErrFrame, len(parts))
	}
	return nil
}

// MarshalJSON writes a row; one without runs has an empty list of them. It
// writes the runs too, because encoding/json reads again what each call returns.
func (r Row) MarshalJSON() ([]byte, error) { return r.append([]byte{'{'}), nil }

// MarshalJSON writes a row with its place.
func (l Line) MarshalJSON() ([]byte, error) {
	out := append([]byte(nil), `{"i":`...)
	out = strconv.AppendInt(out, int64(l.I), 10)
	return l.Row.append(append(out, ',')), nil
}

// append writes the members of a row and closes the object.
func (r Row) append(out []byte) []byte {
	out = append(out, `"wrap":`...)
	out = strconv.AppendBool(out, r.Wrap)
	if r.Torn {
		out = append(out, `,"torn":true`...)
	}
	out = append(out, `,"runs":[`...)
	for i, run := range r.Runs {
		if i > 0 {
			out = append(out, ',')
		}
		out = run.append(out)
	}
	return append(out, ']', '}')
}

func (r Run) append(out []byte) []byte {
	out = appendString(append(out, '['), r.Text)
	out = appendString(append(out, ','), r.Style)
	if r.Link != "" {
		out = appendString(append(out, ','), r.Link)
	}
	return append(out, ']')
}

// appendString writes a string. What has to be escaped is left to encoding/json;
// on a screen that is the rare case.
func appendString(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			return appendEscaped(out, text)
		}
	}
	out = append(out, '"')
	out = append(out, text...)
	return append(out, '"')
}

func appendEscaped(out []byte, text string) []byte {
	escaped, err := json.Marshal(text)
	if err != nil { // a string can always be written
		return append(out, '"', '"')
	}
	return append(out, escaped...)
}
