package mesh_test

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go/testutils/simnet"
)

var weather = flag.Duration("weather", 20*time.Minute, "how long the link of TestALinkInBadWeatherIsNotShownAsDown is watched")

// Every fifth packet is lost, and each takes 300 ms: a link that is idle is not
// shown as down for that.
func TestALinkInBadWeatherIsNotShownAsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex // guards random
		random := rand.New(rand.NewPCG(1, 1))
		net := &network{}
		calm := true
		net.seen = func(p simnet.Packet) bool {
			mu.Lock()
			defer mu.Unlock()
			if calm {
				return true
			}
			if random.IntN(5) > 0 {
				late := p
				late.Data = append([]byte(nil), p.Data...)
				time.AfterFunc(300*time.Millisecond, func() { _ = net.PerfectRouter.SendPacket(late) }) // a network promises nothing
			}
			return false
		}
		lead, member := linkedOver(t, net)
		mu.Lock()
		calm = false
		mu.Unlock()
		changed, stop := lead.endpoint.Watch(member.fp())
		defer stop()
		shown, over := 0, time.After(*weather)
		since := lead.endpoint.LinkState(member.fp()).Since
		for {
			select {
			case <-changed:
				if l := lead.endpoint.LinkState(member.fp()); !l.Up && l.Since != since {
					shown++
					since = l.Since
					t.Logf("down at %v: %s", time.Now(), l.Reason)
				}
				continue
			case <-over:
			}
			break
		}
		if shown > 0 {
			t.Errorf("it was shown as down %d times in %v", shown, *weather)
		}
		mu.Lock()
		defer mu.Unlock()
		calm = true
	})
}
