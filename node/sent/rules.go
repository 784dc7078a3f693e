package sent

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"collie/node/mask"
)

// Rules say which lines may be kept. The zero value keeps none.
type Rules struct {
	mask *mask.Mask
}

// NewRules returns the rules with a mask, which counts also where nothing is
// masked for a phone.
func NewRules(m *mask.Mask) Rules { return Rules{m} }

// hints are words beside which a secret may stand.
var hints = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "bearer", "authorization", "credential",
	"apikey", "api_key", "api-key", "private_key", "private-key", "privatekey",
}

// withPassword is an address with a user and a password before its host. What
// stands between may hold a slash: people paste passwords as they are.
var withPassword = regexp.MustCompile(`//[^\s/@:]*:[^\s@]*@`)

// Keeps reports whether a line may be kept: it does not begin with a blank, sets
// no variable, has no address with a password, no word that speaks of secrets,
// nothing that the mask knows, no control characters, and at most MaxChars
// characters. Of a text of several lines each has to pass.
func (r Rules) Keeps(text string) bool {
	if r.mask == nil || text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxChars {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		first, _ := utf8.DecodeRuneInString(line)
		if line != "" && !unicode.IsPrint(first) || unicode.IsSpace(first) {
			return false
		}
		if strings.ContainsFunc(line, func(c rune) bool { return c != '\t' && unicode.IsControl(c) }) {
			return false
		}
	}
	plain := unquoted(text)
	for _, form := range []string{text, plain} {
		lower := strings.ToLower(form)
		for _, hint := range hints {
			if strings.Contains(lower, hint) {
				return false
			}
		}
		if withPassword.MatchString(form) || r.hides(form) {
			return false
		}
	}
	return !setsVariable(text, 0)
}

func (r Rules) hides(text string) bool {
	_, found := r.mask.Text(text, mask.Options{Surface: "sent"})
	return found
}

// unquoted is a text as a shell may join it: without quotes, backslashes, and
// characters that nobody sees.
func unquoted(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\'' || c == '"' || c == '\\' || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, text)
}
