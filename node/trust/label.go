package trust

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrLabel is wrapped by every refusal of a label.
var ErrLabel = errors.New("label is not valid")

// Label returns the label of a device as it is stored and shown: one line,
// cleaned, without blanks around it. It refuses a label of no or more than
// MaxLabelChars characters, one with a line break or a "/", and "." and "..",
// which a browser would take out of the path that revokes the device.
func Label(s string) (string, error) {
	if strings.ContainsAny(s, "\n\v\f\r\u0085\u2028\u2029") {
		return "", fmt.Errorf("%w: it has more than one line", ErrLabel)
	}
	label := strings.TrimSpace(strip(s, false))
	chars := utf8.RuneCountInString(label)
	switch {
	case chars == 0:
		return "", fmt.Errorf("%w: it is empty", ErrLabel)
	case chars > MaxLabelChars:
		return "", fmt.Errorf("%w: it has %d characters, the most is %d", ErrLabel, chars, MaxLabelChars)
	case strings.Contains(label, "/"):
		return "", fmt.Errorf("%w: it has a slash", ErrLabel)
	case label == "." || label == "..":
		return "", fmt.Errorf("%w: %q is part of a path", ErrLabel, label)
	}
	return label, nil
}
