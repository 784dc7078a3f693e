package mask

import (
	"bytes"
	"encoding/base64"
)

// fitsDiscord reports whether a token, or its beginning, has a number in base64,
// six characters and more behind dots.
func fitsDiscord(token []byte) bool {
	const leastID, mostID, time = 22, 27, 6
	const digits = "AEIMQUYcgk" // what a second digit gives; the third has its own
	id, rest, dotted := bytes.Cut(token, []byte("."))
	if len(id) > mostID {
		return false
	}
	for i, b := range id {
		fits := true
		switch i % 4 {
		case 0:
			fits = b >= 'M' && b <= 'O'
		case 1:
			fits = b == 'D' || b == 'T' || b == 'j' || b == 'z' || i == len(id)-1 && (b == 'A' || b == 'Q' || b == 'g' || b == 'w')
		case 2:
			fits = bytes.IndexByte([]byte(digits), b) >= 0
		case 3:
			fits = b >= 'w' && b <= 'z' || b >= '0' && b <= '5'
		}
		if !fits {
			return false
		}
	}
	if !dotted {
		return true
	}
	part, last, second := bytes.Cut(rest, []byte("."))
	return len(id) >= leastID && len(part) <= time && (!second || len(part) == time && bytes.IndexByte(last, '.') < 0)
}

// fitsUUID reports whether a token, or its beginning, is a prefix that ends in a
// minus and a UUID.
func fitsUUID(token []byte) bool {
	const text = 36
	body := token
	for range 2 { // sk-lf-
		_, body, _ = bytes.Cut(body, []byte("-"))
	}
	for i, b := range body {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash && b != '-' || !dash && !in(b, lowerHex) || i >= text {
			return false
		}
	}
	return true
}

// fitsAirtable reports whether a token, or its beginning, has an id of 14
// characters before its one dot.
func fitsAirtable(token []byte) bool {
	const id = len("pat") + 14
	dot := bytes.IndexByte(token, '.')
	return dot == id || dot < 0 && len(token) <= id
}

// fitsEncodedJWT reports whether a token is base64 of parts with dots between.
func fitsEncodedJWT(token []byte) bool {
	var text [maxJudged]byte
	n, _ := base64.StdEncoding.Decode(text[:], token[:min(len(token), maxJudged)/4*4])
	dotted := false
	for _, b := range text[:n] {
		if !in(b, token68) {
			return false
		}
		dotted = dotted || b == '.'
	}
	return dotted || len(token) < maxContext
}

// fitsLetters reports whether a token has other letters than those of
// hexadecimal, from a length on that has some by chance.
func fitsLetters(token []byte) bool {
	_, body, _ := bytes.Cut(token, []byte("-"))
	return len(body) < leastBearer || bytes.IndexFunc(body, notHex) >= 0
}

// fitsOrigin reports whether a token, or its beginning, is 24 characters of
// hexadecimal, a minus, and more of them.
func fitsOrigin(token []byte) bool {
	const id = 24
	_, body, _ := bytes.Cut(token, []byte("-"))
	for i, b := range body {
		if (i == id) != (b == '-') || i != id && !in(b, lowerHex) {
			return false
		}
	}
	return true
}

// fitsCases reports whether a token has some figures and letters of both cases,
// as no name in code has them.
func fitsCases(token []byte) bool {
	const least = 2
	_, body, _ := bytes.Cut(token, []byte("."))
	figures := 0
	for _, b := range body {
		if in(b, digit) {
			figures++
		}
	}
	return figures >= least && bytes.ContainsFunc(body, isCapital) && !allUpper(body) && !wordy(body)
}

// fitsEncodedURL reports whether a token is base64 of an address with a user and a
// password.
func fitsEncodedURL(token []byte) bool {
	var text [maxJudged]byte
	user, _, found := bytes.Cut(encodedAuthority(text[:], token), []byte("@"))
	_, password, paired := bytes.Cut(user, []byte(":"))
	return found && paired && credible(password)
}

// beginsEncodedURL reports whether a token can be the beginning of one.
func beginsEncodedURL(token []byte) bool {
	var text [maxJudged]byte
	return bytes.IndexByte(encodedAuthority(text[:], token), '/') < 0 || fitsEncodedURL(token)
}

// encodedAuthority decodes what stands behind the scheme of an address in base64.
func encodedAuthority(text, token []byte) []byte {
	n, _ := base64.StdEncoding.Decode(text, token[:min(len(token), len(text))/4*4])
	_, rest, _ := bytes.Cut(text[:n], []byte(":"))
	return bytes.TrimLeft(rest, "/")
}
