package mesh_test

import (
	"sync"
	"testing"
	"time"
)

func TestOfSeveralWhoDialAPeerAtOnceOneDoes(t *testing.T) {
	t.Parallel()
	lead, member := linked(t)
	member.stop()
	lead.await(member, "down", down)
	member.processID = "another one"
	member.run() // it does not dial
	var (
		mu    sync.Mutex // guards links
		links = map[time.Time]bool{}
		group sync.WaitGroup
	)
	for range 8 {
		group.Go(func() {
			if err := lead.endpoint.Dial(t.Context(), member.fp(), []string{member.address()}); err != nil {
				t.Errorf("Dial: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			links[lead.endpoint.LinkState(member.fp()).Since] = true
		})
	}
	group.Wait()
	if len(links) != 1 {
		t.Errorf("they got %d links", len(links))
	}
}
