package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"collie/node/api"
)

// streamProtocol is what a call upgrades to when it goes on as lines of JSON
// both ways.
const streamProtocol = "collie-lines"

// ErrLineSize refuses a line that is too long.
var ErrLineSize = errors.New("a line on the control socket is too long")

// A Stream is a connection on which both ends send lines of JSON. One goroutine
// may read; any may write.
type Stream struct {
	conn   io.ReadWriteCloser
	reader *bufio.Reader

	mu sync.Mutex // guards writes
}

func newStream(conn io.ReadWriteCloser, reader *bufio.Reader) *Stream {
	return &Stream{conn: conn, reader: reader}
}

// Read waits for the next line of at most most bytes.
func (s *Stream) Read(most int, v any) error {
	var line []byte
	for {
		part, err := s.reader.ReadSlice('\n')
		if len(line)+len(part) > most {
			return ErrLineSize
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}

// Write sends a line. A reader that takes none within writeTimeout loses the
// connection.
func (s *Stream) Write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if conn, ok := s.conn.(interface{ SetWriteDeadline(time.Time) error }); ok {
		if err := conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return err
		}
	}
	_, err = s.conn.Write(append(line, '\n'))
	return err
}

// Close ends the connection, and a Read or Write that waits.
func (s *Stream) Close() error { return s.conn.Close() }

// stream turns a call into a stream and serves it until it, the caller or the
// server ends. What comes before the first line is still an answer.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, route Route, call *Call) error {
	if r.Header.Get("Upgrade") != streamProtocol {
		return api.ErrBadRequest.With("this call goes on as a stream")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer s.whenClosing(cancel)()
	serve, err := route.Stream(ctx, call)
	if err != nil {
		return err
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return errHijacked
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+streamProtocol+"\r\n\r\n"); err != nil {
		return errHijacked
	}
	serve(newStream(conn, buffered.Reader))
	return errHijacked
}

// errHijacked says that there is nobody to answer any more.
var errHijacked = errors.New("the call went on as a stream")

// Stream makes a call that goes on as a stream; its errors are those of Call.
func (c *Client) Stream(ctx context.Context, path string, in any) (*Stream, error) {
	response, err := c.send(ctx, http.MethodPost, path, in, http.Header{"Connection": {"Upgrade"}, "Upgrade": {streamProtocol}})
	if err != nil {
		return nil, err
	}
	conn, ok := response.Body.(io.ReadWriteCloser)
	if response.StatusCode == http.StatusSwitchingProtocols && ok {
		return newStream(conn, bufio.NewReader(conn)), nil
	}
	defer response.Body.Close()
	return nil, answered(http.MethodPost, response, nil)
}
