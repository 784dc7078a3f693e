package walky

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var benchBody = strings.Repeat("a line of forty characters of a report.\n", 25) // 1,000 bytes

// Local send to typed line: two journal lines, each synced, and one line typed
// into a terminal that costs nothing. Beside it what the disk alone costs: two
// appends of the same size with a sync each.
func BenchmarkLocalSend(b *testing.B) {
	l := DefaultLimits()
	l.SendPerSession, l.ReceivePerSession, l.SendPerMachine = 1e9, 1e9, 1e9
	s, err := New(Config{
		Folder: filepath.Join(b.TempDir(), "walky"), Terminal: newTestTerminal(agent("p1"), agent("p2")), Limits: l,
		Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	peers, err := s.Peers(b.Context(), operator)
	if err != nil {
		b.Fatal(err)
	}
	times := make([]time.Duration, 0, 1<<16)
	for b.Loop() {
		from := time.Now()
		r, err := s.Send(b.Context(), in("p1"), peers[1].Address, benchBody, "")
		if err != nil || r.State != Delivered {
			b.Fatalf("%+v, %v", r, err)
		}
		times = append(times, time.Since(from))
	}
	b.StopTimer()
	p50 := reportTimes(b, times, "")
	alone := reportTimes(b, twoSyncs(b), "disk-")
	b.ReportMetric(float64(p50)/float64(alone), "p50/disk")
}

// twoSyncs is the time of two appends to a file, each with its sync.
func twoSyncs(b *testing.B) (times []time.Duration) {
	file, err := os.Create(filepath.Join(b.TempDir(), "plain"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for range 500 {
		from := time.Now()
		for _, size := range []int{1500, 120} {
			if _, err := file.Write(make([]byte, size)); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
		times = append(times, time.Since(from))
	}
	return times
}

func reportTimes(b *testing.B, times []time.Duration, name string) (p50 time.Duration) {
	slices.Sort(times)
	p50 = times[len(times)/2]
	b.ReportMetric(float64(p50.Microseconds()), name+"p50-us")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), name+"p99-us")
	return p50
}

// A message across the crew: seal on the sender, open and attest on the lead,
// verify on the receiver, beside two bare signatures and three verifications of
// the same size.
func BenchmarkWire(b *testing.B) {
	c := newCrew(b)
	out, member, receiver := c.outgoing(), c.member(b), c.receiver(b)
	out.Body = benchBody
	b.Run("seal+open+attest+verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e, err := Seal(c.atlas, c.id, "atlas", out)
			if err != nil {
				b.Fatal(err)
			}
			v, err := OpenEnvelope(e, member, c.now)
			if err != nil {
				b.Fatal(err)
			}
			d, err := Attest(c.lead, 3, c.now, v)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := Verify(d, receiver); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare signatures", func(b *testing.B) {
		message := make([]byte, 256)
		for b.Loop() {
			mine, theirs := c.atlas.Sign(message), c.lead.Sign(message)
			for range 2 {
				ed25519.Verify(c.atlas.PublicKey(), message, mine)
			}
			ed25519.Verify(c.lead.PublicKey(), message, theirs)
		}
	})
}

// Messages that a lead passes on, from many members at once: opened, journaled,
// attested, journaled again with the receipt. What the members do is not in it.
// Beside it, the signatures alone.
func BenchmarkRelay(b *testing.B) {
	c := newCrew(b)
	l := DefaultLimits()
	l.SendPerSession, l.ReceivePerSession, l.SendPerMachine = 1e9, 1e9, 1e9
	l.Journal.Lines, l.Journal.SegmentLines, l.Journal.SegmentBytes = 1e9, 1e6, 1<<30
	s, err := New(Config{
		Folder: filepath.Join(b.TempDir(), "walky"), Terminal: newTestTerminal(), Limits: l,
		Now: func() time.Time { return c.now }, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	member, lead := c.member(b), c.lead
	const most = 20000
	envelopes := make([]Envelope, min(b.N, most))
	for i := range envelopes {
		out := c.outgoing()
		out.ID, out.Body = DoorID(c.now, strconv.Itoa(i)), benchBody
		envelopes[i] = c.seal(b, out)
	}
	if b.N > most {
		b.Fatalf("at most %d messages: use -benchtime %dx", most, most)
	}
	var next atomic.Int64
	relay := func(e Envelope) error {
		v, err := s.Open(e, member, c.now)
		if err != nil {
			return err
		}
		if _, fresh, err := s.Pass(b.Context(), v); err != nil || !fresh {
			return fmt.Errorf("not fresh: %w", err)
		}
		if _, err := Attest(lead, 3, c.now, v); err != nil {
			return err
		}
		return s.Result("boreas", Receipt{ID: v.Message().ID, State: Delivered, At: c.now})
	}
	b.ResetTimer()
	var work sync.WaitGroup
	for range 64 {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				if err := relay(envelopes[i]); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
