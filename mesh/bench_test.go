package mesh_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"collie/mesh"
)

const kib = 1 << 10

// BenchmarkExchange compares a warm request over the crew link, with 1 KiB each
// way, by either of its ways, to what it stands on: the same bytes over a new
// stream of a raw QUIC connection that echoes them.
func BenchmarkExchange(b *testing.B) {
	var raw time.Duration
	payload := bytes.Repeat([]byte("x"), kib)
	b.Run("raw QUIC stream", func(b *testing.B) {
		conn := rawEcho(b)
		raw = measure(b, func() error { return echoOnce(conn, payload) })
	})
	for _, by := range []string{"quic", "tcp"} {
		b.Run("crew link over "+by, func(b *testing.B) {
			link := measure(b, exchangeBy(b, by, payload))
			if raw > 0 {
				b.ReportMetric(float64(link)/float64(raw), "raw-echoes")
			}
		})
	}
}

// exchangeBy returns one exchange over a link by one of the two ways.
func exchangeBy(b *testing.B, by string, payload []byte) (once func() error) {
	b.Helper()
	member := newNode(b)
	member.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = w.Write(body)
		}
		if err != nil {
			b.Error(err)
		}
	})
	transport := linkedBy(b, by, member).endpoint.RoundTripper(member.fp())
	return func() error {
		req, err := http.NewRequest(http.MethodPost, "/echo", bytes.NewReader(payload))
		if err != nil {
			return err
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// BenchmarkStream compares how fast the body of one request passes by the two
// ways.
func BenchmarkStream(b *testing.B) {
	const size = 8 << 20
	for _, by := range []string{"quic", "tcp"} {
		b.Run("crew link over "+by, func(b *testing.B) {
			member := newNode(b)
			member.handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if n, err := io.Copy(io.Discard, r.Body); n != size || err != nil {
					b.Errorf("%d bytes came, %v", n, err)
				}
			})
			lead := linkedBy(b, by, member)
			b.SetBytes(size)
			for b.Loop() {
				resp, err := lead.call(member, http.MethodPost, "/x", bytes.NewReader(make([]byte, size)))
				if err != nil {
					b.Fatal(err)
				}
				_ = resp.Body.Close()
			}
		})
	}
}

// measure reports the median and the 99th percentile beside the mean, and
// returns the median.
func measure(b *testing.B, once func() error) time.Duration {
	b.Helper()
	b.ReportAllocs()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := once(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	return took[len(took)/2]
}

// rawEcho returns a connection whose every stream is echoed.
func rawEcho(b *testing.B) *quic.Conn {
	b.Helper()
	server, client := newNode(b), newNode(b)
	listener, err := quic.ListenAddr("127.0.0.1:0", serverTLS(server), nil)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept(context.Background())
		for err == nil {
			var stream *quic.Stream
			if stream, err = conn.AcceptStream(context.Background()); err == nil {
				go func() {
					_, _ = io.Copy(stream, stream)
					_ = stream.Close()
				}()
			}
		}
	}()
	server.bind(listener.Addr().String())
	conn := stranger{certificatesOf(client.id), []string{mesh.ALPNCrew}}.dial(b, server)
	b.Cleanup(func() {
		_ = conn.CloseWithError(0, "")
		<-done
		_ = listener.Close()
	})
	return conn
}

func echoOnce(conn *quic.Conn, payload []byte) error {
	stream, err := conn.OpenStreamSync(context.Background())
	if err != nil {
		return err
	}
	if _, err := stream.Write(payload); err != nil {
		return err
	}
	if err := stream.Close(); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stream)
	return err
}
