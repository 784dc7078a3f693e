package walky

import "time"

// caps count messages in a sliding window. What is over a cap is refused and
// not counted, so that trying too often does not make the wait longer.
//
// A key is forgotten with its last message, so there are never more keys than
// messages in one window, which the caps of the machines bound. The station's
// lock guards all of it.
type caps struct {
	window time.Duration
	seen   map[capKey][]time.Time // the oldest first
	swept  time.Time
}

type capKey struct {
	kind capKind
	name string
}

type capKind uint8

const (
	fromMachine capKind = iota
	fromSession
	toSession
	recallsBy
)

// A capped key may have most messages in a window.
type capped struct {
	key  capKey
	most int
}

// take counts a message under every key, or under none and says how long to
// wait.
func (c *caps) take(now time.Time, keys ...capped) (wait time.Duration) {
	c.sweep(now)
	for _, k := range keys {
		seen := c.recent(k.key, now)
		if n := len(seen); n >= k.most {
			wait = max(wait, seen[n-k.most].Add(c.window).Sub(now))
		}
	}
	if wait > 0 {
		return wait
	}
	for _, k := range keys {
		c.seen[k.key] = append(c.seen[k.key], now)
	}
	return 0
}

// recent drops what has left the window, and what a clock that was set back has
// put into the future: nobody is to wait for a day because of it.
func (c *caps) recent(key capKey, now time.Time) []time.Time {
	seen := c.seen[key]
	for len(seen) > 0 && (now.Sub(seen[0]) >= c.window || seen[0].After(now)) {
		seen = seen[1:]
	}
	if len(seen) == 0 {
		delete(c.seen, key)
	} else {
		c.seen[key] = seen
	}
	return seen
}

// sweep forgets idle keys, once in a window and where the clock was set back.
func (c *caps) sweep(now time.Time) {
	if since := now.Sub(c.swept); since >= 0 && since < c.window {
		return
	}
	c.swept = now
	for key := range c.seen {
		c.recent(key, now)
	}
}
