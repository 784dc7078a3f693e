package daemon

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"collie/node/control"
	"collie/node/walky"
)

// BenchmarkMessage measures a message from the command's call until the program
// in the pane has read its line with the Enter, and until the receipt that says
// so is back: on one machine, and from a member over the lead to another one.
// Three nodes in one process over loopback, real panes, journals and audit logs
// synced.
func BenchmarkMessage(b *testing.B) {
	limits := walky.DefaultLimits()
	limits.SendPerSession, limits.ReceivePerSession, limits.SendPerMachine = 1e9, 1e9, 1e9
	begin := func(name string) *running {
		n, err := tryWith(b, Options{Walky: &limits}, b.TempDir(), "COLLIE_LABEL="+name)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	atlas, juno, iris := begin("atlas"), begin("juno"), begin("iris")
	for _, n := range []*running{juno, iris} {
		invite := post[control.Invite](b, atlas, "/crew/invite", control.InviteRequest{})
		post[control.Joined](b, n, "/crew/join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token})
	}
	pipe, lines := linesOf(b)
	post[control.ID](b, iris, "/panes", control.PaneNew{Command: []string{"/bin/sh", "-c", "exec cat >" + pipe}, Harness: "agent"})
	for _, way := range []struct {
		name string
		from *running
	}{{"local", iris}, {"member-to-member", juno}} {
		from, to := way.from, ""
		eventually(b, "the address of iris's session", func() bool {
			for _, s := range get[[]control.WalkySession](b, from, "/walky/who") {
				to = s.Address
			}
			return to != ""
		})
		b.Run(way.name, func(b *testing.B) {
			var typed, answered []time.Duration
			for b.Loop() {
				began := time.Now()
				receipt := post[control.WalkyReceipt](b, from, "/walky/send", control.WalkySend{To: to, Body: "the build is green", WaitMs: 10_000})
				answered = append(answered, time.Since(began))
				if receipt.State != "delivered" {
					b.Fatalf("receipt %+v", receipt)
				}
				typed = append(typed, (<-lines).Sub(began))
			}
			b.ReportMetric(0, "ns/op")
			for what, times := range map[string][]time.Duration{"typed": typed, "receipt": answered} {
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, what+"-p50-ms")
				b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, what+"-p99-ms")
			}
		})
	}
}

// linesOf makes a pipe for the output of a program, and tells when each line of it
// came.
func linesOf(b *testing.B) (path string, lines <-chan time.Time) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "lines")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		b.Fatal(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDWR, 0) // which waits for nobody
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = pipe.Close() })
	came := make(chan time.Time, 16)
	go func() { // ends with the pipe
		for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
			came <- time.Now()
		}
	}()
	return path, came
}
