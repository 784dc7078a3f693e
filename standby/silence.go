package standby

import (
	"sync"
	"time"

	"collie/crypto/identity"
)

// A silence knows for how long each lead has not called this node. It is memory
// alone: a node that was started again knows of no call, and counts from then.
//
// Its clock has to stand still while the machine sleeps, as the monotonic part
// of time.Now does on Linux: a laptop that wakes up has not heard its lead for a
// few seconds, not for the night.
type silence struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	heard map[identity.Fingerprint]time.Time
}

func newSilence(now func() time.Time) *silence {
	return &silence{now: now, heard: map[identity.Fingerprint]time.Time{}}
}

// call notes that a lead called now. Others are forgotten: there is one at a
// time.
func (s *silence) call(lead identity.Fingerprint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.heard)
	s.heard[lead] = s.now()
}

// of returns how long a lead has been silent: since its last call, or since it
// was asked about for the first time.
func (s *silence) of(lead identity.Fingerprint) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.heard[lead]
	if !known {
		clear(s.heard)
		at = s.now()
		s.heard[lead] = at
	}
	return s.now().Sub(at)
}
