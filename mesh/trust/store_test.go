package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

func TestSoloNodeHasNoFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	s := open(t, path)
	if s.Crew() != nil || s.Crew().Grade(node(t, 1).Fingerprint) != trust.GradeNone || s.Crew().Inviting(start) {
		t.Error("a solo node knows somebody")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening made a file")
	}
}

func TestStoredCrewComesBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	if err := open(t, path).Update(set(crewOf(t))); err != nil {
		t.Fatal(err)
	}
	c := open(t, path).Crew()
	if c.ID != (statement.CrewID{1}) || c.Name != "barn" || c.SelfID != "lead-box" || c.SelfLabel != "Lead box" || c.Role != trust.RoleLead {
		t.Errorf("crew is %+v", c)
	}
	for number, want := range map[byte]string{own: "/", 1: "atlas/member", 2: "box/unconfirmed", 3: "/"} {
		if id, grade := c.Pin(node(t, number).Fingerprint); id+"/"+string(grade) != want {
			t.Errorf("node %d is %s/%s, want %s", number, id, grade, want)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || bytes.Contains(data, []byte("three")) {
		t.Errorf("the file shows a token, or cannot be read: %v", err)
	}
}

func TestFailingDiskGrantsNothingAndTakesAllTheSame(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s persists %v", step, persist), func(t *testing.T) {
				t.Parallel()
				s, disk, path := failing(t, step, persist)
				// One change that takes atlas out, confirms box and lets node 3 in.
				err := s.Update(func(old *trust.Crew) (*trust.Crew, error) {
					next, _, err := trust.Admit(old, admission(t, "three", 3, "new"), start)
					next = must(t)(trust.Confirm(must(t)(next, err), node(t, 2).Fingerprint, 1))
					return trust.RemoveMember(next, "atlas", owner(t, own), start)
				})
				if !errors.Is(err, diskfault.ErrFault) {
					t.Fatalf("the error is %v", err)
				}
				got := fmt.Sprintf("%q %q %q %v", s.Crew().Grade(node(t, 1).Fingerprint), s.Crew().Grade(node(t, 2).Fingerprint),
					s.Crew().Grade(node(t, 3).Fingerprint), s.Crew().Inviting(start))
				if want := `"" "unconfirmed" "" false`; got != want {
					t.Errorf("live: %s, want %s", got, want)
				}
				disk.Heal()
				// The next change writes the loss as well.
				if err := s.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.Confirm(old, node(t, 2).Fingerprint, 1) }); err != nil {
					t.Fatal(err)
				}
				again := open(t, path).Crew()
				if again.Grade(node(t, 1).Fingerprint) != trust.GradeNone || again.Grade(node(t, 2).Fingerprint) != trust.GradeMember {
					t.Errorf("read again: %+v", again.Members)
				}
			})
		}
	}
}

func TestLeavingIsSoloAlsoWhenTheDiskRefuses(t *testing.T) {
	t.Parallel()
	s, _, _ := failingWith(t, founded(t), diskfault.Remove, false)
	if err := s.Update(trust.Leave); !errors.Is(err, diskfault.ErrFault) || s.Crew() != nil {
		t.Errorf("left with %v, crew %v", err, s.Crew())
	}
}

func TestInvalidChangeChangesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), trust.FileName))
	if err := s.Update(set(founded(t))); err != nil {
		t.Fatal(err)
	}
	before := s.Crew()
	bad := *before
	bad.Secret = nil
	if err := s.Update(set(&bad)); !errors.Is(err, trust.ErrInvalid) || s.Crew() != before {
		t.Errorf("an invalid crew: %v", err)
	}
	refusal := errors.New("no")
	if err := s.Update(func(*trust.Crew) (*trust.Crew, error) { return nil, refusal }); !errors.Is(err, refusal) || s.Crew() != before {
		t.Errorf("a refused change: %v", err)
	}
}

func TestWatchersGetOneSignalForWhatTheyMissed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), trust.FileName))
	changed, stop := s.Watch()
	for _, c := range []*trust.Crew{founded(t), crewOf(t)} {
		if err := s.Update(set(c)); err != nil {
			t.Fatal(err)
		}
	}
	<-changed
	select {
	case <-changed:
		t.Error("a second signal")
	default:
	}
	if err := s.Update(func(old *trust.Crew) (*trust.Crew, error) { return old, nil }); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := s.Update(set(founded(t))); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
		t.Error("a signal for no change, or after stop")
	default:
	}
}
