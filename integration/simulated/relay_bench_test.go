package simulated

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"collie/crypto/statement"
	"collie/node/link"
	"collie/node/walky"
)

// Messages of twenty members that one lead passes on, the whole way: each comes
// in over QUIC, is opened, journaled, attested, handed on over QUIC, and its
// receipt journaled and answered. Beside it what the same exchanges cost when
// nothing is behind them. All ends of the links share the processors with the
// lead; the packets cross no kernel. What the receivers do is not in it: they
// answer at once.
func BenchmarkRelayThroughOneLead(b *testing.B) {
	limits := walky.DefaultLimits()
	limits.SendPerSession, limits.ReceivePerSession, limits.SendPerMachine = 1e9, 1e9, 1e9
	limits.Journal.Lines, limits.Journal.SegmentLines, limits.Journal.SegmentBytes = 1e9, 1e6, 1<<30
	var network Network
	lead := NewLeadWith(b, &network, "barn", Options{Walky: &limits})
	const most = 20
	members := make([]*Node, most)
	for i := range members {
		members[i] = NewMember(b, &network, lead, fmt.Sprint("member-", i), Options{})
		members[i].Instead("/walky/deliver", http.HandlerFunc(deliveredAtOnce))
	}
	lead.Instead("/echo", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{}")
	}))
	body := strings.Repeat("a line of forty characters of a report.\n", 25) // 1,000 bytes
	envelopes := make([]walky.Envelope, b.N)
	ids := make([]string, b.N)
	for i := range envelopes {
		from, to := members[i%most], members[(i+1)%most]
		ids[i] = walky.DoorID(time.Now(), fmt.Sprint(i))
		var err error
		envelopes[i], err = walky.Seal(from.Identity, from.Store.Crew().ID, from.ID(), walky.Outgoing{
			ID: ids[i], To: walky.Address{Machine: to.ID(), Pane: "p1", Token: "k3f9"}, Body: ids[i] + body[len(ids[i]):], SentAt: time.Now(),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	relayed := together(b, func(i int) error {
		receipt, err := link.Send(b.Context(), members[i%most].Transport(lead), "/walky/send", ids[i], envelopes[i])
		if err == nil && receipt.State != walky.Delivered {
			err = fmt.Errorf("receipt is %+v", receipt)
		}
		return err
	})
	b.StopTimer()
	echoed := together(b, func(i int) error {
		var answer struct{}
		return link.Call(b.Context(), members[i%most].Transport(lead), "/echo", envelopes[i], &answer)
	})
	b.ReportMetric(relayed, "messages/s")
	b.ReportMetric(echoed, "bare-exchanges/s")
	b.ReportMetric(echoed/relayed, "exchanges/message")
}

// together does the work of a benchmark, 64 at once, and returns how much a second.
func together(b *testing.B, do func(i int) error) float64 {
	b.Helper()
	began := time.Now()
	var next atomic.Int64
	var work sync.WaitGroup
	for range 64 {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				if err := do(int(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	return float64(b.N) / time.Since(began).Seconds()
}

// deliveredAtOnce stands for a receiver whose pane is free. A body begins with the
// id of its message.
func deliveredAtOnce(w http.ResponseWriter, r *http.Request) {
	var delivery walky.Delivery
	if err := json.NewDecoder(r.Body).Decode(&delivery); err != nil || len(delivery.Body) < statement.MessageIDLen {
		http.Error(w, "not a delivery", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(walky.Receipt{ID: delivery.Body[:statement.MessageIDLen], State: walky.Delivered, At: time.Now()})
}
