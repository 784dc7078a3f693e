package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"collie/node/trust"
)

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// An Entry is one write. Action is a word of ours ("pane.keys"), Outcome one
// too ("ok", an error's code); both must be given. Session, Pane, Device,
// Host and Via say where and by whom; an empty one is null in the line. Mark is
// beside What when that was not typed at the console nor on the device.
type Entry struct {
	Action  string
	Session string
	Pane    string
	Device  string
	Host    string
	Via     string
	Mark    trust.Mark
	What    What
	Outcome string
}

// A Line is an entry as the log holds it. Seq counts the lines of a log from
// 1, over all files; Prev is the SHA-256 of the line before, in hex.
type Line struct {
	At      string  `json:"at"` // RFC 3339, UTC, milliseconds
	Seq     uint64  `json:"seq"`
	Action  string  `json:"action"`
	Session *string `json:"session"`
	Pane    *string `json:"pane"`
	Device  *string `json:"device"`
	Host    *string `json:"host"`
	Via     *string `json:"via"`
	What    *string `json:"what"`
	Outcome string  `json:"outcome"`
	Prev    string  `json:"prev"`
	Mark    *string `json:"mark,omitempty"` // left out where there is none
}

// line returns the entry as it is written after prev.
func (e Entry) line(now time.Time, content Content, prev link) (Line, error) {
	if e.Action == "" || e.Outcome == "" {
		return Line{}, errors.New("an entry needs an action and an outcome")
	}
	return Line{
		At:      now.UTC().Format(timeLayout),
		Seq:     prev.seq + 1,
		Action:  trust.Clean(e.Action, maxWordBytes),
		Session: word(e.Session),
		Pane:    word(e.Pane),
		Device:  word(e.Device),
		Host:    word(e.Host),
		Via:     word(e.Via),
		Mark:    nullable(e.Mark.String()),
		What:    nullable(e.What.shown(content)),
		Outcome: trust.Clean(e.Outcome, maxWordBytes),
		Prev:    hex.EncodeToString(prev.hash[:]),
	}, nil
}

func word(s string) *string { return nullable(trust.Clean(s, maxWordBytes)) }

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// encode returns the line's bytes, the newline included.
func (l Line) encode() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(l); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// parseLine reads one line, without its newline. A later version may have
// added fields; those are not read.
func parseLine(data []byte) (Line, error) {
	if len(data) > maxLineBytes {
		return Line{}, fmt.Errorf("has %d bytes, the most is %d", len(data), maxLineBytes)
	}
	var line Line
	if err := json.Unmarshal(data, &line); err != nil {
		return Line{}, errors.New("is not a JSON object of an audit line")
	}
	at, err := time.Parse(timeLayout, line.At)
	prev, hexErr := hex.DecodeString(line.Prev)
	switch {
	case err != nil || at.Format(timeLayout) != line.At:
		return Line{}, errors.New("has no time")
	case line.Seq == 0 || line.Action == "" || line.Outcome == "":
		return Line{}, errors.New("has no number, no action or no outcome")
	case hexErr != nil || len(prev) != sha256.Size || strings.ToLower(line.Prev) != line.Prev:
		return Line{}, errors.New("has no hash of the line before")
	}
	return line, nil
}

// time returns when a parsed line was written.
func (l Line) time() time.Time {
	at, err := time.Parse(timeLayout, l.At)
	if err != nil {
		return time.Time{}
	}
	return at
}
