package walky

import (
	"testing"
	"testing/synctest"
	"time"
)

// After a start nobody knows how old a line is, so a node that ends again within ten
// minutes forgets nothing; what it takes is bounded all the same.
func TestANodeThatStartsAgainAndAgainBoundsItsJournalAndForgetsNothingYoung(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		small := func(c *Config) {
			unlimited(c)
			c.Limits.Journal.Lines, c.Limits.Journal.SegmentLines = 20, 5
		}
		const most = 10 * 20
		m := newMachine(t, small, agent("p1"), agent("p2"))
		var taken Receipt
		for run := 0; ; run++ {
			if run == 100 {
				t.Fatal("nothing bounds the journal")
			}
			r := Receipt{}
			for range 10 {
				if r = m.send(in("p2"), m.address("p1"), "x"); r.State == Refused {
					break
				}
				taken = r
			}
			if r.State == Refused {
				wantReceipt(t, r, Refused, ReasonBusy)
				if r.Wait != 10*time.Minute {
					t.Errorf("it is to wait for %s", r.Wait)
				}
				break
			}
			time.Sleep(9 * time.Minute)
			m = m.restart(small)
		}
		if lines := m.journal.Lines(); lines < most || lines > most+5 {
			t.Errorf("the journal has %d lines, want %d and those of one message", lines, most)
		}
		m = m.restart(small)
		time.Sleep(9 * time.Minute)
		m.wantState(taken.ID, Delivered)
		wantReceipt(t, m.send(in("p2"), m.address("p1"), "x"), Refused, ReasonBusy)
		time.Sleep(time.Minute)
		wantReceipt(t, m.send(in("p2"), m.address("p1"), "x"), Delivered, "")
		if lines := m.journal.Lines(); lines > 20+5 {
			t.Errorf("the journal has %d lines once it may forget", lines)
		}
	})
}
