package walky

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"collie/crypto/atomicfile"
)

func TestTokenLivesAsLongAsTheProgramInItsPane(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	first, other := m.address("p1"), m.address("p2")
	if m.address("p1") != first {
		t.Fatal("the token changed though nothing else did")
	}
	m = m.restart(nil)
	if m.address("p1") != first || m.address("p2") != other {
		t.Fatal("the tokens did not survive a restart")
	}
	m.terminal.run("p1", "codex 7", "codex")
	second := m.address("p1")
	if second == first || m.address("p2") != other {
		t.Fatalf("p1 has %s after %s, p2 %s after %s", second, first, m.address("p2"), other)
	}
	m.terminal.run("p1", "claude 1", "claude")
	if third := m.address("p1"); third == second {
		t.Fatal("going back to the first program kept the token")
	}
}

func TestTokenIsDrawnAgainWhenTheProgramBeginsAnotherSession(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"))
	first := m.address("p1")
	m.terminal.tell("p1", "one")
	if got := m.address("p1"); got != first {
		t.Fatalf("its first word about its session made %s of %s", got, first)
	}
	m = m.restart(nil)
	m.terminal.tell("p1", "") // nobody has said yet
	if got := m.address("p1"); got != first {
		t.Fatalf("a restart made %s of %s", got, first)
	}
	m.terminal.tell("p1", "two")
	second := m.address("p1")
	if second == first {
		t.Fatal("another session has the token of the one before")
	}
	wantReceipt(t, m.send(operator, first, "for the first"), Refused, ReasonGone)
}

func TestInstanceIsForgottenWithItsPane(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, agent("p1"), agent("p2"))
	m.address("p1")
	m.terminal.mu.Lock()
	m.terminal.sessions = m.terminal.sessions[:1]
	m.terminal.mu.Unlock()
	m.address("p1")
	data, err := os.ReadFile(filepath.Join(m.folder, "instances.json"))
	if err != nil || !strings.Contains(string(data), `"p1"`) || strings.Contains(string(data), `"p2"`) {
		t.Fatalf("instances.json is %s, %v", data, err)
	}
}

func TestPanesAboveTheBoundHaveNoAddress(t *testing.T) {
	t.Parallel()
	m := newMachine(t, func(c *Config) { c.Limits.Panes = 2 }, agent("p1"), agent("p2"), agent("p3"), Session{Pane: "p/4"})
	peers, err := m.Who(t.Context(), operator)
	if err != nil || len(peers) != 2 {
		t.Fatalf("%d peers, %v; want 2", len(peers), err)
	}
}

func TestDamagedInstancesFileIsSetAsideWithItsBytesAndSaid(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data string
		want error
	}{
		"version":    {`{"version":9,"instances":[]}`, atomicfile.ErrVersion},
		"cut":        {`{"version":1,"instances":[{"pane":"p1"`, atomicfile.ErrJSON},
		"token":      {`{"version":1,"instances":[{"pane":"p1","program":"x","token":"k3f0"}]}`, ErrInstances},
		"pane":       {`{"version":1,"instances":[{"pane":"p 1","program":"x","token":"k3f9"}]}`, ErrInstances},
		"pane twice": {`{"version":1,"instances":[{"pane":"p1","program":"x","token":"k3f9"},{"pane":"p1","program":"y","token":"k3f8"}]}`, ErrInstances},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "instances.json")
			if err := os.WriteFile(path, []byte(test.data), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readInstances(path); !errors.Is(err, test.want) || !strings.Contains(err.Error(), path) {
				t.Fatalf("it is refused with %v, want %v with the path", err, test.want)
			}
			var log bytes.Buffer
			now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
			s, err := New(Config{
				Folder: folder, Terminal: newTestTerminal(agent("p1")), Limits: DefaultLimits(), Now: func() time.Time { return now }, Rand: rand.Reader,
				Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if peers, err := s.Who(t.Context(), operator); err != nil || len(peers) != 1 {
				t.Errorf("%d peers, %v; want 1 with a new token", len(peers), err)
			}
			aside := path + ".refused-20261130T120000.000Z"
			if data, err := os.ReadFile(aside); err != nil || string(data) != test.data {
				t.Errorf("set aside is %q, %v", data, err)
			}
			if !strings.Contains(log.String(), aside) {
				t.Errorf("the log does not say it: %s", log.String())
			}
		})
	}
}

func TestNewTokenIsNotTheOneThatThePaneHad(t *testing.T) {
	t.Parallel()
	// The source gives the same four characters twice, then others.
	random := bytes.NewReader([]byte{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2})
	i, err := openInstances(filepath.Join(t.TempDir(), "instances.json"), 10, random, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	terminal := newTestTerminal(agent("p1"))
	if s, err := i.observe(context.Background(), terminal); err != nil || s[0].Token != "3333" {
		t.Fatalf("observe = %+v, %v", s, err)
	}
	terminal.run("p1", "claude 2", "claude")
	if s, err := i.observe(context.Background(), terminal); err != nil || s[0].Token != "4444" {
		t.Fatalf("observe = %+v, %v; want 4444", s, err)
	}
}

func TestLimitsThatContradictEachOtherAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Limits){
		"no body":           func(l *Limits) { l.BodyBytes = 0 },
		"huge body":         func(l *Limits) { l.BodyBytes = 1<<20 + 1 },
		"no window":         func(l *Limits) { l.Window = 0 },
		"short memory":      func(l *Limits) { l.Journal.Memory = 9 * time.Minute },
		"age below holding": func(l *Limits) { l.Journal.Age = time.Hour },
	} {
		l := DefaultLimits()
		change(&l)
		if _, err := New(Config{Limits: l}); !errors.Is(err, ErrLimits) {
			t.Errorf("%s: %v, want ErrLimits", name, err)
		}
	}
}

func TestADiskThatRefusesTheTokensStopsNoLookAndGetsThemLater(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "instances.json")
	var log bytes.Buffer
	i, err := openInstances(path, 10, rand.Reader, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil { // no file can take its place
		t.Fatal(err)
	}
	terminal := newTestTerminal(agent("p1"))
	var token string
	for range 3 {
		s, err := i.observe(t.Context(), terminal)
		if err != nil || len(s) != 1 || token != "" && s[0].Token != token {
			t.Fatalf("observe = %+v, %v; want p1 with one token, %q", s, err, token)
		}
		token = s[0].Token
	}
	if said := strings.Count(log.String(), "level=ERROR"); said != 1 {
		t.Errorf("it is said %d times, want once: %s", said, log.String())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := i.observe(t.Context(), terminal); err != nil {
		t.Fatal(err)
	}
	if known, err := readInstances(path); err != nil || known["p1"].Token != token {
		t.Errorf("stored are %v, %v", known, err)
	}
}
