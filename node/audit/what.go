package audit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"collie/node/trust"
)

// Content says how much of what was sent is kept. The values are those of
// COLLIE_AUDIT_CONTENT.
type Content string

const (
	// Preview keeps the first MaxWhatChars characters, and a mark for each
	// typed character.
	Preview Content = "preview"
	// None keeps ids and named keys alone.
	None Content = "none"
)

// What is the content of a write, as far as the log may hold it. The zero
// value is none.
type What struct {
	text  string
	id    bool
	typed bool
	keys  []string
}

// Text is anything that was sent, named or asked for.
func Text(s string) What { return What{text: s} }

// ID is the id of a message, a card, a request. An id is 1–128 bytes without
// control, blank, "/", "?" or "#"; anything else is taken for a Text.
func ID(s string) What {
	id := s != "" && len(s) <= 128 && trust.Clean(s, len(s)) == s && !strings.ContainsAny(s, " \u00a0/?#")
	return What{text: s, id: id}
}

// Typed is a row of keys: each named key or chord by its name, and "•" for
// each typed character, never the character itself. What is neither a known
// name nor a chord is typed, whatever it looks like.
func Typed(keys []string) What { return What{keys: slices.Clone(keys), typed: true} }

// Marks is a text that was typed where nobody may read it: a mark for each
// character, whatever it says.
func Marks(s string) What { return Typed(strings.Split(s, "")) }

// hidden returns w with its text masked. Ids and keys have rules of their own.
func (w What) hidden(hide func(string) string) What {
	if hide != nil && !w.typed && !w.id {
		w.text = hide(w.text)
	}
	return w
}

// shown returns what the log holds of w.
func (w What) shown(content Content) string {
	switch {
	case w.typed:
		return preview(showKeys(w.keys, content))
	case content == Preview || w.id:
		return preview(w.text)
	}
	return ""
}

func preview(s string) string {
	s = trust.CleanText(s, len(s)*utf8.UTFMax)
	chars := 0
	for i := range s {
		if chars++; chars > MaxWhatChars {
			return s[:i]
		}
	}
	return s
}

func showKeys(keys []string, content Content) string {
	var words []string
	marks := 0
	flush := func() {
		if marks > 0 && content == Preview {
			words = append(words, strings.Repeat("•", min(marks, MaxWhatChars)))
		}
		marks = 0
	}
	for _, key := range keys {
		if named(key) {
			flush()
			words = append(words, key)
			continue
		}
		marks += typed(key)
	}
	flush()
	return strings.Join(words, " ")
}

// typed returns how many characters a key types that is not named.
func typed(key string) int {
	if modifier, rest, found := strings.Cut(key, "+"); found && rest != "" && strings.EqualFold(modifier, "Shift") {
		key = rest
	}
	if strings.EqualFold(key, "Space") {
		return 1
	}
	return utf8.RuneCountInString(key)
}

// named reports a key that types no character: a known name, or a chord with
// Ctrl, Alt or Meta. Shift makes no chord and Space is no name, since both
// type. The case of names does not matter, as where keys are sent.
func named(key string) bool {
	chord := false
	for {
		modifier, rest, found := strings.Cut(key, "+")
		if !found || rest == "" || !contains(modifiers, modifier) {
			break
		}
		chord = chord || !strings.EqualFold(modifier, "Shift")
		key = rest
	}
	if contains(names, key) {
		return true
	}
	return chord && (strings.EqualFold(key, "Space") || len(key) == 1 && key[0] > ' ' && key[0] < 0x7f)
}

func contains(words []string, key string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, key) })
}

var modifiers = []string{"Ctrl", "Alt", "Meta", "Shift"}

var names = []string{
	"Enter", "Tab", "Escape", "Esc", "Backspace", "Delete", "Insert",
	"Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
}
