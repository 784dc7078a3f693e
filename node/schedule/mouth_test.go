package schedule

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/walky"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mouth is a station that notes what is posted, once for each id.
type mouth struct {
	mu     sync.Mutex
	said   []walky.Post
	at     []time.Time
	refuse walky.Receipt
	err    error
}

func (m *mouth) post(_ context.Context, p walky.Post) (walky.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil || m.refuse.State != "" {
		return m.refuse, m.err
	}
	for _, earlier := range m.said {
		if earlier.ID == p.ID {
			return walky.Receipt{ID: p.ID, State: walky.Delivered}, nil
		}
	}
	m.said, m.at = append(m.said, p), append(m.at, time.Now())
	return walky.Receipt{ID: p.ID, State: walky.Delivered}, nil
}

func (m *mouth) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *mouth) admit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuse = walky.Receipt{}
}

// texts returns what was said.
func (m *mouth) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, p := range m.said {
		all = append(all, p.Body)
	}
	return all
}

func newAgenda(folder string, m *mouth, now func() time.Time) *Agenda {
	return Open(Config{Folder: folder, Post: m.post, Now: now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
}

// running runs an agenda until the function that is returned is called.
func running(t *testing.T, a *Agenda) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// nobody has ended.
func nobody(walky.Address) bool { return false }

var (
	p1      = walky.Address{Pane: "p1"}
	session = walky.Address{Pane: "p1", Token: "k3f9"}
)

func mustAdd(t *testing.T, a *Agenda, name, cron, text string) {
	t.Helper()
	if _, err := a.Add(name, cron, p1, text); err != nil {
		t.Fatal(err)
	}
}
