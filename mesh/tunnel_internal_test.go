package mesh

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"collie/crypto/identity"
)

// pipe returns two ends of a TLS connection in memory.
func pipe(t testing.TB) (near, far *tls.Conn) {
	t.Helper()
	id, err := identity.Generate(rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	a, b := net.Pipe()
	near = tls.Client(a, dialTLS(id, ALPNCrew, id.Fingerprint()))
	far = tls.Server(b, baseTLS(id, ALPNCrew))
	done := make(chan error)
	go func() { done <- far.HandshakeContext(context.Background()) }()
	if err := errors.Join(near.HandshakeContext(context.Background()), <-done); err != nil {
		t.Fatal(err)
	}
	return near, far
}

func TestTunnelNeverWaitsForWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	near, far := pipe(t)
	defer func() { _ = far.NetConn().Close() }()
	tunnel := newTunnel(near)
	packet := make([]byte, 1000)
	for range 10 * tunnelQueue / len(packet) {
		if n, err := tunnel.WriteTo(packet, nil); n != len(packet) || err != nil {
			t.Fatalf("%d bytes were taken, %v", n, err)
		}
	}
	tunnel.mu.Lock()
	queued := cap(tunnel.queued)
	tunnel.mu.Unlock()
	if queued > 2*tunnelQueue {
		t.Errorf("%d bytes are held", queued)
	}
	began := time.Now()
	tunnel.close()
	if took := time.Since(began); took > linger+time.Second {
		t.Errorf("it took %v to end", took)
	}
	if _, err := tunnel.WriteTo(packet, nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("afterwards it takes packets: %v", err)
	}
}

func TestTunnelSendsWhatIsQueuedBeforeItEnds(t *testing.T) {
	t.Parallel()
	near, far := pipe(t)
	tunnel := newTunnel(near)
	for i := range 50 {
		if _, err := tunnel.WriteTo([]byte{byte(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	go tunnel.close()
	got, err := io.ReadAll(far)
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for i := range 50 {
		want = append(want, 0, 1, byte(i))
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%x came, want %x", got, want)
	}
	_ = far.Close()
	<-tunnel.written
}

// largest is how large a packet quic-go takes.
const largest = 1452

func FuzzTunnelReadsPackets(f *testing.F) {
	f.Add([]byte{0, 1, 7, 0, 2, 8, 9})
	f.Add([]byte{0, 0})
	f.Add([]byte{0xff, 0xff, 1})
	f.Add([]byte{0, 5, 1})
	f.Fuzz(func(t *testing.T, sent []byte) {
		tunnel := &tunnel{reader: bufio.NewReader(bytes.NewReader(sent))}
		buffer, rest := make([]byte, largest), sent
		for {
			n, err := tunnel.readPacket(buffer)
			if err != nil {
				if len(rest) >= 2 {
					if size := int(binary.BigEndian.Uint16(rest)); size > 0 && size <= largest && len(rest) >= 2+size {
						t.Errorf("a whole packet of %d bytes was refused: %v", size, err)
					}
				}
				return
			}
			if size := int(binary.BigEndian.Uint16(rest)); n != size || !bytes.Equal(buffer[:n], rest[2:2+n]) {
				t.Fatalf("%d bytes were read of %x", n, rest)
			}
			rest = rest[2+n:]
		}
	})
}
