package integration_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/control"
)

const (
	idlePanes = 10
	// idleSettle lets start-up work end; idleFor is what is measured.
	idleSettle = 6 * time.Second
	idleFor    = 20 * time.Second
	// clockTicks is what /proc counts processor time in on every Linux
	// (proc_pid_stat(5), sysconf _SC_CLK_TCK).
	clockTicks = 100
)

// BenchmarkIdleNode measures what a node with ten idle panes costs: processor
// time and wake-ups of the node and its ten holders together, and the memory of
// each.
func BenchmarkIdleNode(b *testing.B) {
	m := harness.New(b, "idle").Start()
	for len(harness.JSON[[]control.Pane](m, "pane", "list")) < idlePanes {
		m.CLI("pane", "new")
	}
	processes := m.Processes("_hold")
	if len(processes) != idlePanes {
		b.Fatalf("%d holders run, want %d", len(processes), idlePanes)
	}
	processes = append(processes, m.PID())
	time.Sleep(idleSettle)
	for b.Loop() {
		before := usage(b, processes)
		time.Sleep(idleFor)
		after := usage(b, processes)
		seconds := idleFor.Seconds()
		b.ReportMetric(100*float64(after.ticks-before.ticks)/clockTicks/seconds, "cpu-%")
		b.ReportMetric(float64(after.switches-before.switches)/seconds, "wakeups/s")
	}
	b.ReportMetric(0, "ns/op") // the pause is in it, so it says nothing
	b.ReportMetric(float64(resident(b, m.PID()))/1024, "node-MiB")
	b.ReportMetric(float64(resident(b, processes[0]))/1024, "holder-MiB")
}

type used struct{ ticks, switches int }

// usage adds up what processes have used, over all of their threads.
func usage(b *testing.B, processes []int) used {
	b.Helper()
	var sum used
	for _, pid := range processes {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			b.Fatal(err)
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
		for _, field := range fields[11:13] { // utime and stime
			n, err := strconv.Atoi(field)
			if err != nil {
				b.Fatal(err)
			}
			sum.ticks += n
		}
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		if err != nil {
			b.Fatal(err)
		}
		for _, thread := range threads {
			sum.switches += number(b, thread, "voluntary_ctxt_switches:")
		}
	}
	return sum
}

// resident returns the resident memory of a process in KiB.
func resident(b *testing.B, pid int) int {
	b.Helper()
	return number(b, fmt.Sprintf("/proc/%d/status", pid), "VmRSS:")
}

// number reads a counter from a status file of /proc; a thread that has ended
// counts nothing.
func number(b testing.TB, path, name string) int {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				b.Fatal(err)
			}
			return n
		}
	}
	b.Fatalf("%s has no %s", path, name)
	return 0
}
