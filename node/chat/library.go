package chat

import (
	"context"
	"slices"
	"sync"
)

// A Library keeps the logs that were asked for last, as far as they were read.
// Each is on its own: what is asked of one changes no other.
type Library struct {
	mu   sync.Mutex // guards logs, not what is in them
	logs []*file    // the one that was asked for last at the end
}

// Page returns up to count turns of a log before one of them; see Page.
func (l *Library) Page(ctx context.Context, source Source, before string, count int) (Page, error) {
	return l.file(source).page(ctx, before, count)
}

func (l *Library) file(source Source) *file {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.logs, func(f *file) bool { return f.source == source })
	f := &file{source: source}
	if i >= 0 {
		f = l.logs[i]
		l.logs = slices.Delete(l.logs, i, i+1)
	}
	l.logs = append(l.logs, f)
	if len(l.logs) > maxLogs {
		l.logs = slices.Delete(l.logs, 0, 1)
	}
	return f
}
