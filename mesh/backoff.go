package mesh

import (
	"encoding/binary"
	"io"
	"time"
)

// backoff is how long to wait between dials that fail: a random part, the whole
// of it included, of a time that doubles from first to longest. The randomness
// keeps the members of a lead that was started again apart.
type backoff struct {
	random         io.Reader
	first, longest time.Duration
	most           time.Duration // of the wait before
}

// next returns the next wait.
func (b *backoff) next() time.Duration {
	b.most = max(b.first, min(2*b.most, b.longest))
	var drawn [8]byte
	if _, err := io.ReadFull(b.random, drawn[:]); err != nil {
		return b.most // late, but safe
	}
	return time.Duration(binary.BigEndian.Uint64(drawn[:]) % uint64(b.most+1))
}

func (b *backoff) reset() { b.most = 0 }
