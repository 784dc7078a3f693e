package node

import (
	"sync"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
)

const (
	// attachedInterval is how long what is done in an attached terminal may wait for
	// its line in the audit log.
	attachedInterval = 2 * time.Second
	// attachedKeys is how many keys one line has.
	attachedKeys = audit.MaxWhatChars
)

// An attachLog writes one kind of what somebody does in an attached terminal to
// the audit log. The first act after a pause has its line before it is done. Those
// that follow closely share one, on the disk after attachedInterval at most: a line
// for each key would be most of the log, and one that waits for the disk would be
// felt. Once a line cannot be written every further act is refused, and fail is
// called.
type attachLog struct {
	log    *audit.Log
	action string
	id     pane.ID
	fail   func(error)

	mu     sync.Mutex // guards what follows; not held while the disk is waited for
	acts   int        // that no line has yet
	keys   []string   // of theirs
	timer  *time.Timer
	busy   bool // a line was written, and the timer runs
	failed bool
	sync   func() error // of the last line, which takes those before along; nil: on the disk
}

// note takes an act before it is done, with the keys that it types.
func (a *attachLog) note(keys []string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed {
		return api.ErrAuditUnavailable
	}
	a.acts++
	a.keys = append(a.keys, keys...)
	if !a.busy || len(a.keys) >= attachedKeys {
		a.write("accepted")
	}
	if a.failed {
		return api.ErrAuditUnavailable
	}
	if !a.busy {
		a.busy = true
		a.timer = time.AfterFunc(attachedInterval, a.turn)
	}
	return nil
}

// write adds a line for the acts that have none. The lock is held.
func (a *attachLog) write(outcome string) {
	if a.acts == 0 || a.failed {
		return
	}
	sync, err := a.log.Add(audit.Entry{Action: a.action, Pane: string(a.id), Via: "cli", What: audit.Typed(a.keys), Outcome: outcome})
	if err != nil {
		a.fails(err)
		return
	}
	a.acts, a.keys, a.sync = 0, nil, sync
}

// fails ends all of it. The lock is held.
func (a *attachLog) fails(err error) {
	if !a.failed {
		a.failed = true
		a.fail(err)
	}
}

// turn writes what came since, has it on the disk, and goes on while anything comes.
func (a *attachLog) turn() {
	a.mu.Lock()
	idle := a.acts == 0
	a.write("accepted")
	if a.busy = !idle && !a.failed; a.busy {
		a.timer.Reset(attachedInterval)
	}
	a.mu.Unlock()
	a.toDisk()
}

// toDisk waits until every line so far is on the disk.
func (a *attachLog) toDisk() {
	a.mu.Lock()
	sync := a.sync
	a.sync = nil
	a.mu.Unlock()
	if sync == nil {
		return
	}
	if err := sync(); err != nil {
		a.mu.Lock()
		a.fails(err)
		a.mu.Unlock()
	}
}

// refused notes that the last act did not reach the pane.
func (a *attachLog) refused(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write("accepted")
	a.acts = 1
	a.write(api.AsError(paneError(err)).Code)
}

// close writes what has no line yet, and waits for the disk.
func (a *attachLog) close() {
	a.mu.Lock()
	if a.timer != nil {
		a.timer.Stop()
	}
	a.write("accepted")
	a.mu.Unlock()
	a.toDisk()
}
