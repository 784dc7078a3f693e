package frontdoor

import (
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// etagMark tells the ETag of a compressed answer from that of a plain one, which
// is another representation (RFC 9110, section 8.8.3).
const etagMark = `-gzip"`

// compressing compresses JSON answers of minCompressBytes or more, as judged by
// their first piece. Streams and all else go through as they are.
type compressing struct {
	*answer
	writers *gzipWriters
	held    bool // the header waits for the first piece
	gzip    *gzip.Writer
}

// compress returns the writer of an answer, which must be finished, and gives
// the handler the ETag that it knows.
func (d *Door) compress(w *answer, c *call) *compressing {
	if !c.api || !acceptsGzip(c.Header) {
		return &compressing{answer: w}
	}
	if etag := c.Header.Get("If-None-Match"); strings.HasSuffix(etag, etagMark) {
		c.Header.Set("If-None-Match", strings.TrimSuffix(etag, etagMark)+`"`)
	}
	return &compressing{answer: w, writers: &d.gzip}
}

func (c *compressing) WriteHeader(status int) {
	if c.held = c.writers != nil && status == http.StatusOK && c.Header().Get("Content-Type") == "application/json"; !c.held {
		c.answer.WriteHeader(status)
	}
}

func (c *compressing) Write(data []byte) (int, error) {
	if c.gzip != nil {
		return c.gzip.Write(data)
	}
	if !c.started && !c.held {
		c.WriteHeader(http.StatusOK)
	}
	if !c.held {
		return c.answer.Write(data)
	}
	c.held = false
	if len(data) < minCompressBytes {
		c.answer.WriteHeader(http.StatusOK)
		return c.answer.Write(data)
	}
	h := c.Header()
	h.Set("Content-Encoding", "gzip")
	h.Set("Vary", "Accept-Encoding")
	if etag := h.Get("ETag"); etag != "" {
		h.Set("ETag", strings.TrimSuffix(etag, `"`)+etagMark)
	}
	c.answer.WriteHeader(http.StatusOK)
	c.gzip = c.writers.get()
	c.gzip.Reset(c.answer)
	return c.gzip.Write(data)
}

// finish sends what is held.
func (c *compressing) finish() {
	if c.held {
		c.answer.WriteHeader(http.StatusOK)
	}
	if c.gzip != nil {
		_ = c.gzip.Close() // a client that went away is nobody to tell
		c.writers.put(c.gzip)
	}
}

// gzipWriters keeps a few writers for later, since each holds 800 KiB.
type gzipWriters struct{ idle chan *gzip.Writer }

func (g *gzipWriters) get() *gzip.Writer {
	select {
	case w := <-g.idle:
		return w
	default:
		w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one of its own
		return w
	}
}

func (g *gzipWriters) put(w *gzip.Writer) {
	w.Reset(nil) // it must not keep the answer
	select {
	case g.idle <- w:
	default:
	}
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3).
func acceptsGzip(h http.Header) bool {
	for _, value := range h.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			name, parameter, _ := strings.Cut(coding, ";")
			if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
				continue
			}
			quality, given := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(parameter), " ", ""), "q=")
			weight, err := strconv.ParseFloat(quality, 64)
			return !given || err == nil && weight > 0
		}
	}
	return false
}
