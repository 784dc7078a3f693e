package attach

import (
	"bytes"
	"unicode/utf8"
)

// Names give what is typed to a log that must not hold it: a character is Mark,
// whatever it is, and so is all of a paste; other keys have their names.
type Names struct {
	pasting bool
}

// Mark stands for a character.
const Mark = "•"

// endings are the names of keys by what follows ESC [ or ESC O.
var endings = map[string]string{
	"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End",
	"2~": "Insert", "3~": "Delete", "5~": "PageUp", "6~": "PageDown", "Z": "Shift+Tab",
}

// Keys returns a name for each key. What is cut by the end of typed counts as what
// can be seen of it.
func (n *Names) Keys(typed []byte) []string {
	var keys []string
	for len(typed) > 0 {
		switch {
		case bytes.HasPrefix(typed, pasteBegin):
			n.pasting, typed = true, typed[len(pasteBegin):]
		case bytes.HasPrefix(typed, pasteEnd):
			n.pasting, typed = false, typed[len(pasteEnd):]
		case n.pasting || typed[0] >= ' ' && typed[0] != 0x7f:
			_, size := utf8.DecodeRune(typed)
			if utf8.RuneStart(typed[0]) { // the rest of one that began in the input before was counted there
				keys = append(keys, Mark)
			}
			typed = typed[size:]
		default:
			key, size := named(typed)
			keys, typed = append(keys, key), typed[size:]
		}
	}
	return keys
}

// named returns the key that begins with a control byte, and how long that is.
func named(typed []byte) (key string, size int) {
	switch b := typed[0]; b {
	case '\r', '\n':
		return "Enter", 1
	case '\t':
		return "Tab", 1
	case 0x7f, 0x08:
		return "Backspace", 1
	case 0:
		return "Ctrl+Space", 1
	case 0x1b:
		return escaped(typed)
	default:
		return "Ctrl+" + string(rune(b|0x40)), 1
	}
}

func escaped(typed []byte) (key string, size int) {
	if len(typed) < 3 || typed[1] != '[' && typed[1] != 'O' {
		return "Escape", 1
	}
	for size = 3; size < len(typed) && typed[size-1] < '@'; size++ { // parameters
	}
	if key, known := endings[string(typed[2:size])]; known {
		return key, size
	}
	return "Escape", size
}
