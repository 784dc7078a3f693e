package walky

import (
	"testing"
	"time"
)

// What a clock that was ahead has left is not kept until that time comes.
func TestIdleKeysAreForgottenWhereTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := caps{window: time.Minute, seen: map[capKey][]time.Time{}}
	c.take(now.AddDate(1, 0, 0), capped{capKey{toSession, "p1"}, 1})
	if wait := c.take(now, capped{capKey{toSession, "p2"}, 1}); wait != 0 || len(c.seen) != 1 {
		t.Errorf("it waits %s, and keeps %v", wait, c.seen)
	}
}
