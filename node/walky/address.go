package walky

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/oklog/ulid/v2"

	"collie/crypto/statement"
)

// ErrAddress is wrapped by every refusal of an address.
var ErrAddress = errors.New("not an address")

const (
	// tokenChars leave out what looks alike.
	tokenChars    = "23456789abcdefghjkmnpqrstuvwxyz"
	tokenLen      = 4
	addressFormat = "want [machine:]pane#token, as collie walky who prints it"
)

// An Address is [machine:]pane#token: one session, in one pane, of one machine.
// Machine is a member id, empty for this machine. Token names the instance, so
// that a message never reaches the session that took over a pane.
//
// Where a message came from no session but from a person, Pane and Token are
// empty. Such an address is shown; only the session that a phone wrote to can
// write to it, as an answer.
type Address struct{ Machine, Pane, Token string }

// ParseAddress reads the form that String writes, of a session.
func ParseAddress(text string) (Address, error) {
	var a Address
	rest := text
	if machine, after, found := strings.Cut(text, ":"); found {
		if !statement.ValidMember(machine) {
			return Address{}, fmt.Errorf("%w: %q names no machine; %s", ErrAddress, clip(text), addressFormat)
		}
		a.Machine, rest = machine, after
	}
	a.Pane, a.Token, _ = strings.Cut(rest, "#")
	if !statement.ValidPane(a.Pane) || !isToken(a.Token) {
		return Address{}, fmt.Errorf("%w: %q; %s", ErrAddress, clip(text), addressFormat)
	}
	return a, nil
}

// String returns what ParseAddress reads; for a person the machine, or "local".
func (a Address) String() string {
	switch {
	case a.Pane == "" && a.Machine == "":
		return "local"
	case a.Pane == "":
		return a.Machine
	case a.Machine == "":
		return a.Pane + "#" + a.Token
	}
	return a.Machine + ":" + a.Pane + "#" + a.Token
}

// MarshalText writes the form of String.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the address of a session.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAddress(string(text))
	return err
}

// place is the address without its token, as it stands in a typed line.
func (a Address) place() string {
	switch {
	case a.Pane == "" && a.Machine == "":
		return "this machine"
	case a.Pane == "":
		return a.Machine
	case a.Machine == "":
		return a.Pane
	}
	return a.Machine + ":" + a.Pane
}

// isSession says whether the address, of this machine or another one, names a
// session; isSender also takes a person.
func (a Address) isSession() bool {
	return (a.Machine == "" || statement.ValidMember(a.Machine)) && statement.ValidPane(a.Pane) && isToken(a.Token)
}

func (a Address) isSender() bool {
	return a.isSession() || a.Pane == "" && a.Token == "" && (a.Machine == "" || statement.ValidMember(a.Machine))
}

// isPane says whether the address is of a pane of this machine, whichever session
// is in it.
func (a Address) isPane() bool {
	return a.Machine == "" && statement.ValidPane(a.Pane) && a.Token == ""
}

// isPerson says whether the address, of a valid form, is no session's.
func (a Address) isPerson() bool { return a.Pane == "" }

// isReceiver takes a session, and for what answers another message a person.
func (a Address) isReceiver(replyTo string) bool {
	return a.isSession() || replyTo != "" && a.isPerson() && a.isSender()
}

func isToken(s string) bool { return len(s) == tokenLen && strings.Trim(s, tokenChars) == "" }

// isID says whether s is a ULID in its one spelling.
func isID(s string) bool {
	id, err := ulid.ParseStrict(s)
	return err == nil && id.String() == s
}

// drawToken draws a token without bias: of 32 values of five bits, the one that
// stands for no character is drawn again.
func drawToken(random io.Reader) (string, error) {
	token := make([]byte, 0, tokenLen)
	for one := []byte{0}; len(token) < tokenLen; {
		if _, err := io.ReadFull(random, one); err != nil {
			return "", fmt.Errorf("cannot draw a token: %w", err)
		}
		if n := int(one[0] & 31); n < len(tokenChars) {
			token = append(token, tokenChars[n])
		}
	}
	return string(token), nil
}

// clip bounds what a refusal repeats.
func clip(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
