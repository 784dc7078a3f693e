package walky

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A refusal is final, so nobody hears of one that the next start would not know.
func TestWhatIsRefusedAsOffIsSaidOnceItIsRecordedAndStaysSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil, agent("p1"), agent("p2"))
		m.terminal.setBusy("p1", true)
		held := m.send(in("p2"), m.address("p1"), "x")
		wantReceipt(t, held, Held, "")
		files, err := filepath.Glob(filepath.Join(m.folder, "journal", "*.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the journal is in %q, %v", files, err)
		}
		move := func(from, to string) {
			if err := os.Rename(from, to); err != nil {
				t.Error(err)
			}
		}
		var looks atomic.Int32
		m = m.restart(func(c *Config) {
			c.Off = true
			c.Now = func() time.Time { // what is read once before the journal, once for its file, and then after it
				if looks.Add(1) == 3 {
					move(files[0], files[0]+".away")
				}
				return time.Now()
			}
		})
		synctest.Wait()
		m.wantState(held.ID, Held)
		move(files[0]+".away", files[0])
		time.Sleep(m.limits.HeldRetry)
		synctest.Wait()
		wantReceipt(t, m.receiptOf(held.ID), Refused, ReasonOff)
		m.terminal.setBusy("p1", false)
		m = m.restart(nil)
		synctest.Wait()
		wantReceipt(t, m.receiptOf(held.ID), Refused, ReasonOff)
		if _, err := m.Cancel(t.Context(), operator, held.ID); !errors.Is(err, ErrNotHeld) {
			t.Errorf("cancel: %v", err)
		}
		if got := m.terminal.typed("p1"); len(got) != 0 {
			t.Errorf("typed %q", got)
		}
	})
}
