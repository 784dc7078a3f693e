package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"collie/crypto/atomicfile"
	"collie/crypto/atomicfile/diskfault"
	"collie/crypto/identity"
	"collie/crypto/secret"
	"collie/crypto/statement"
	"collie/mesh/trust"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// owners has what owner drew before, by number: drawing takes longer than all
// else that a test does.
var owners sync.Map

// owner returns an identity of its own for every number.
func owner(t testing.TB, number byte) *identity.Identity {
	t.Helper()
	if id, drawn := owners.Load(number); drawn {
		return id.(*identity.Identity)
	}
	id, err := identity.Generate(bytes.NewReader(bytes.Repeat([]byte{number}, 48)), start)
	if err != nil {
		t.Fatal(err)
	}
	owners.Store(number, id)
	return id
}

// node returns the certificate of an identity.
func node(t testing.TB, number byte) *identity.Certificate {
	t.Helper()
	id := owner(t, number)
	return &identity.Certificate{Fingerprint: id.Fingerprint(), PublicKey: id.PublicKey(), DER: id.Certificate()}
}

// the lead's own certificate
const own = 0

func founded(t testing.TB) *trust.Crew {
	t.Helper()
	return must(t)(trust.Found(nil, trust.Founding{
		ID: statement.CrewID{1}, Name: "barn", Label: "Lead box", Secret: bytes.Repeat([]byte{7}, 32),
	}))
}

func must(t testing.TB) func(*trust.Crew, error) *trust.Crew {
	return func(c *trust.Crew, err error) *trust.Crew {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func invited(t testing.TB, c *trust.Crew, token string, now time.Time) *trust.Crew {
	t.Helper()
	next, _, err := trust.AddInvite(c, secret.Hash(token), now)
	return must(t)(next, err)
}

func admission(t testing.TB, token string, number byte, label string) trust.Admission {
	return trust.Admission{Token: token, Certificate: node(t, number), Label: label, Own: node(t, own).Fingerprint}
}

// crewOf is a lead with two members, atlas (1) and box (2, unconfirmed).
func crewOf(t testing.TB) *trust.Crew {
	t.Helper()
	c := invited(t, invited(t, founded(t), "one", start), "two", start)
	c, _, err := trust.Admit(c, admission(t, "one", 1, "atlas"), start)
	c = must(t)(trust.Confirm(must(t)(c, err), node(t, 1).Fingerprint, 1))
	c, _, err = trust.Admit(c, admission(t, "two", 2, "box"), start)
	return invited(t, must(t)(c, err), "three", start)
}

func open(t testing.TB, path string) *trust.Store {
	t.Helper()
	s, err := trust.Open(path, func() time.Time { return start })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// set returns a change that ignores the old crew.
func set(c *trust.Crew) func(*trust.Crew) (*trust.Crew, error) {
	return func(*trust.Crew) (*trust.Crew, error) { return c, nil }
}

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

func TestMemberKnowsItsLeadAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	joined := trust.Joined{
		ID: statement.CrewID{1}, Name: "barn", Generation: 1, Secret: bytes.Repeat([]byte{7}, 32), SecretGeneration: 1,
		Self: trust.Self{SelfID: "atlas", SelfLabel: "atlas"},
		Lead: trust.Lead{ID: "lead", Label: "lead", Fingerprint: node(t, own).Fingerprint, Certificate: node(t, own).DER, Addresses: []string{"10.0.0.1:8788"}},
	}
	c := must(t)(trust.Join(nil, joined))
	if err := open(t, path).Update(set(c)); err != nil {
		t.Fatal(err)
	}
	c = open(t, path).Crew()
	if id, grade := c.Pin(node(t, own).Fingerprint); id != "lead" || grade != trust.GradeLead {
		t.Errorf("the lead is %s/%s", id, grade)
	}
	if c.Grade(node(t, 1).Fingerprint) != trust.GradeNone {
		t.Error("a stranger has a grade")
	}
	if _, err := trust.Join(c, joined); err != nil {
		t.Errorf("joining the same crew again: %v", err)
	}
	other := joined
	other.Lead.Fingerprint = node(t, 5).Fingerprint
	if _, err := trust.Join(c, other); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("joining another lead: %v", err)
	}
	other = joined
	other.ID = statement.CrewID{2}
	if _, err := trust.Join(c, other); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("joining another crew of the lead: %v", err)
	}
	for name, err := range map[string]error{
		"invites": second(trust.AddInvite(c, secret.Hash("x"), start)),
		"removes": last(trust.RemoveMember(c, "lead", owner(t, own), start)),
		"admits":  second(trust.Admit(c, admission(t, "x", 3, "x"), start)),
	} {
		if !errors.Is(err, trust.ErrNotLead) {
			t.Errorf("a member %s: %v", name, err)
		}
	}
	if next, err := trust.Leave(c); next != nil || err != nil {
		t.Errorf("leaving gave %v, %v", next, err)
	}
}

