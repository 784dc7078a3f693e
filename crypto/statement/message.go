package statement

import (
	"crypto/ed25519"
	"time"
)

// MessageDomain is the tag of Message.
const MessageDomain = "collie walky message v1"

// From is the session, or the person, that a message comes from. Pane, Token,
// Label and Device are empty where there is none.
type From struct {
	Member string // member id
	Pane   string
	Token  string // names the instance of the session in the pane
	Label  string // one line of UTF-8, never believed
	// Device is the label of the paired phone that a person wrote on. Only the
	// lead pairs phones: of anybody else a receiver refuses it.
	Device string
}

// To is the session that a message is for. Pane and Token are empty where a
// session answers the person who wrote to it on a phone.
type To struct {
	Member string
	Pane   string
	Token  string
}

// A Message is a sender's word that it sent a body: everything about it but the
// body itself, which is named by its digest and length.
type Message struct {
	CrewID  CrewID
	ID      string // ULID, 26 characters
	From    From
	To      To
	SentAt  time.Time // UTC, to the millisecond
	ReplyTo string    // the ID of another message, or empty
	Digest  [32]byte  // SHA-256 of the body
	Length  uint64    // of the body in bytes
}

// OpenMessage verifies the exact bytes of s under key and decodes them. It
// refuses with ErrSignature or ErrStatement.
func OpenMessage(s Signed, key ed25519.PublicKey) (Message, error) {
	var m Message
	if err := open(s, key, &m); err != nil {
		return Message{}, err
	}
	return m, nil
}

func (m Message) canonical() kind { return &m }

func (m *Message) domain() string { return MessageDomain }

func (m *Message) fields(c *codec) {
	c.raw("crew id", m.CrewID[:])
	c.name("message id", &m.ID, messageID, MessageIDLen)
	c.name("sender's member", &m.From.Member, memberID, 1)
	c.name("sender's pane", &m.From.Pane, paneID, 0)
	c.name("sender's token", &m.From.Token, token, 0)
	c.text("sender's label", &m.From.Label, MaxLabel)
	c.name("receiver's member", &m.To.Member, memberID, 1)
	c.name("receiver's pane", &m.To.Pane, paneID, 0)
	c.name("receiver's token", &m.To.Token, token, 0)
	c.instant("time", &m.SentAt)
	c.optionalID("id of the message replied to", &m.ReplyTo)
	if answer := m.To.Pane == "" && m.To.Token == "" && m.ReplyTo != ""; c.err == nil && !answer && (m.To.Pane == "" || m.To.Token == "") {
		c.refuse("only an answer is for nobody's pane")
	}
	c.raw("digest", m.Digest[:])
	c.number("length", &m.Length, MaxBody)
	c.last("sender's device", &m.From.Device, MaxLabel)
}

// optionalID is a message id or nothing.
func (c *codec) optionalID(name string, value *string) {
	c.name(name, value, messageID, 0)
	if n := len(*value); c.err == nil && n != 0 && n != MessageIDLen {
		c.refuse("%s has %d bytes, want 0 or %d", name, n, MessageIDLen)
	}
}
