package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/node/grid"
	"collie/node/pane"
)

// BenchmarkFlood reports how long a key takes to show in one pane, without and
// with another one that prints as fast as it can (COLLIE_TEST_FLOOD bytes, 20 MB
// without it) while somebody watches it, and that the watcher ends on its last
// screen.
func BenchmarkFlood(b *testing.B, mux pane.Multiplexer) {
	s := &suite{mux: mux}
	size := amount(b, "COLLIE_TEST_FLOOD", 20_000_000)
	quiet := s.script(b, "stty -icanon -echo; printf 'begun '; exec cat")
	s.shows(b, quiet.ID, "begun")
	e := s.echoes(b, quiet.ID)
	defer e.stop()
	for b.Loop() {
		calm := e.measure(b, time.Second)
		loud := s.script(b, fmt.Sprintf("read x; yes 'a line of a program that floods its terminal, 0123456789' | head -c %d; echo; echo the last line; sleep 1000", size))
		began := time.Now()
		must(b, mux.Input(b.Context(), loud.ID, []byte("\r")))
		ended := make(chan error, 1)
		go func() { ended <- lastScreen(b.Context(), mux, loud.ID) }()
		var stormy []time.Duration
		var took time.Duration
		for took == 0 {
			stormy = append(stormy, e.measure(b, 200*time.Millisecond)...)
			select {
			case err := <-ended:
				must(b, err)
				took = time.Since(began)
			default:
			}
		}
		report(b, "calm", calm)
		report(b, "flood", stormy)
		b.ReportMetric(float64(size)/1e6/took.Seconds(), "MB/s")
		b.ReportMetric(residentMiB(b, os.Getpid()), "node-peak-MiB")
		if loud.HolderPID != 0 {
			b.ReportMetric(residentMiB(b, loud.HolderPID), "holder-peak-MiB")
		}
		must(b, mux.Close(b.Context(), loud.ID))
	}
}

// lastScreen watches a pane until it shows its last line, however long that takes.
func lastScreen(ctx context.Context, mux pane.Multiplexer, id pane.ID) error {
	found := errors.New("found")
	var screen grid.Screen
	err := mux.Watch(ctx, id, func(f grid.Frame) error {
		if _, err := screen.Apply(f); err != nil {
			return err
		}
		if strings.Contains(text(&screen), "the last line") {
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return nil
	}
	return fmt.Errorf("the last screen never came: %w", err)
}

func report(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-us")
}

// echoes watches a pane whose program repeats each character.
type echoes struct {
	mux    pane.Multiplexer
	id     pane.ID
	frames chan string
	stop   func()
	next   int
}

func (s *suite) echoes(b *testing.B, id pane.ID) *echoes {
	ctx, cancel := context.WithCancel(b.Context())
	e := &echoes{mux: s.mux, id: id, frames: make(chan string, 1)}
	done := make(chan error, 1)
	go func() {
		var screen grid.Screen
		done <- s.mux.Watch(ctx, id, func(f grid.Frame) error {
			if _, err := screen.Apply(f); err != nil {
				return err
			}
			select {
			case e.frames <- text(&screen):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	e.stop = func() { cancel(); <-done }
	return e
}

// measure types for a while, one key after the other was seen.
func (e *echoes) measure(b *testing.B, during time.Duration) (took []time.Duration) {
	for end := time.Now().Add(during); time.Now().Before(end); {
		e.next++
		key := fmt.Sprintf("<%d>", e.next%1000)
		began := time.Now()
		must(b, e.mux.Input(b.Context(), e.id, []byte(key)))
		for deadline := time.After(patience); ; {
			select {
			case shown := <-e.frames:
				if !strings.Contains(strings.ReplaceAll(shown, "\n", ""), key) {
					continue
				}
			case <-deadline:
				b.Fatal(errors.New("a key is never echoed"))
			}
			break
		}
		took = append(took, time.Since(began))
		time.Sleep(2 * time.Millisecond) // nobody types without a pause
	}
	return took
}

func residentMiB(b *testing.B, pid int) float64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	must(b, err)
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, err := strconv.Atoi(strings.Fields(value)[0])
			must(b, err)
			return float64(kib) / 1024
		}
	}
	b.Fatal(errors.New("no VmHWM"))
	return 0
}
