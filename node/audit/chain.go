package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// A link names a line by its number and the hash of its bytes. The zero link
// stands before the first line of a log.
type link struct {
	seq  uint64
	hash [sha256.Size]byte
}

func linkOf(line Line, data []byte) link { return link{line.Seq, sha256.Sum256(data)} }

// linkBefore returns the link that a parsed line claims to follow.
func linkBefore(line Line) link {
	before := link{seq: line.Seq - 1}
	if _, err := hex.Decode(before.hash[:], []byte(line.Prev)); err != nil {
		return link{}
	}
	return before
}

// Ends are the two ends of the chain: the line before the first one that is
// kept, and the last one that was written. They are in a file of their own, so
// that a line missing at either end is noticed too.
type ends struct{ first, last link }

// chainSuffix names the file of the ends after that of the log.
const chainSuffix = ".chain"

const (
	endsFormat = "first %020d %x\nlast  %020d %x\n"
	endsBytes  = 2 * (len("first ") + 20 + 1 + 2*sha256.Size + 1)
)

// errNoEnds says that the record of the ends is none.
var errNoEnds = errors.New("the ends of the chain do not read as such")

func (e ends) encode() []byte {
	return fmt.Appendf(nil, endsFormat, e.first.seq, e.first.hash, e.last.seq, e.last.hash)
}

func parseEnds(data []byte) (ends, error) {
	var e ends
	var first, last []byte
	_, err := fmt.Sscanf(string(data), strings.ReplaceAll(endsFormat, "%020d", "%d"), &e.first.seq, &first, &e.last.seq, &last)
	copy(e.first.hash[:], first)
	copy(e.last.hash[:], last)
	if err != nil || string(e.encode()) != string(data) {
		return ends{}, errNoEnds
	}
	return e, nil
}

// readEnds reads the ends of the chain; the zero ends and false when there are
// none yet.
func readEnds(f file) (e ends, found bool, err error) {
	size, err := f.Size()
	if err != nil || size == 0 {
		return ends{}, false, err
	}
	if size != int64(endsBytes) {
		return ends{}, false, fmt.Errorf("%w: %d bytes, not %d", errNoEnds, size, endsBytes)
	}
	data := make([]byte, endsBytes)
	if _, err := f.ReadAt(data, 0); err != nil {
		return ends{}, false, err
	}
	e, err = parseEnds(data)
	return e, err == nil, err
}

// readEndsAt is readEnds for a log that must have been written to.
func readEndsAt(path string) (ends, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return ends{}, err
	}
	defer f.Close()
	e, found, err := readEnds(diskFile{f})
	if err == nil && !found {
		err = fmt.Errorf("%w: it is empty", errNoEnds)
	}
	return e, err
}
