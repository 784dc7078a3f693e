package pane

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"collie/node/pane/draft"
)

// Refusals of keys.
var (
	ErrKey         = errors.New("key is not known")
	ErrTooManyKeys = errors.New("too many keys at once")
)

// A modifier is one of xterm's modifier bits.
type modifier int

const (
	shift   modifier = 1
	alt     modifier = 2
	control modifier = 4
)

var modifiers = map[string]modifier{"shift": shift, "alt": alt, "ctrl": control}

// A cursorKey is sent as CSI or, in application mode, SS3 with its letter, and
// with modifiers as CSI 1;n and the letter (xterm, ctlseqs, PC-Style Function Keys).
var cursorKeys = map[string]byte{
	"up": 'A', "down": 'B', "right": 'C', "left": 'D', "home": 'H', "end": 'F',
}

// functionLetters are F1 to F4: SS3 and a letter, with modifiers like cursor keys.
var functionLetters = map[string]byte{"f1": 'P', "f2": 'Q', "f3": 'R', "f4": 'S'}

// numberedKeys are sent as CSI number ~, with modifiers as CSI number;n ~.
var numberedKeys = map[string]int{
	"insert": 2, "delete": 3, "pageup": 5, "pagedown": 6,
	"f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24,
}

// controls are the characters that Ctrl makes of others than letters.
var controls = map[rune]byte{
	' ': 0x00, '@': 0x00, '[': 0x1b, '\\': 0x1c, ']': 0x1d, '^': 0x1e, '_': 0x1f, '/': 0x1f, '?': 0x7f,
}

// KeyNames are the keys that have a name.
const KeyNames = "Enter Escape Tab Backspace Space Up Down Left Right Home End PageUp PageDown Insert Delete F1 to F12"

// EncodeKeys returns what a terminal in these modes sends for keys: named ones
// (Enter, Escape, Tab, Backspace, Space, Up, Down, Left, Right, Home, End, PageUp,
// PageDown, Insert, Delete, F1 to F12), single characters, and chords of one of
// these with Shift+, Alt+ and Ctrl+ before it (Ctrl+C, Alt+Enter, Shift+Tab). The
// case of names does not matter. One that is not known, or that terminals have no
// code for, refuses them all with ErrKey.
func EncodeKeys(keys []string, modes Modes) ([]byte, error) {
	if len(keys) > MaxKeys {
		return nil, fmt.Errorf("%w: %d, at most %d", ErrTooManyKeys, len(keys), MaxKeys)
	}
	var sent []byte
	for _, key := range keys {
		code, ok := encodeKey(key, modes)
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrKey, bounded(key))
		}
		sent = append(sent, code...)
	}
	return sent, nil
}

// SendsEscape reports whether a key sends what Escape sends and nothing else, under
// whatever name. A chord that begins with the same byte is another key.
func SendsEscape(key string) bool {
	code, ok := encodeKey(key, Modes{})
	return ok && strings.Trim(code, "\x1b") == ""
}

// SendsEnter reports whether a key enters the line, under whatever name.
func SendsEnter(key string) bool {
	code, ok := encodeKey(key, Modes{})
	return ok && (code == "\r" || code == "\n")
}

// EmptiesLine reports whether a key empties the line that a program reads: it enters it
// or throws it away.
func EmptiesLine(key string) bool {
	code, ok := encodeKey(key, Modes{})
	return ok && len(code) == 1 && draft.Empties(code[0])
}

func bounded(key string) string { return key[:min(len(key), 40)] }

func encodeKey(key string, modes Modes) (string, bool) {
	var held modifier
	for {
		name, rest, found := strings.Cut(key, "+")
		bit, known := modifiers[strings.ToLower(name)]
		if !found || !known || rest == "" || held&bit != 0 {
			break
		}
		held |= bit
		key = rest
	}
	if utf8.RuneCountInString(key) == 1 {
		return encodeCharacter([]rune(key)[0], held)
	}
	name := strings.ToLower(key)
	if name == "space" {
		return encodeCharacter(' ', held)
	}
	if letter, ok := cursorKeys[name]; ok {
		return encodeLetter(letter, held, modes.ApplicationCursor), true
	}
	if letter, ok := functionLetters[name]; ok {
		return encodeLetter(letter, held, true), true
	}
	if number, ok := numberedKeys[name]; ok {
		if held == 0 {
			return fmt.Sprintf("\x1b[%d~", number), true
		}
		return fmt.Sprintf("\x1b[%d;%d~", number, held+1), true
	}
	return encodeEditing(name, held)
}

func encodeLetter(letter byte, held modifier, application bool) string {
	switch {
	case held != 0:
		return fmt.Sprintf("\x1b[1;%d%c", held+1, letter)
	case application:
		return "\x1bO" + string(letter)
	}
	return "\x1b[" + string(letter)
}

// encodeEditing is for keys that send a control character. Few chords of them
// have a code that all terminals agree on.
func encodeEditing(name string, held modifier) (string, bool) {
	var code string
	switch name {
	case "enter":
		code = "\r"
	case "escape":
		code = "\x1b"
	case "backspace":
		code = "\x7f"
	case "tab":
		code = "\t"
	default:
		return "", false
	}
	switch held {
	case 0:
		return code, true
	case alt:
		return "\x1b" + code, true
	case shift:
		return "\x1b[Z", name == "tab"
	case control:
		return "\b", name == "backspace"
	}
	return "", false
}

func encodeCharacter(r rune, held modifier) (string, bool) {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return "", false
	}
	if held&shift != 0 {
		if !unicode.IsLetter(r) {
			return "", false // depends on the keyboard
		}
		r = unicode.ToUpper(r)
	}
	code := string(r)
	if held&control != 0 {
		lower := unicode.ToLower(r)
		switch c, ok := controls[r]; {
		case held&shift != 0:
			return "", false // the same code as without Shift
		case lower >= 'a' && lower <= 'z':
			code = string(rune(lower - 'a' + 1))
		case ok:
			code = string(rune(c))
		default:
			return "", false
		}
	}
	if held&alt != 0 {
		code = "\x1b" + code
	}
	return code, true
}
