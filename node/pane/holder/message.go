package holder

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// A kind is what a message is about. Numbers below 64 go to the holder, the
// others come from it.
type kind byte

const (
	kindHello   kind = 1
	kindInput   kind = 2 // raw bytes
	kindResize  kind = 3
	kindRename  kind = 4
	kindScreen  kind = 5
	kindHistory kind = 6
	kindModes   kind = 7
	kindClose   kind = 8
	kindSeen    kind = 9 // a watcher is done with a frame
	kindGroup   kind = 10
	kindTab     kind = 11

	kindWelcome kind = 64
	kindRefusal kind = 65
	kindDone    kind = 66
	kindState   kind = 67
	kindFrame   kind = 68
)

// headerBytes is a message's head: the length of what follows it as four bytes,
// the highest first, then the kind.
const headerBytes = 5

// ErrMessage is wrapped by every refusal of what the other side sent.
var ErrMessage = errors.New("message is not valid")

// appendMessage appends a message whose body is body.
func appendMessage(dst []byte, k kind, body []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)))
	dst = append(dst, byte(k))
	return append(dst, body...)
}

// readMessage reads one message of at most limit bytes. began is called once its
// first byte is there.
func readMessage(r *bufio.Reader, limit int, began func() error) (kind, []byte, error) {
	if _, err := r.Peek(1); err != nil {
		return 0, nil, err
	}
	if err := began(); err != nil {
		return 0, nil, err
	}
	var head [headerBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, cutShort(err)
	}
	length := binary.BigEndian.Uint32(head[:4])
	if uint64(length) > uint64(limit) {
		return 0, nil, fmt.Errorf("%w: %d bytes, at most %d", ErrMessage, length, limit)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, cutShort(err)
	}
	return kind(head[4]), body, nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// decode reads a body of JSON. Fields that it does not know are a newer peer's.
func decode[T any](body []byte) (T, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return v, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return v, nil
}

// A link is one connection as messages. One goroutine may read and, guarded by
// the caller, one at a time may write.
type link struct {
	conn   *net.UnixConn
	reader *bufio.Reader
	limit  int // of a message that is read
	out    []byte
}

func newLink(conn *net.UnixConn, limit int) *link {
	return &link{conn: conn, reader: bufio.NewReader(conn), limit: limit}
}

// read waits for a message for as long as it takes, and for its end once it began.
func (l *link) read() (kind, []byte, error) {
	if err := l.conn.SetReadDeadline(time.Time{}); err != nil {
		return 0, nil, err
	}
	return readMessage(l.reader, l.limit, func() error {
		return l.conn.SetReadDeadline(time.Now().Add(messageTimeout))
	})
}

// readSoon is read with a bound for the whole message.
func (l *link) readSoon(within time.Duration) (kind, []byte, error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return 0, nil, err
	}
	return readMessage(l.reader, l.limit, func() error { return nil })
}

func (l *link) write(k kind, body []byte) error {
	l.out = appendMessage(l.out[:0], k, body)
	if err := l.conn.SetWriteDeadline(time.Now().Add(messageTimeout)); err != nil {
		return err
	}
	_, err := l.conn.Write(l.out)
	if cap(l.out) > keptBytes {
		l.out = nil // one large screen is not kept for the life of the link
	}
	return err
}

func (l *link) writeJSON(k kind, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.write(k, body)
}
