package node

import (
	"path/filepath"
	"testing"
	"time"

	"collie/node/audit"
)

// BenchmarkAttachedKey is what the log costs a key, beside a line of its own for
// each key that waits for the disk.
func BenchmarkAttachedKey(b *testing.B) {
	log, err := audit.Open(filepath.Join(b.TempDir(), "audit.log"), audit.Options{Content: audit.Preview})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	a := &attachLog{log: log, action: "pane.keys", id: "p1", fail: func(err error) { b.Error(err) }}
	defer a.close()
	var own time.Duration
	n := 0
	for b.Loop() {
		if err := a.note([]string{"•"}); err != nil {
			b.Fatal(err)
		}
		if n++; n%1000 == 1 { // now and then, for it is slow
			b.StopTimer()
			began := time.Now()
			if err := log.Write(audit.Entry{Action: "pane.keys", Pane: "p1", Outcome: "accepted"}); err != nil {
				b.Fatal(err)
			}
			own += time.Since(began)
			b.StartTimer()
		}
	}
	each := float64(own) / float64((n+999)/1000)
	b.ReportMetric(each/(float64(b.Elapsed())/float64(n)), "times-faster")
}
