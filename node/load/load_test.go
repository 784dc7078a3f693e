package load

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestCountersAreReadAsTheKernelWritesThem(t *testing.T) {
	t.Parallel()
	got, err := ReadIn("testdata/proc")
	want := Reading{
		UptimeMs: 350735470, BusyTicks: 1385, TotalTicks: 9585, Cores: 2,
		MemoryUsedBytes: 250000 << 10, MemoryTotalBytes: 1000000 << 10, Load1: 0.52, ReceivedBytes: 2040, SentBytes: 307,
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

func TestThisMachineIsRead(t *testing.T) {
	t.Parallel()
	first, err := Read()
	if err != nil || first.Cores < 1 || first.MemoryUsedBytes == 0 || first.UptimeMs == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	second, err := Read()
	if err != nil || second.TotalTicks < first.TotalTicks || second.UptimeMs < first.UptimeMs {
		t.Errorf("%+v after %+v, %v", second, first, err)
	}
}

func TestWhatIsNotInTheFormThatIsKnownIsNoReading(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"uptime": {"", "x", "-1 2", "nan 1", "99999999999999 1"}, "stat": {"", "cpu 1 2 3 4 5\n", "cpu a b c d e\ncpu0 1 2 3 4 5\n", "cpu0 1 2 3 4 5\n"},
		"meminfo": {"", "MemTotal: 1 kB\nMemAvailable: 2 kB\n", "MemTotal: x kB\n"}, "loadavg": {"", "x", "-1", "nan", "inf"},
		"net/dev": {"eth0: x 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"},
	} {
		for _, text := range texts {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/proc")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := ReadIn(dir); err == nil {
				t.Errorf("%s with %q is read as %+v", name, text, got)
			}
		}
	}
	if _, err := ReadIn(t.TempDir()); !errors.Is(err, ErrUnsupported) {
		t.Errorf("a system without the files: %v", err)
	}
}

func TestRatesAreOfTheTimeBetweenTwoReadings(t *testing.T) {
	t.Parallel()
	first := Reading{UptimeMs: 1000, BusyTicks: 100, TotalTicks: 1000, Cores: 4, MemoryUsedBytes: 25, MemoryTotalBytes: 100, Load1: 2, ReceivedBytes: 10, SentBytes: 10}
	next := first
	next.UptimeMs, next.BusyTicks, next.TotalTicks, next.ReceivedBytes, next.SentBytes = 3000, 150, 1200, 2010, 110
	want := Rates{CPU: 0.25, Memory: 0.25, Load: 0.5, ReceivedBytesPerSec: 1000, SentBytesPerSec: 50}
	if got, ok := next.Since(first); !ok || got != want {
		t.Errorf("%+v, %v", got, ok)
	}
	if _, ok := first.Since(next); ok {
		t.Error("a machine that was started again has rates")
	}
	if _, ok := first.Since(first); ok {
		t.Error("no time has rates")
	}
	gone := next
	gone.ReceivedBytes = 5
	if got, ok := gone.Since(first); !ok || got.ReceivedBytesPerSec != 0 || got.CPU != 0.25 {
		t.Errorf("without a network card: %+v, %v", got, ok)
	}
}

func FuzzRead(f *testing.F) {
	names := []string{"uptime", "stat", "meminfo", "loadavg", "net/dev"}
	for i, name := range names {
		data, err := os.ReadFile(filepath.Join("testdata/proc", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		var r Reading
		parse := []func(*Reading, []byte) error{(*Reading).uptime, (*Reading).stat, (*Reading).memory, (*Reading).average, (*Reading).network}[int(which)%len(names)]
		_ = parse(&r, bytes.Clone(data))
	})
}

// BenchmarkRead beside what a shell would run for less of it.
func BenchmarkRead(b *testing.B) {
	b.Run("collie", func(b *testing.B) {
		for b.Loop() {
			if _, err := Read(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cat", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("cat", "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/net/dev").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
