package walky

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/node/trust"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testTerminal is panes that remember what was typed into them.
type testTerminal struct {
	mu       sync.Mutex
	sessions []Session
	busy     map[string]bool
	lines    map[string][]string // by pane
	// typing, when set, is called between the first byte and Enter.
	typing func(pane string) error
	tries  int
}

func newTestTerminal(sessions ...Session) *testTerminal {
	return &testTerminal{sessions: sessions, busy: map[string]bool{}, lines: map[string][]string{}}
}

func agent(pane string) Session {
	return Session{Pane: pane, Label: "agent " + pane, Harness: "claude", Status: "idle", Program: "claude 1"}
}

func (t *testTerminal) Sessions(ctx context.Context) ([]Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.sessions), ctx.Err()
}

func (t *testTerminal) Type(_ context.Context, pane, line string, stillThere func() bool) error {
	t.mu.Lock()
	t.tries++
	busy, typing := t.busy[pane], t.typing
	t.mu.Unlock()
	if busy {
		return ErrBusy
	}
	if !stillThere() {
		return ErrGone
	}
	if typing != nil {
		if err := typing(pane); err != nil {
			return err
		}
	}
	if !stillThere() {
		return ErrGone
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines[pane] = append(t.lines[pane], line)
	return nil
}

func (t *testTerminal) setBusy(pane string, busy bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy[pane] = busy
}

// run puts another program into a pane.
func (t *testTerminal) run(pane, program, harness string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.sessions {
		if t.sessions[i].Pane == pane {
			t.sessions[i].Program, t.sessions[i].Harness = program, harness
		}
	}
}

// tell has the program of a pane say what it calls its session.
func (t *testTerminal) tell(pane, session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.sessions {
		if t.sessions[i].Pane == pane {
			t.sessions[i].Told = session
		}
	}
}

// end ends the program of a pane, and the pane with it.
func (t *testTerminal) end(pane string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions = slices.DeleteFunc(t.sessions, func(s Session) bool { return s.Pane == pane })
}

func (t *testTerminal) typed(pane string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines[pane])
}

// machine is a station with what it is made of.
type machine struct {
	*Station
	t        *testing.T
	folder   string
	terminal *testTerminal
	log      *bytes.Buffer
}

func newMachine(t *testing.T, change func(*Config), sessions ...Session) *machine {
	t.Helper()
	return startMachine(t, filepath.Join(t.TempDir(), "walky"), newTestTerminal(sessions...), change)
}

func startMachine(t *testing.T, folder string, terminal *testTerminal, change func(*Config)) *machine {
	t.Helper()
	m := &machine{t: t, folder: folder, terminal: terminal, log: &bytes.Buffer{}}
	c := Config{
		Folder: folder, Terminal: terminal, Limits: DefaultLimits(), Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.NewTextHandler(&lockedBuffer{to: m.log}, nil)),
	}
	if change != nil {
		change(&c)
	}
	station, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	m.Station = station
	t.Cleanup(m.stop)
	return m
}

func (m *machine) stop() {
	m.t.Helper()
	if err := m.Close(); err != nil {
		m.t.Error(err)
	}
}

// restart ends the station as SIGTERM would and starts it again.
func (m *machine) restart(change func(*Config)) *machine {
	m.t.Helper()
	m.stop()
	return startMachine(m.t, m.folder, m.terminal, change)
}

// copyState is what a crash at this moment leaves on the disk.
func (m *machine) copyState() string {
	m.t.Helper()
	folder := filepath.Join(m.t.TempDir(), "walky")
	if err := os.CopyFS(folder, os.DirFS(m.folder)); err != nil {
		m.t.Fatal(err)
	}
	return folder
}

// address is that of the session in a pane, now.
func (m *machine) address(pane string) Address {
	m.t.Helper()
	sessions, err := m.observe(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	s, ok := find(sessions, pane)
	if !ok {
		m.t.Fatalf("no pane %s", pane)
	}
	return Address{Pane: pane, Token: s.Token}
}

func (m *machine) send(from Sender, to Address, body string) Receipt {
	m.t.Helper()
	r, err := m.Send(m.t.Context(), from, to, body, "")
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func (m *machine) wantState(id string, want State) {
	m.t.Helper()
	r, err := m.Wait(m.t.Context(), id)
	if err != nil || r.State != want {
		m.t.Fatalf("message %s is %s %q, %v; want %s", id, r.State, r.Reason, err, want)
	}
}

func wantReceipt(t *testing.T, r Receipt, state State, reason string) {
	t.Helper()
	if r.State != state || r.Reason != reason {
		t.Fatalf("receipt is %s %q, want %s %q", r.State, r.Reason, state, reason)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	to *bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.to.Write(p)
}

var operator = Sender{Label: "", Level: trust.Operator}

func in(pane string) Sender { return Sender{Pane: pane, Level: trust.Participant} }

func unlimited(c *Config) {
	c.Limits.SendPerSession, c.Limits.ReceivePerSession, c.Limits.SendPerMachine = 1e6, 1e6, 1e6
}

func (m *machine) receiptOf(id string) Receipt {
	m.t.Helper()
	r, err := m.Wait(m.t.Context(), id)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// until waits for what another goroutine does.
func (m *machine) until(what string, holds func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			m.t.Fatalf("never came: %s", what)
		}
	}
}

// delivers waits until a message is delivered.
func (m *machine) delivers(id string) {
	m.t.Helper()
	m.until("message "+id, func() bool { return m.receiptOf(id).State == Delivered })
}
