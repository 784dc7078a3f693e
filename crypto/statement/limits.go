package statement

import "strings"

// Bounds, in bytes unless said otherwise. A field outside of them is neither
// signed nor read.
const (
	// MaxSize is the most that a whole statement may have.
	MaxSize = 2048
	// MaxMember bounds a member id.
	MaxMember = 63
	// MaxPane bounds a pane id.
	MaxPane = 64
	// MaxToken bounds the token that names the instance of a session.
	MaxToken = 16
	// MaxLabel bounds the label of a sender: 48 characters of UTF-8.
	MaxLabel = 192
	// MessageIDLen is the length of a ULID.
	MessageIDLen = 26
	// MaxBody is the largest length of a body that a message may claim.
	MaxBody = 1 << 20
	// MaxBundle is the largest length of a content that a bundle may claim.
	MaxBundle = 1 << 20

	maxUnixMilli  = 253402300799999 // the end of the year 9999
	maxGeneration = 1 << 62
)

// An alphabet says which bytes a name may have.
type alphabet struct {
	first, rest string // for the first byte and for those after it
	most        int
	words       string
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

var (
	memberID  = alphabet{lower + digit, lower + digit + "-", MaxMember, "lower-case letters, digits and dashes"}
	paneID    = alphabet{lower + upper + digit + "%@", lower + upper + digit + "%@._-", MaxPane, "letters, digits and any of %@._-"}
	token     = alphabet{lower + digit, lower + digit, MaxToken, "lower-case letters and digits"}
	ulidChars = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's base32
	messageID = alphabet{"01234567", ulidChars, MessageIDLen, "a ULID of 26 characters"}
)

// ValidMember says whether text has the form of a member id: 1 to MaxMember
// lower-case letters, digits and dashes, no dash first.
func ValidMember(text string) bool { return memberID.valid(text) }

// ValidPane says whether text has the form of a pane id: 1 to MaxPane letters,
// digits and any of %@._-, none of the last three first.
func ValidPane(text string) bool { return paneID.valid(text) }

func (a alphabet) valid(name string) bool {
	return name != "" && len(name) <= a.most && a.holds([]byte(name))
}

func (a alphabet) holds(name []byte) bool {
	for i, b := range name {
		set := a.rest
		if i == 0 {
			set = a.first
		}
		if strings.IndexByte(set, b) < 0 {
			return false
		}
	}
	return true
}
