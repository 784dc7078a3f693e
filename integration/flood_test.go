package integration_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/control"
)

// floodBytes is what a pane prints as fast as it can; COLLIE_TEST_FLOOD names
// another number.
const floodBytes = 20_000_000

// mostMiB is more than a process of Collie's ever needs, whatever a pane prints.
const mostMiB = 128

// TestAFloodOnAMemberCostsThePhoneItsLastScreen measures at the phone, through the
// lead's streams: a pane of a member floods, and another one is typed into.
func TestAFloodOnAMemberCostsThePhoneItsLastScreen(t *testing.T) {
	t.Parallel()
	amount := floodBytes
	if own := os.Getenv("COLLIE_TEST_FLOOD"); own != "" {
		var err error
		if amount, err = strconv.Atoi(own); err != nil {
			t.Fatal(err)
		}
	}
	c := startPair(t)
	phone := c.lead.Pair("phone")
	script := fmt.Sprintf("read go; yes '0123456789 端末 \033[32mcolours and more of a line that is long' | head -c %d; printf '\\033[m\\n'; seq 5; echo flood over; exec cat", amount)
	flood := harness.JSON[control.ID](c.member, "pane", "new", "--", "sh", "-c", script).ID
	typed := harness.JSON[control.ID](c.member, "pane", "new", "--", "cat").ID
	watched, echoes := phone.Watch("juno", flood), phone.Watch("juno", typed)
	echoes.Until(t, "the first frame", func(string) bool { return echoes.Head().Cols > 0 })
	watched.Until(t, "the first frame", func(string) bool { return watched.Head().Cols > 0 })
	keyboard := newKeyboard(t, phone)
	key := func(name string) []byte {
		return keyboard.request(harness.PanePath("juno", typed, "/keys"), api.Keys{Keys: []string{name}, Typed: len(name) == 1})
	}
	keys := [2][]byte{key("x"), key("Backspace")}
	n := 0
	press := func() time.Duration {
		before, began := echoes.Head().Seq, time.Now()
		keyboard.press(keys[n%2])
		n++
		echoes.Until(t, "the echo", func(string) bool { return echoes.Head().Seq > before })
		took := echoes.At().Sub(began)
		keyboard.accepted()
		time.Sleep(pressEvery)
		return took
	}
	var quiet, beside []time.Duration
	for range 40 {
		quiet = append(quiet, press())
	}
	seen, began := len(phone.Seen()), time.Now()
	if status := phone.Post(harness.PanePath("juno", flood, "/keys"), api.Keys{Keys: []string{"Enter"}}, nil); status != 200 {
		t.Fatalf("Enter answered %d", status)
	}
	over := func(text string) bool { return strings.Contains(text, "flood over") }
	for !over(watched.Text()) {
		beside = append(beside, press())
	}
	took := time.Since(began)
	last := harness.JSON[control.PaneScreen](c.member, "pane", "show", flood)
	if got, want := watched.Text(), strings.TrimRight(strings.Join(last.Lines, "\n"), "\n"); got != want {
		t.Errorf("the phone ends on\n%s\nand the screen is\n%s", got, want)
	}
	cost := len(phone.Seen()) - seen
	t.Logf("%d MB in %.1f s; the phone got %d KiB; a key p50 %.1f ms p99 %.1f ms (%d keys), before the flood p50 %.1f ms p99 %.1f ms",
		amount/1e6, took.Seconds(), cost>>10, part(beside, 50), part(beside, 99), len(beside), part(quiet, 50), part(quiet, 99))
	for _, p := range harness.JSON[[]control.Pane](c.member, "pane", "list") {
		if p.ID == flood {
			peak(t, "holder", parent(t, p.PID))
		}
	}
	peak(t, "member", c.member.PID())
	peak(t, "lead", c.lead.PID())
	// A frame is a few kilobytes, and at most 60 are sent in a second.
	if most := 60 * (int(took.Seconds()) + 2) * 16 << 10; cost > most {
		t.Errorf("the phone got %d bytes, more than %d", cost, most)
	}
}

// part returns a percentile in milliseconds.
func part(took []time.Duration, percent int) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return float64(took[(len(took)-1)*percent/100].Microseconds()) / 1000
}

// peak holds that a process never needed more memory than it may.
func peak(t *testing.T, what string, pid int) {
	t.Helper()
	mib := number(t, fmt.Sprintf("/proc/%d/status", pid), "VmHWM:") >> 10
	t.Logf("the %s needed %d MiB at its peak", what, mib)
	if mib > mostMiB {
		t.Errorf("the %s needed %d MiB", what, mib)
	}
}

func parent(t *testing.T, pid int) int {
	t.Helper()
	return number(t, fmt.Sprintf("/proc/%d/status", pid), "PPid:")
}
