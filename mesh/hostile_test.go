package mesh_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go"
)

// heapAllowed is how much more memory than before an attack may take while it
// lasts, those who carry it out included.
const heapAllowed = 64 << 20

// attackTime is how long an attack lasts.
const attackTime = 200 * time.Millisecond

// heap returns the bytes that are held.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// attacks are what a peer with a valid pin can try on a handler that answers /x,
// answers /flood without end, and reads no body.
var attacks = map[string]func(ctx context.Context, raw rawCrew){
	"ten thousand streams that say nothing": func(ctx context.Context, raw rawCrew) {
		for range 10_000 {
			if stream, err := raw.conn.OpenStream(); err == nil {
				_, _ = io.WriteString(stream, "G")
				defer stream.CancelWrite(0)
			}
		}
		<-ctx.Done()
	},
	"ten thousand streams that are given up": func(ctx context.Context, raw rawCrew) {
		for range 10_000 {
			stream, err := raw.conn.OpenStreamSync(ctx)
			if err != nil {
				return
			}
			_, _ = io.WriteString(stream, "GET /x HTTP/1.1\r\nHost: x\r\n")
			stream.CancelWrite(0)
			stream.CancelRead(0)
		}
	},
	"headers without end": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, "GET /x HTTP/1.1\r\nHost: x\r\n", strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 16))
	},
	"one header without end": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, "GET /x HTTP/1.1\r\nHost: x\r\nX-A: ", strings.Repeat("a", 16<<10))
	},
	"bodies without end": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, raw.signed("POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Transfer-Encoding: chunked\r\n\r\n"), "4000\r\n"+strings.Repeat("b", 0x4000)+"\r\n")
	},
	"a chunk of all the bytes there are": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, raw.signed("POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n"), strings.Repeat("b", 16<<10))
	},
	"a body that is longer than it says": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, raw.signed("POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Content-Length: 1\r\n\r\n"), strings.Repeat("b", 16<<10))
	},
	"a body of all the bytes there are": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, raw.signed("POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Content-Length: 9223372036854775807\r\n\r\n"), strings.Repeat("b", 16<<10))
	},
	"answers that are never read": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, raw.signed("GET /flood HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n"), "")
	},
	"bytes of a generator": func(ctx context.Context, raw rawCrew) {
		raw.many(ctx, "", strings.Repeat("\x00\xff\r\n\x16\x03\x01:", 2000))
	},
}

// many opens 200 streams, writes first on each, and then rest again and again
// until ctx ends or the stream does.
func (r rawCrew) many(ctx context.Context, first, rest string) {
	var group sync.WaitGroup
	for range 200 {
		group.Go(func() {
			stream, err := r.conn.OpenStreamSync(ctx)
			if err != nil {
				return
			}
			defer stream.CancelRead(0)
			defer stream.CancelWrite(0)
			defer context.AfterFunc(ctx, func() { stream.CancelWrite(0) })()
			_, err = io.WriteString(stream, first)
			for err == nil && ctx.Err() == nil {
				if rest == "" {
					<-ctx.Done()
					return
				}
				_, err = io.WriteString(stream, rest)
			}
		})
	}
	group.Wait()
}

// TestHostilePeerCostsNobodyElse holds for each attack, over either way, that
// another member is served, that memory is bounded, and that nothing is left.
func TestHostilePeerCostsNobodyElse(t *testing.T) {
	// Not parallel: it measures.
	lead := newLead(t)
	lead.handler = nil
	lead.stop()
	lead.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/flood" {
			whoami(w, r)
			return
		}
		for text := strings.Repeat("f", 16<<10); ; {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	})
	lead.run()
	healthy := newMember(t, lead, "healthy")
	healthy.maintain(lead)
	healthy.await(lead, "up", up)
	lead.await(healthy, "up", up)
	for by, way := range ways {
		raw := rawLinkedBy(way, t, lead, newNode(t).joinConfig(lead, "liar-"+by))
		raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n")
		lead.await(raw.from, "up", up)
		for name, attack := range attacks {
			t.Run(by+" "+name, func(t *testing.T) { underAttack(t, lead, healthy, raw, attack) })
		}
	}
}

func underAttack(t *testing.T, lead, healthy *node, raw rawCrew, attack func(context.Context, rawCrew)) {
	t.Helper()
	before, goroutines := heap(), runtime.NumGoroutine()
	ctx, cancel := context.WithTimeout(context.Background(), attackTime)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		attack(ctx, raw)
	}()
	var worst uint64
	var slowest time.Duration
	var looked time.Time
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
			began := time.Now()
			if got := lead.get(healthy, "/x"); got != "200 true lead lead /x" {
				t.Errorf("the other member is served with %s", got)
			}
			slowest = max(slowest, time.Since(began))
			if time.Since(looked) > attackTime/4 {
				worst, looked = max(worst, heap()), time.Now()
			}
		}
	}
	if slowest > 5*time.Second { // the attacker takes half of the processor
		t.Errorf("the other member waited %v", slowest)
	}
	if worst > before+heapAllowed {
		t.Errorf("%d MiB are held, %d before", worst>>20, before>>20)
	}
	for deadline := time.Now().Add(limit); runtime.NumGoroutine() > goroutines+5; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
	t.Logf("heap %d MiB, before %d MiB; slowest call %v", worst>>20, before>>20, slowest)
}

