package chat

import (
	"context"
	"slices"
	"sync"
)

// A log is one session as far as it was read.
type log interface {
	of() Source
	page(ctx context.Context, before string, count int) (Page, error)
	// image returns a picture that a page of it named, or ErrNoImage.
	image(ctx context.Context, hash string) ([]byte, error)
}

// A Library keeps the logs that were asked for last, as far as they were read.
// Each is on its own: what is asked of one changes no other.
type Library struct {
	mu   sync.Mutex // guards logs, not what is in them
	logs []log      // the one that was asked for last at the end
}

// Page returns up to count turns of a log before one of them; see Page.
func (l *Library) Page(ctx context.Context, source Source, before string, count int) (Page, error) {
	return l.log(source).page(ctx, before, count)
}

func (l *Library) log(source Source) log {
	l.mu.Lock()
	defer l.mu.Unlock()
	var asked log
	if i := slices.IndexFunc(l.logs, func(known log) bool { return known.of() == source }); i >= 0 {
		asked = l.logs[i]
		l.logs = slices.Delete(l.logs, i, i+1)
	} else if source.Harness == "opencode" {
		asked = &database{source: source}
	} else {
		asked = &file{source: source}
	}
	l.logs = append(l.logs, asked)
	if len(l.logs) > maxLogs {
		l.logs = slices.Delete(l.logs, 0, 1)
	}
	return asked
}
