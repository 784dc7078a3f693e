package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"collie/node/control"
	"collie/node/walky"
)

// BenchmarkMessage measures a message from the command's call to the receipt
// that says it was typed: on one machine, and from a member over the lead to
// another one. Three nodes in one process over loopback, real panes, journals and
// audit logs synced.
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
	post[control.ID](b, iris, "/panes", control.PaneNew{Command: []string{"cat"}, Harness: "agent"})
	for name, from := range map[string]*running{"local": iris, "member to member": juno} {
		var to string
		eventually(b, "the address of iris's session", func() bool {
			for _, s := range get[[]control.WalkySession](b, from, "/walky/who") {
				to = s.Address
			}
			return to != ""
		})
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				receipt := post[control.WalkyReceipt](b, from, "/walky/send", control.WalkySend{To: to, Body: "the build is green", WaitMs: 10_000})
				times = append(times, time.Since(began))
				if receipt.State != "delivered" {
					b.Fatalf("receipt %+v", receipt)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
