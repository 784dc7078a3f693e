package site

import (
	"sync"
	"time"
)

// Tries counts what each source address tried within TriesWindow. The zero value
// works; it is safe for concurrent use.
type Tries struct {
	mu sync.Mutex
	at map[string][]time.Time // of each source, oldest first, MaxTries at most
}

// Allow reports whether source may try now, and counts it if so.
func (t *Tries) Allow(source string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil {
		t.at = make(map[string][]time.Time)
	}
	if len(t.at) >= maxSources {
		for known, at := range t.at {
			if len(recent(at, now)) == 0 {
				delete(t.at, known)
			}
		}
	}
	at, known := t.at[source]
	if !known && len(t.at) >= maxSources {
		return false
	}
	if at = recent(at, now); len(at) >= MaxTries {
		t.at[source] = at
		return false
	}
	t.at[source] = append(at, now)
	return true
}

// recent returns the times within the window that ends now. A clock that was
// set back forgets what is still to come.
func recent(at []time.Time, now time.Time) []time.Time {
	kept := at[:0:0]
	for _, t := range at {
		if age := now.Sub(t); age >= 0 && age < TriesWindow {
			kept = append(kept, t)
		}
	}
	return kept
}
