package trust_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/crypto/secret"
	"collie/mesh/trust"
)

func TestInviteLetsOneInOnceInTime(t *testing.T) {
	t.Parallel()
	c := invited(t, founded(t), "token", start)
	end := start.Add(trust.InviteLife)
	if !c.Inviting(end.Add(-1)) || c.Inviting(end) {
		t.Error("the invite does not live ten minutes")
	}
	if err := second(trust.Admit(c, admission(t, "other", 1, "a"), start)); !errors.Is(err, trust.ErrInvite) {
		t.Errorf("a wrong token: %v", err)
	}
	if err := second(trust.Admit(c, admission(t, "token", 1, "a"), end)); !errors.Is(err, trust.ErrInviteExpired) {
		t.Errorf("too late: %v", err)
	}
	if err := second(trust.Admit(c, admission(t, "token", own, "a"), start)); !errors.Is(err, trust.ErrOwnCertificate) {
		t.Errorf("the lead's own certificate: %v", err)
	}
	next, m, err := trust.Admit(c, admission(t, "token", 1, "a"), end.Add(-1))
	if err != nil || m.ID != "a" || m.State != trust.StateUnconfirmed {
		t.Fatalf("in time: %+v, %v", m, err)
	}
	if err := second(trust.Admit(next, admission(t, "token", 2, "b"), start)); !errors.Is(err, trust.ErrInvite) {
		t.Errorf("a second time: %v", err)
	}
	if len(c.Members) != 0 || len(c.Invites) != 1 {
		t.Error("the old snapshot changed")
	}
}

func TestAtMostEightInvitesLive(t *testing.T) {
	t.Parallel()
	c := founded(t)
	for i := range trust.MaxLiveInvites {
		c = invited(t, c, fmt.Sprint(i), start)
	}
	if err := second(trust.AddInvite(c, secret.Hash("x"), start)); !errors.Is(err, trust.ErrInvites) {
		t.Errorf("the ninth: %v", err)
	}
	later := start.Add(trust.InviteLife)
	c = invited(t, c, "x", later)
	c = trust.Sweep(c, later.Add(trust.InviteLife))
	if len(c.Invites) != 1 {
		t.Errorf("%d invites are remembered, want 1", len(c.Invites))
	}
}

func TestTwoHoldersOfOneTokenOneGetsIn(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), trust.FileName))
	if err := s.Update(set(invited(t, founded(t), "token", start))); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		a := admission(t, "token", byte(i+1), "a")
		group.Go(func() {
			errs[i] = s.Update(func(old *trust.Crew) (*trust.Crew, error) {
				next, _, err := trust.Admit(old, a, start)
				return next, err
			})
		})
	}
	group.Wait()
	in := 0
	for _, err := range errs {
		if err == nil {
			in++
		} else if !errors.Is(err, trust.ErrInvite) {
			t.Errorf("refused with %v", err)
		}
	}
	if in != 1 || len(s.Crew().Members) != 1 {
		t.Errorf("%d got in, %d are members", in, len(s.Crew().Members))
	}
}

func TestUnconfirmedMemberGoesAfterAMinuteAlsoOverARestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	if err := open(t, path).Update(set(crewOf(t))); err != nil {
		t.Fatal(err)
	}
	c := open(t, path).Crew()
	if at, some := trust.NextSweep(c); !some || !at.Equal(start.Add(time.Minute)) {
		t.Errorf("the next sweep is at %v, %v", at, some)
	}
	if trust.Sweep(c, start.Add(time.Minute-1)) != c {
		t.Error("it goes too early")
	}
	later, err := trust.Open(path, func() time.Time { return start.Add(time.Minute) })
	if err != nil {
		t.Fatal(err)
	}
	c = later.Crew()
	if len(c.Members) != 1 || c.Members[0].ID != "atlas" || len(c.RetiredIDs) != 1 || c.RetiredIDs[0] != "box" {
		t.Errorf("members %+v, retired %v", c.Members, c.RetiredIDs)
	}
}

func TestIDsAreMintedFromLabelsAndNeverAgain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 48)
	labels := []string{"Atlas", "atlas", "Lead: box", "Büro 2", "…", "--x--", long}
	want := []string{"atlas", "atlas-2", "lead-box-2", "b-ro-2", "node", "x", long}
	c := founded(t)
	for i, label := range labels {
		c = invited(t, c, "t", start)
		next, m, err := trust.Admit(c, admission(t, "t", byte(i+1), label), start)
		c = must(t)(next, err)
		if m.ID != want[i] {
			t.Errorf("label %q got the id %q, want %q", label, m.ID, want[i])
		}
	}
	c = invited(t, must(t)(trust.RemoveMember(c, "atlas", owner(t, own), start)), "t", start)
	_, m, err := trust.Admit(c, admission(t, "t", 1, "atlas"), start)
	if err != nil || m.ID != "atlas-3" {
		t.Errorf("the id of a removed member: got %q, %v", m.ID, err)
	}
}

func TestPinnedCertificateJoinsAgainUnderItsID(t *testing.T) {
	t.Parallel()
	c := crewOf(t)
	a := admission(t, "three", 1, "another label")
	a.Addresses = []string{"10.0.0.9:8788"}
	next, m, err := trust.Admit(c, a, start)
	if err != nil || m.ID != "atlas" || m.State != trust.StateEnrolled || len(next.Members) != 2 || m.Addresses[0] != "10.0.0.9:8788" {
		t.Errorf("joined again as %+v, %v", m, err)
	}
}

func TestAdmissionChecksWhatTheJoinerSays(t *testing.T) {
	t.Parallel()
	c := invited(t, founded(t), "t", start)
	for name, change := range map[string]func(*trust.Admission){
		"no label":           func(a *trust.Admission) { a.Label = "" },
		"two lines":          func(a *trust.Admission) { a.Label = "a\nb" },
		"a bidi mark":        func(a *trust.Admission) { a.Label = "a\u202eb" },
		"a long label":       func(a *trust.Admission) { a.Label = strings.Repeat("a", 49) },
		"no port":            func(a *trust.Admission) { a.Addresses = []string{"host"} },
		"too many addresses": func(a *trust.Admission) { a.Addresses = strings.Split(strings.Repeat("h:1,", 8)+"h:1", ",") },
	} {
		a := admission(t, "t", 1, "a")
		change(&a)
		if err := second(trust.Admit(c, a, start)); !errors.Is(err, trust.ErrLabel) && !errors.Is(err, trust.ErrAddress) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConfirmIsDoneOnce(t *testing.T) {
	t.Parallel()
	c := crewOf(t)
	next := must(t)(trust.Confirm(c, node(t, 2).Fingerprint, 1))
	if m, _ := next.Member("box"); m.State != trust.StateEnrolled || m.SecretGeneration != 1 {
		t.Errorf("confirmed it is %+v", m)
	}
	if must(t)(trust.Confirm(next, node(t, 2).Fingerprint, 1)) != next {
		t.Error("confirming again is a change")
	}
	if err := last(trust.Confirm(c, node(t, 9).Fingerprint, 1)); !errors.Is(err, trust.ErrNoMember) {
		t.Errorf("a stranger confirms: %v", err)
	}
}