func second[T any](_ *trust.Crew, _ T, err error) error { return err }

func last(_ *trust.Crew, err error) error { return err }

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

func TestLeavingAndFounding(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.FileName)
	s := open(t, path)
	if err := s.Update(set(crewOf(t))); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(trust.Leave); !errors.Is(err, trust.ErrHasMembers) {
		t.Errorf("a lead with members leaves: %v", err)
	}
	if err := last(trust.Found(s.Crew(), trust.Founding{})); !errors.Is(err, trust.ErrInCrew) {
		t.Errorf("founding twice: %v", err)
	}
	for _, id := range []string{"atlas", "box"} {
		if err := s.Update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RemoveMember(old, id, owner(t, own), start) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := last(trust.RemoveMember(s.Crew(), "box", owner(t, own), start)); !errors.Is(err, trust.ErrNoMember) {
		t.Errorf("removing twice: %v", err)
	}
	if err := s.Update(trust.Leave); err != nil || s.Crew() != nil {
		t.Errorf("leaving: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is still there")
	}
	if err := s.Update(trust.Leave); !errors.Is(err, trust.ErrSolo) {
		t.Errorf("leaving twice: %v", err)
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

func TestFailingDiskGrantsNothingAndTakesAllTheSame(t *testing.T) {
	t.Parallel()
	for _, step := range diskfault.Steps() {
		for _, persist := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s persists %v", step, persist), func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), trust.FileName)
				disk := &diskfault.Disk{}
				s, err := trust.OpenOn(disk, path, func() time.Time { return start })
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Update(set(crewOf(t))); err != nil {
					t.Fatal(err)
				}
				disk.Fail(step, persist)
				// One change that takes atlas out, confirms box and lets node 3 in.
				err = s.Update(func(old *trust.Crew) (*trust.Crew, error) {
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
	path := filepath.Join(t.TempDir(), trust.FileName)
	disk := &diskfault.Disk{}
	s, err := trust.OpenOn(disk, path, func() time.Time { return start })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(set(founded(t))); err != nil {
		t.Fatal(err)
	}
	disk.Fail(diskfault.Remove, false)
	if err := s.Update(trust.Leave); !errors.Is(err, diskfault.ErrFault) || s.Crew() != nil {
		t.Errorf("left with %v, crew %v", err, s.Crew())
	}
}

func TestLogsNameACrewAndShowNoSecret(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, nil))
	var solo *trust.Crew
	log.Info("state", "crew", founded(t))
	log.Info("state", "crew", solo)
	if !strings.HasSuffix(strings.SplitN(out.String(), "\n", 2)[0], "crew.id=01000000000000000000000000000000 crew.role=lead") || !strings.HasSuffix(out.String(), "crew=solo\n") {
		t.Errorf("the log reads %s", out.String())
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

func TestIdentityFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), trust.IdentityFileName)
	if _, err := trust.LoadIdentity(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("an absent one: %v", err)
	}
	random := bytes.NewReader(make([]byte, 48))
	minted, err := trust.EnsureIdentity(path, random, start)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := trust.EnsureIdentity(path, random, start)
	if err != nil || kept.Fingerprint() != minted.Fingerprint() {
		t.Errorf("the second time: %v", err)
	}
	if err := atomicfile.Write(path, []byte("cut")); err != nil {
		t.Fatal(err)
	}
	var refused *trust.RefusedError
	if _, err := trust.EnsureIdentity(path, random, start); !errors.As(err, &refused) || refused.Path != path {
		t.Errorf("a broken one: %v", err)
	}
	if err := trust.DiscardIdentity(path); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.LoadIdentity(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a discarded one: %v", err)
	}
}
