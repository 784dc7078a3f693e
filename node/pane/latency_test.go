package pane_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"collie/node/grid"
	"collie/node/pane"
)

// BenchmarkEcho compares the time from a key to its echo: as a frame of a
// watched pane, and as bytes of a bare terminal, with the same program.
func BenchmarkEcho(b *testing.B) {
	program := []string{"bash", "--norc", "--noprofile"}
	b.Run("pane", func(b *testing.B) {
		panes := open(b)
		info, err := panes.New(b.Context(), pane.Spec{Command: program, Cwd: "/", Cols: 120, Rows: 40})
		must(b, err)
		frames := make(chan grid.Frame)
		ctx, cancel := context.WithCancel(b.Context())
		ended := make(chan error)
		go func() {
			ended <- panes.Watch(ctx, info.ID, func(f grid.Frame) error {
				select {
				case frames <- f:
				case <-ctx.Done():
				}
				return nil
			})
		}()
		screen := new(grid.Screen)
		measure(b, func(key byte) {
			must(b, panes.Input(ctx, info.ID, []byte{key}))
		}, func(want string) {
			for !strings.HasSuffix(strings.TrimSpace(text(screen)), want) {
				_, err := screen.Apply(<-frames)
				must(b, err)
			}
		})
		cancel()
		<-ended
	})
	b.Run("bare", func(b *testing.B) {
		cmd := exec.Command(program[0], program[1:]...)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "PS1=$ ")
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
		must(b, err)
		defer func() { terminal.Close(); _ = cmd.Wait() }()
		chunk, got := make([]byte, 4096), ""
		measure(b, func(key byte) {
			_, err := terminal.Write([]byte{key})
			must(b, err)
		}, func(want string) {
			for !strings.HasSuffix(strings.TrimSpace(got), want) {
				n, err := terminal.Read(chunk)
				must(b, err)
				got += string(chunk[:n])
			}
			got = got[max(0, len(got)-100):]
		})
	})
}

// measure types digits, a new line before each one is full, and reports how long
// each took to show.
func measure(b *testing.B, press func(byte), await func(string)) {
	press('#')
	await("#")
	var took []time.Duration
	for i := range b.N {
		digit := byte('0' + i%10)
		if i%10 == 0 {
			press('\r')
			await("$")
			press('#')
			await("#")
		}
		began := time.Now()
		press(digit)
		await("#" + "0123456789"[:i%10+1])
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
}

// BenchmarkOpen is the time until a new pane's program runs.
func BenchmarkOpen(b *testing.B) {
	panes := open(b)
	for b.Loop() {
		info := start(b, panes, "cat")
		b.StopTimer()
		must(b, panes.Close(b.Context(), info.ID))
		b.StartTimer()
	}
}

// BenchmarkIdleHolder reports the resident memory of a holder whose scrollback
// is empty, and full.
func BenchmarkIdleHolder(b *testing.B) {
	for b.Loop() {
		panes := open(b)
		info := start(b, panes, "sh", "-c", "echo empty; read x; seq -f 'line %g of a log that is neither short nor long' 1 12000; echo full; read x")
		await(b, panes, info.ID, shows("empty"))
		b.ReportMetric(resident(b, info.HolderPID), "empty-MiB")
		must(b, panes.Input(b.Context(), info.ID, []byte("\r")))
		await(b, panes, info.ID, shows("full"))
		b.ReportMetric(resident(b, info.HolderPID), "full-MiB")
	}
}

func resident(b *testing.B, pid int) float64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	must(b, err)
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.Atoi(strings.Fields(value)[0])
			must(b, err)
			return float64(kib) / 1024
		}
	}
	b.Fatal(errors.New("no VmRSS"))
	return 0
}
