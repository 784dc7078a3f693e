package typing

import "regexp"

// secretPrompt is a line that asks for something which is not for others to read,
// with nothing behind it: what ssh, sudo and others say, also where the terminal
// does not tell, because the program that asks runs on another machine.
var secretPrompt = regexp.MustCompile(`(?i)(pass[ -]?(word|phrase|code)|\b(pin|otp|token|secret|passwd|api[ _-]?key)\b|(verification|one[ -]time|security) code|` +
	`mot de passe|phrase (de passe|secrète)|code (secret|de vérification)|contraseña|frase de contraseña|clave|código de verificación|parola|şifre|doğrulama kodu).{0,200}[:：?]\s*$`)

// blind reports whether what is typed here is for nobody's eyes: the terminal asks
// for a password, or the line at the cursor does. Of such a text no log has a
// character.
func (t *Text) blind() bool {
	if t.modes.Password {
		return true
	}
	now := t.before()
	return !now.boxed && secretPrompt.MatchString(now.typed)
}
