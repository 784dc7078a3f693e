package audit

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Rebuilt is the action of a line that the log writes about itself: what was
// recorded of the chain's ends was not what the lines before it say, and has been
// taken from them. Its outcome says how much that is worth.
const Rebuilt = "audit.rebuilt"

// Outcomes of a Rebuilt line.
const (
	// RecordMissing: there was no record, or none that could be read. Nothing
	// vouches for the end of the lines before: some may have been cut off. A crash
	// does not do that.
	RecordMissing = "record_missing"
	// RecordBehind: the record was older than the lines. A crash does that, and so
	// does whoever cuts lines off and brings an older record back.
	RecordBehind = "record_behind"
)

// resume finds the line that the next one follows: the last one that was
// recorded, and any after it whose record a crash prevented. When the recorded
// line is gone or edited the chain still goes on from it, so that the break
// stays visible. What had to be taken from the lines is owed a line that says so.
func (l *Log) resume() error {
	recorded, found, err := readEnds(l.chain)
	if err != nil {
		l.options.Log.Warn("audit log: ends of the chain are not readable, taken from the lines", "error", err)
	}
	if !found {
		return l.rebuildEnds()
	}
	l.ends = recorded
	if err := l.follow(); err != nil {
		return err
	}
	if l.ends.last.seq > recorded.last.seq {
		l.owe(RecordBehind, recorded.last.seq+1)
	}
	return l.settleAtOpen()
}

// follow walks on from the recorded line: over the current file, which has it or
// begins after it, or else over all of them.
func (l *Log) follow() error {
	recorded, there := l.ends.last, false
	advance := func(s scanned) error {
		if s.err != nil {
			return nil
		}
		at := linkOf(s.line, s.data)
		if linkBefore(s.line) == l.ends.last {
			l.ends.last, there = at, true
		}
		there = there || at == recorded
		return nil
	}
	_, err := scan(l.current, l.size, advance)
	if err != nil || there {
		return err
	}
	return l.scanAll(advance)
}

func (l *Log) scanAll(visit func(scanned) error) error {
	paths, err := rotated(l.path)
	for _, path := range append(paths, l.path) {
		if err == nil {
			_, err = scanOlder(path, visit)
		}
	}
	return err
}

// rebuildEnds takes the ends of the chain from the lines, for a log without a
// record of them. That of a new log is on the disk before there is a line.
func (l *Log) rebuildEnds() error {
	l.ends = ends{}
	known := false
	if err := l.scanAll(func(s scanned) error {
		if s.err != nil {
			return nil
		}
		if !known {
			l.ends.first, known = linkBefore(s.line), true
		}
		l.ends.last = linkOf(s.line, s.data)
		return nil
	}); err != nil {
		return err
	}
	if err := l.chain.Truncate(0); err != nil {
		return err
	}
	if known {
		l.owe(RecordMissing, l.ends.first.seq+1)
		return l.settleAtOpen()
	}
	l.saveEnds(l.ends)
	return errors.Join(l.chain.Sync(), l.options.layer.SyncFolder(filepath.Dir(l.path)))
}

// owe has a line written of what was taken from the lines from a number on.
func (l *Log) owe(outcome string, from uint64) {
	l.options.Log.Warn("audit log: the record of the chain's ends was missing or behind, and is taken from the lines",
		"file", l.path+chainSuffix, "outcome", outcome, "from", from, "to", l.ends.last.seq)
	l.owed = &Entry{Action: Rebuilt, What: ID(fmt.Sprintf("%d-%d", from, l.ends.last.seq)), Outcome: outcome}
}

// settleAtOpen is settle where a disk that takes nothing is no reason to fail.
func (l *Log) settleAtOpen() error {
	if err := l.settle(); err != nil {
		l.options.Log.Warn("audit log: the next line is written after one of the record of its ends", "error", err)
	}
	return nil
}

// settle writes the line that is owed; until it is on the disk no other line is
// taken, and the ends are not recorded.
func (l *Log) settle() error {
	if l.owed == nil {
		return nil
	}
	owed := l.owed
	undo, err := l.put(*owed)
	if err != nil {
		return err
	}
	l.owed = nil
	if err := l.sync(); err != nil {
		l.owed = owed
		return errors.Join(err, undo())
	}
	return nil
}
