package journal

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Messages of 1 KiB a second, each synced before its writer goes on. With one
// writer that is what append and fsync cost; with more they share the syncs.
func BenchmarkAppend(b *testing.B) {
	for _, origins := range []int{1, 50} {
		for _, writers := range []int{1, 16, 128} {
			b.Run(fmt.Sprintf("origins=%d/writers=%d", origins, writers), func(b *testing.B) {
				limits := testLimits()
				limits.SegmentLines, limits.SegmentBytes = 1e6, 1<<40
				j, err := Open(filepath.Join(b.TempDir(), "journal"), limits, hours(), slog.New(slog.DiscardHandler), func(Line) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = j.Close() }()
				data := []byte(`{"body":"` + strings.Repeat("x", 1000) + `"}`)
				var n atomic.Int64
				b.SetParallelism(writers)
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						i := n.Add(1)
						l := Line{Origin: fmt.Sprintf("m%d", i%int64(origins)), ID: fmt.Sprintf("ID%d", i), At: start, Opens: true, Data: data}
						if err := j.Append(l); err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			})
		}
	}
}
