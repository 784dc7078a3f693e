// Package load reads what a machine is busy with, from the kernel's own files:
// processor time, memory, load average, and the bytes of its network cards.
//
// A Reading is counters and nothing else, so that whoever asks makes rates of
// two of them over the time that it chose, and a machine that nobody asks
// measures nothing. It is a few files of a few kilobytes.
package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxFileBytes bounds what is read of one file: a machine may have hundreds of
// network cards and processors.
const maxFileBytes = 1 << 20

// ErrUnsupported says that this system does not tell.
var ErrUnsupported = errors.New("the load of this system cannot be read")

// A Reading is a machine's counters at one moment.
type Reading struct {
	// UptimeMs is the time since the machine's start, which no clock changes.
	UptimeMs int64 `json:"uptimeMs"`
	// BusyTicks and TotalTicks are processor time since the start, over all cores.
	BusyTicks  uint64 `json:"busyTicks"`
	TotalTicks uint64 `json:"totalTicks"`
	Cores      int    `json:"cores"`
	// MemoryUsedBytes is what programs cannot have any more without another giving
	// it up.
	MemoryUsedBytes  uint64  `json:"memoryUsedBytes"`
	MemoryTotalBytes uint64  `json:"memoryTotalBytes"`
	Load1            float64 `json:"load1"` // the load average of a minute
	// ReceivedBytes and SentBytes are of every network card but loopback.
	ReceivedBytes uint64 `json:"receivedBytes"`
	SentBytes     uint64 `json:"sentBytes"`
}

// Read reads the counters of this machine.
func Read() (Reading, error) { return ReadIn("/proc") }

// ReadIn reads them from files as they are in /proc.
func ReadIn(dir string) (r Reading, err error) {
	for _, part := range []struct {
		name  string
		parse func(*Reading, []byte) error
	}{
		{"uptime", (*Reading).uptime},
		{"stat", (*Reading).stat},
		{"meminfo", (*Reading).memory},
		{"loadavg", (*Reading).average},
		{"net/dev", (*Reading).network},
	} {
		data, err := read(filepath.Join(dir, part.name))
		if err == nil {
			err = part.parse(&r, data)
		}
		if err != nil {
			return Reading{}, fmt.Errorf("%w: %s: %w", ErrUnsupported, part.name, err)
		}
	}
	return r, r.Check()
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFileBytes))
}

var errForm = errors.New("it is not in the form that is known")

func (r *Reading) uptime(data []byte) error {
	first, _, _ := strings.Cut(string(data), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	if err != nil || seconds < 0 || seconds > math.MaxInt32 {
		return errForm
	}
	r.UptimeMs = int64(seconds * 1000)
	return nil
}

// stat reads the row of all processors, and counts the rows of each. Time of
// guests is counted in that of their hosts already.
func (r *Reading) stat(data []byte) error {
	for row := range bytes.Lines(data) {
		fields := strings.Fields(string(row))
		if len(fields) < 6 || !strings.HasPrefix(fields[0], "cpu") {
			continue
		}
		if fields[0] != "cpu" {
			r.Cores++
			continue
		}
		for i, field := range fields[1:min(len(fields), 9)] {
			ticks, err := strconv.ParseUint(field, 10, 64)
			if err != nil {
				return errForm
			}
			r.TotalTicks += ticks
			if i != 3 && i != 4 { // idle, and waiting for a disk
				r.BusyTicks += ticks
			}
		}
	}
	if r.TotalTicks == 0 || r.Cores == 0 {
		return errForm
	}
	return nil
}

func (r *Reading) memory(data []byte) error {
	kilobytes := map[string]uint64{}
	for row := range bytes.Lines(data) {
		name, rest, _ := strings.Cut(string(row), ":")
		if name != "MemTotal" && name != "MemAvailable" {
			continue
		}
		number, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 54)
		if err != nil {
			return errForm
		}
		kilobytes[name] = number
	}
	total, available := kilobytes["MemTotal"]<<10, kilobytes["MemAvailable"]<<10
	if total == 0 || available > total {
		return errForm
	}
	r.MemoryTotalBytes, r.MemoryUsedBytes = total, total-available
	return nil
}

func (r *Reading) average(data []byte) error {
	first, _, _ := strings.Cut(string(data), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return errForm
	}
	r.Load1 = load
	return nil
}

func (r *Reading) network(data []byte) error {
	for row := range bytes.Lines(data) {
		name, rest, found := strings.Cut(string(row), ":")
		fields := strings.Fields(rest)
		if !found || strings.TrimSpace(name) == "lo" || len(fields) < 16 {
			continue // a heading
		}
		received, err := strconv.ParseUint(fields[0], 10, 64)
		sent, sentErr := strconv.ParseUint(fields[8], 10, 64)
		if errors.Join(err, sentErr) != nil {
			return errForm
		}
		r.ReceivedBytes += received
		r.SentBytes += sent
	}
	return nil
}

// Check refuses what no machine reads.
func (r Reading) Check() error {
	switch {
	case r.UptimeMs < 0, r.BusyTicks > r.TotalTicks, r.Cores < 1, r.Cores > 1<<16,
		r.MemoryUsedBytes > r.MemoryTotalBytes, r.MemoryTotalBytes > 1<<60,
		math.IsNaN(r.Load1), r.Load1 < 0, r.Load1 > 1e6:
		return errForm
	}
	return nil
}

// Rates are what a machine was busy with between two readings.
type Rates struct {
	CPU                 float64 // 0 to 1, of all cores
	Memory              float64 // 0 to 1
	Load                float64 // of one core
	ReceivedBytesPerSec float64
	SentBytesPerSec     float64
}

// Since returns the rates from an earlier reading to this one; false when there
// are none, as after a restart of the machine.
func (r Reading) Since(earlier Reading) (Rates, bool) {
	passed := time.Duration(r.UptimeMs-earlier.UptimeMs) * time.Millisecond
	if passed <= 0 || r.TotalTicks <= earlier.TotalTicks || r.BusyTicks < earlier.BusyTicks {
		return Rates{}, false
	}
	rates := Rates{
		CPU:    min(float64(r.BusyTicks-earlier.BusyTicks)/float64(r.TotalTicks-earlier.TotalTicks), 1),
		Memory: float64(r.MemoryUsedBytes) / float64(max(r.MemoryTotalBytes, 1)),
		Load:   r.Load1 / float64(max(r.Cores, 1)),
	}
	// A network card that went away takes its bytes along.
	if r.ReceivedBytes >= earlier.ReceivedBytes && r.SentBytes >= earlier.SentBytes {
		rates.ReceivedBytesPerSec = float64(r.ReceivedBytes-earlier.ReceivedBytes) / passed.Seconds()
		rates.SentBytesPerSec = float64(r.SentBytes-earlier.SentBytes) / passed.Seconds()
	}
	return rates, true
}