// slowness is what a peer can do in place of going on: it sends a beginning, and
// then a bit every second.
var slowness = map[string]struct {
	first, rest string
	within      time.Duration
}{
	"a header in drops":        {"GET /x HTTP/1.1\r\nHost: x\r\nX: ", "a", 6 * time.Second},
	"a header that never ends": {"GET /x HTTP/1.1\r\n", "", 6 * time.Second},
	"a body that nobody reads": {"POST /x HTTP/1.1\r\nHost: x\r\n%PROOF%Content-Length: 100\r\n\r\nabc", "", 6 * time.Second},
	"a body that is refused":   {"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc", "", 6 * time.Second},
	"a body that stops":        {"POST /read HTTP/1.1\r\nHost: x\r\n%PROOF%Content-Length: 100\r\n\r\nabc", "", 36 * time.Second},
	"an answer unread":         {"GET /flood HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n", "", 31 * time.Second},
}

// drip is slow on a new stream until the other side ends it or ctx does.
func (r rawCrew) drip(ctx context.Context, first, rest string) error {
	stream, err := r.conn.OpenStreamSync(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stream, r.signed(first)); err != nil {
		return err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stream.Context().Done():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			_, _ = io.WriteString(stream, rest) // it fails once the stream has ended
		}
	}
}

// TestSlowPeerLosesItsStreamInTime measures in a simulated time, over either way,
// how long a stream is borne whose peer does not go on.
func TestSlowPeerLosesItsStreamInTime(t *testing.T) {
	t.Parallel()
	for by := range ways {
		for name, slow := range slowness {
			t.Run(by+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var served atomic.Int64
					network, tcp := &network{}, &tcpNetwork{}
					lead := unstartedLead(t)
					lead.socket, lead.tcp = network.socket(1), tcp.listen(1)
					lead.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						served.Add(1)
						defer served.Add(-1)
						switch r.URL.Path {
						case "/read":
							_, _ = io.Copy(io.Discard, r.Body)
						case "/flood":
							_, _ = io.Copy(w, neverEnds{})
						}
					})
					lead.run()
					config := newNode(t).joinConfig(lead, "liar")
					config.PacketConn = network.socket(3)
					way := tunnelWay(tcp.dialFrom(4))
					if by == "quic" {
						way = socketWay(network.socket(4))
					}
					raw := rawLinkedBy(way, t, lead, config)
					raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n")
					lead.await(raw.from, "up", up)
					ctx, cancel := context.WithTimeout(context.Background(), slow.within)
					defer cancel()
					if err := raw.drip(ctx, slow.first, slow.rest); err != nil {
						t.Errorf("it is borne for %v: %v", slow.within, err)
					}
					synctest.Wait()
					if n := served.Load(); n > 0 {
						t.Errorf("%d handlers run", n)
					}
					if l := lead.endpoint.LinkState(raw.from.fp()); !l.Up {
						t.Errorf("it cost the link: %+v", l)
					}
				})
			})
		}
	}
}

// neverEnds is a reader of as many bytes as are wanted.
type neverEnds struct{}

func (neverEnds) Read(p []byte) (int, error) { return len(p), nil }

// signed is a request with a proof and the version in the place of %PROOF%.
func (r rawCrew) signed(text string) string {
	r.t.Helper()
	return strings.ReplaceAll(text, "%PROOF%", "Authorization: "+r.proof(r.from.store.Crew().Secret)+"\r\nCollie-Crew: 1\r\n")
}

func TestConnectionsOfOnePeerAreBounded(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	raw := rawLinked(t, lead)
	raw.ask("GET /crew/v1/hello HTTP/1.1\r\nHost: x\r\n%PROOF%\r\n")
	lead.await(raw.from, "up", up)
	const most = 16
	// On a busy machine the first may be closed as silent before the last is there.
	busy := false
	for end := time.Now().Add(limit); !busy && time.Now().Before(end); {
		var last *quic.Conn
		for range most { // the one in use counts
			last = newRaw(t, raw.from, lead).conn
		}
		select {
		case <-last.Context().Done():
		case <-time.After(limit):
			t.Fatal("one more is borne")
		}
		var closed *quic.ApplicationError
		busy = errors.As(context.Cause(last.Context()), &closed) && closed.ErrorCode == 0x16
	}
	if !busy {
		t.Error("one more is not refused as too many")
	}
	if l := lead.endpoint.LinkState(raw.from.fp()); !l.Up {
		t.Errorf("the link in use is %+v", l)
	}
}
