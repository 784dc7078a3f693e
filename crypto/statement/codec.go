package statement

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// ErrStatement is wrapped by every refusal of a statement's bytes or fields.
var ErrStatement = errors.New("statement is not valid")

// lengthSize is the size of a length prefix: 16 bits, big endian.
const lengthSize = 2

// A codec goes through a kind's fields in their order and either writes or
// reads each. A kind lists its fields once, so that what is written and what is
// read cannot differ. After the first error it does nothing more.
type codec struct {
	reading bool
	bytes   []byte // written so far, or still to be read
	err     error
}

// encode returns the canonical bytes of a kind.
func encode(k kind) ([]byte, error) {
	c := codec{}
	c.fixed("domain", k.domain())
	k.fields(&c)
	return c.bytes, c.err
}

// decode reads the canonical bytes of a kind, all of them.
func decode(data []byte, k kind) error {
	if len(data) > MaxSize {
		return fmt.Errorf("%w: %d bytes, the most is %d", ErrStatement, len(data), MaxSize)
	}
	c := codec{reading: true, bytes: data}
	c.fixed("domain", k.domain())
	k.fields(&c)
	if c.err == nil && len(c.bytes) > 0 {
		c.refuse("%d bytes after the last field", len(c.bytes))
	}
	return c.err
}

func (c *codec) refuse(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: "+format, append([]any{ErrStatement}, args...)...)
	}
}

// field writes value, or reads and returns one. Either way its length has to
// lie in [least, most].
func (c *codec) field(name string, value []byte, least, most int) []byte {
	if c.err != nil {
		return nil
	}
	if c.reading {
		if len(c.bytes) < lengthSize || len(c.bytes)-lengthSize < int(binary.BigEndian.Uint16(c.bytes)) {
			c.refuse("it ends inside %s", name)
			return nil
		}
		size := int(binary.BigEndian.Uint16(c.bytes))
		value, c.bytes = c.bytes[lengthSize:lengthSize+size], c.bytes[lengthSize+size:]
	}
	if len(value) < least || len(value) > most {
		c.refuse("%s has %d bytes, want %d to %d", name, len(value), least, most)
		return nil
	}
	if !c.reading {
		c.bytes = binary.BigEndian.AppendUint16(c.bytes, uint16(len(value)))
		c.bytes = append(c.bytes, value...)
	}
	return value
}

// fixed is a field that has one possible value.
func (c *codec) fixed(name, want string) {
	if got := c.field(name, []byte(want), 0, len(want)); c.err == nil && string(got) != want {
		c.refuse("%s is %q, want %q", name, got, want)
	}
}

// raw is a field of as many bytes as value has.
func (c *codec) raw(name string, value []byte) {
	if got := c.field(name, value, len(value), len(value)); c.err == nil && c.reading {
		copy(value, got)
	}
}

// name is a field of an alphabet. An optional one may be empty.
func (c *codec) name(name string, value *string, a alphabet, least int) {
	got := c.field(name, []byte(*value), least, a.most)
	if c.err != nil {
		return
	}
	if !a.holds(got) {
		c.refuse("%s is %q, want %s", name, got, a.words)
		return
	}
	*value = string(got)
}

// text is an optional field of printable UTF-8 on one line.
func (c *codec) text(name string, value *string, most int) {
	got := c.field(name, []byte(*value), 0, most)
	if c.err != nil {
		return
	}
	if !utf8.Valid(got) || slices.ContainsFunc(got, func(b byte) bool { return b < ' ' || b == 0x7f }) {
		c.refuse("%s is not one line of UTF-8", name)
		return
	}
	*value = string(got)
}

// last is a text after all other fields. An empty one is not written, so that a
// statement without it is, byte for byte, what it was before there was the field.
func (c *codec) last(name string, value *string, most int) {
	there := len(*value)
	if c.reading {
		there = len(c.bytes)
	}
	if c.err != nil || there == 0 {
		return
	}
	if c.text(name, value, most); c.err == nil && *value == "" {
		c.refuse("%s is there and empty", name)
	}
}

// number is a field of 64 bits, at most limit.
func (c *codec) number(name string, value *uint64, limit uint64) {
	got := c.field(name, binary.BigEndian.AppendUint64(nil, *value), 8, 8)
	if c.err != nil {
		return
	}
	if n := binary.BigEndian.Uint64(got); n <= limit {
		*value = n
		return
	}
	c.refuse("%s is above %d", name, limit)
}

// instant is a field that holds a time in milliseconds since 1970, UTC.
func (c *codec) instant(name string, value *time.Time) {
	ms := uint64(value.UnixMilli()) // before 1970 it wraps around, above the limit
	c.number(name, &ms, maxUnixMilli)
	if c.err == nil {
		*value = time.UnixMilli(int64(ms)).UTC()
	}
}
