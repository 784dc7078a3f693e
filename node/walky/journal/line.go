package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"
)

// A Line is one record. Origin is a member id, or empty for this machine.
type Line struct {
	Origin string
	ID     string
	At     time.Time // kept to the millisecond
	// Opens says that the line is the first of its id, the one that Read returns.
	Opens bool
	// Data is a JSON object; the journal does not look into it.
	Data json.RawMessage
}

const version = 1

// stored is a line as it stands in the file, but for its sum.
type stored struct {
	Version int             `json:"v"`
	At      int64           `json:"at"` // epoch milliseconds
	ID      string          `json:"id"`
	Opens   bool            `json:"opens,omitempty"`
	Data    json.RawMessage `json:"data"`
}

// The sum is the last field of a line and covers every byte before it: CRC-32C
// (RFC 3385), which finds any flipped byte. It guards against disks, not people.
const (
	sumField = `,"sum":"`
	sumEnd   = `"}`
	sumSize  = len(sumField) + 8 + len(sumEnd)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeLine returns the line with its newline.
func encodeLine(line Line) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(stored{version, line.At.UnixMilli(), line.ID, line.Opens, line.Data})
	if err != nil {
		return nil, fmt.Errorf("cannot encode a journal line: %w", err)
	}
	text := bytes.TrimSuffix(out.Bytes(), []byte("}\n"))
	return fmt.Appendf(text, `%s%08x%s`+"\n", sumField, crc32.Checksum(text, castagnoli), sumEnd), nil
}

// decodeLine reads a line without its newline. The origin stands in the name of
// the file.
func decodeLine(text []byte) (Line, error) {
	body := len(text) - sumSize
	if body < 0 {
		return Line{}, fmt.Errorf("%w: line has no sum", ErrDamaged)
	}
	want := fmt.Appendf(nil, `%s%08x%s`, sumField, crc32.Checksum(text[:body], castagnoli), sumEnd)
	if !bytes.Equal(text[body:], want) {
		return Line{}, fmt.Errorf("%w: line does not hold its sum", ErrDamaged)
	}
	object := append(bytes.Clone(text[:body]), '}')
	var head struct {
		Version int `json:"v"`
	}
	if err := json.Unmarshal(object, &head); err != nil {
		return Line{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if head.Version != version {
		return Line{}, fmt.Errorf("%w: %d, want %d", ErrVersion, head.Version, version)
	}
	var line stored
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return Line{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if line.ID == "" {
		return Line{}, fmt.Errorf("%w: line has no id", ErrDamaged)
	}
	return Line{ID: line.ID, At: time.UnixMilli(line.At).UTC(), Opens: line.Opens, Data: line.Data}, nil
}
