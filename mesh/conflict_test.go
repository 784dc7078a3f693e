package mesh_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"collie/crypto/identity"
	"collie/crypto/sealed"
	"collie/crypto/secret"
	"collie/mesh"
	"collie/mesh/trust"
)

// quickly is a beat for tests that wait for one.
const quickly = 100 * time.Millisecond

// succession is a lead, its deputy, and another member that holds the warrant.
type succession struct {
	lead, deputy, member *node
	key                  sealed.Key // of the deputy
	told                 chan mesh.Conflict
}

func newSuccession(t *testing.T, beat time.Duration) *succession {
	t.Helper()
	s := &succession{told: make(chan mesh.Conflict, 64)}
	note := func(_ identity.Fingerprint, told mesh.Conflict) {
		select {
		case s.told <- told:
		default: // one is enough
		}
	}
	quick := func() *node {
		n := newNode(t)
		n.beat, n.conflict = beat, note
		return n
	}
	s.lead = unstartedLead(t)
	s.lead.beat, s.lead.conflict = beat, note
	s.lead.run()
	s.deputy, s.member = quick().joined(s.lead, "juno"), quick().joined(s.lead, "iris")
	for _, n := range []*node{s.deputy, s.member} {
		stop := n.maintain(s.lead)
		s.lead.await(n, "up", up)
		stop()
	}
	var err error
	if s.key, err = sealed.NewKey(); err != nil {
		t.Fatal(err)
	}
	s.lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.NameDeputy(old, "juno", "", s.lead.id, time.Now())
	})
	warrant, _ := s.lead.store.Crew().StandingWarrant()
	for _, n := range []*node{s.deputy, s.member} {
		n.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.TakeWarrant(old, warrant, n.fp(), time.Now()) })
	}
	devices := []trust.Device{{Label: "pixel", Token: secret.Hash("token"), CreatedAt: time.Now()}}
	var made trust.SignedBundle
	s.lead.update(func(old *trust.Crew) (next *trust.Crew, err error) {
		next, made, err = trust.NextBundle(old, devices, s.lead.id, time.Now())
		return next, err
	})
	data, err := made.Seal(s.key.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	s.deputy.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.TakeBundle(old, data, s.key, s.deputy.fp()) })
	return s
}

func (s *succession) takeOver() {
	s.deputy.update(func(old *trust.Crew) (*trust.Crew, error) {
		b, err := trust.OpenBundle(old, s.key)
		if err != nil {
			return nil, err
		}
		return trust.TakeOver(old, b, s.deputy.id, time.Now())
	})
}

func TestADeputyAndAWitnessReachEachOtherAndSayNothingOfThemselves(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	s.member.maintain(s.deputy)
	for _, end := range [][2]*node{{s.member, s.deputy}, {s.deputy, s.member}} {
		link := end[0].await(end[1], "up", up)
		if link.MemberID != "" || link.Build != "" || link.ClockAhead != 0 || link.Holdings != (mesh.Holdings{}) {
			t.Errorf("the hello says %+v", link)
		}
	}
	if got := s.deputy.get(s.member, "/x"); got != "200 true deputy juno /x" {
		t.Errorf("the deputy is %q at a member", got)
	}
	if got := s.member.get(s.deputy, "/x"); got != "200 true witness iris /x" {
		t.Errorf("a member is %q at the deputy", got)
	}
}

func TestWhoFollowsAnotherLeadIsAnsweredWithTheChainWhateverItsSecret(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	s.member.maintain(s.deputy)
	s.member.await(s.deputy, "up", up)
	s.deputy.await(s.member, "up", up)
	s.takeOver()
	told := <-s.told
	if told.Lead.MemberID != "juno" || told.Generation != 3 || len(told.Chain) != 1 || told.Lead.Addresses[0] != s.deputy.address() {
		t.Errorf("the member was told %+v", told)
	}
	link := s.member.await(s.deputy, "conflicted", func(l mesh.Link) bool { return l.State == mesh.StateConflicted })
	if link.Reason != "it follows another lead: juno, generation 3" {
		t.Errorf("the reason is %q", link.Reason)
	}
	s.member.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Follow(old, told.Chain, trust.Hint{}, s.member.fp())
	})
	s.deputy.await(s.member, "up again", up)
	s.deputy.await(s.member, "enrolled", func(mesh.Link) bool {
		m, _ := s.deputy.store.Crew().Member("iris")
		return m.State == trust.StateEnrolled
	})

	// The old lead, with another secret, hears it of whoever it calls.
	s.lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		next := *old
		next.Secret = secret.NewKey(rand.Reader)
		return &next, nil
	})
	for _, follower := range []*node{s.deputy, s.member} {
		err := s.lead.endpoint.Ask(t.Context(), follower.fp(), []string{follower.address()})
		var conflict *mesh.ConflictError
		if !errors.As(err, &conflict) || conflict.Conflict.Lead.MemberID != "juno" || !mesh.Answered(err) {
			t.Errorf("the old lead is answered %v", err)
		}
	}
}

// A deputy that was removed holds a pin of its lead, and the lead one of it until
// it has been told: with the first hello, whatever its secret.
func TestADeputyThatWasRemovedIsToldSoWithItsNextHello(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	stop := s.deputy.maintain(s.lead)
	s.lead.await(s.deputy, "up", up)
	stop()
	s.lead.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.RemoveMember(old, "juno", s.lead.id, time.Now())
	})
	s.deputy.await(s.lead, "down", down)
	s.deputy.update(func(old *trust.Crew) (*trust.Crew, error) {
		next := *old
		next.Secret = secret.NewKey(rand.Reader)
		return &next, nil
	})
	for _, knows := range []*node{s.lead, s.member} {
		if knows == s.member {
			warrant, _ := s.lead.store.Crew().StandingWarrant()
			s.member.update(func(old *trust.Crew) (*trust.Crew, error) {
				return trust.TakeWarrant(old, warrant, s.member.fp(), time.Now())
			})
		}
		err := s.deputy.endpoint.Ask(t.Context(), knows.fp(), []string{knows.address()})
		var conflict *mesh.ConflictError
		if !errors.As(err, &conflict) || conflict.Conflict.Warrant == nil {
			t.Fatalf("it is answered %v", err)
		}
		if said, _ := conflict.Conflict.Warrant.Said(); !said.NamesNobody() || said.Generation != 3 {
			t.Errorf("it is shown %+v", said)
		}
	}
	s.lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.HeardOfItsEnd(old, s.deputy.fp(), 3) })
	if err := s.deputy.endpoint.Ask(t.Context(), s.lead.fp(), []string{s.lead.address()}); !errors.Is(err, mesh.ErrNotPinned) {
		t.Errorf("once it has heard: %v", err)
	}
}

func TestAskTellsAnAnswerFromSilence(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	if err := s.member.endpoint.Ask(t.Context(), s.lead.fp(), []string{s.lead.address()}); err != nil {
		t.Errorf("a lead that answers: %v", err)
	}
	address := s.lead.address()
	s.lead.stop()
	s.member.await(s.lead, "down", down)
	if err := s.member.endpoint.Ask(t.Context(), s.lead.fp(), []string{address}); mesh.Answered(err) {
		t.Errorf("a lead that is gone: %v", err)
	}
	if err := s.member.endpoint.Ask(t.Context(), s.lead.fp(), []string{s.deputy.address()}); mesh.Answered(err) {
		t.Errorf("another node at its address: %v", err)
	}
}

func TestConflictForNamesWhoIsToBeTold(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	before := s.deputy.store.Crew()
	s.takeOver()
	now := s.deputy.store.Crew()
	stranger := newNode(t).fp()
	chain := now.Chain
	s.member.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Follow(old, chain, trust.Hint{}, s.member.fp())
	})
	follower := s.member.store.Crew()
	for _, c := range []struct {
		name string
		crew *trust.Crew
		peer identity.Fingerprint
		says mesh.Allegiance
		told bool
	}{
		{"a witness, before", before, s.member.fp(), mesh.Allegiance{Generation: 1}, false},
		{"the lead, before", before, s.lead.fp(), mesh.Allegiance{Generation: 1}, false},
		{"a member that has not followed", now, s.member.fp(), mesh.Allegiance{Generation: 2}, true},
		{"one that says nothing", now, s.member.fp(), mesh.Allegiance{Generation: 0}, true},
		{"one that has followed", now, s.member.fp(), mesh.Allegiance{Generation: 3}, false},
		{"one that follows the old lead, at a generation as high", now, s.member.fp(), mesh.Allegiance{Generation: 3, Lead: "lead"}, true},
		{"one that says whom it has followed", now, s.member.fp(), mesh.Allegiance{Generation: 3, Lead: "juno"}, false},
		{"the old lead", now, s.lead.fp(), mesh.Allegiance{Generation: 2}, true},
		{"the new lead", follower, s.deputy.fp(), mesh.Allegiance{Generation: 3}, false},
		{"the new lead, from an old copy of its state", follower, s.deputy.fp(), mesh.Allegiance{Generation: 2}, true},
		{"a stranger", now, stranger, mesh.Allegiance{Generation: 1}, false},
		{"nobody's crew", nil, s.member.fp(), mesh.Allegiance{Generation: 1}, false},
	} {
		told, differ := mesh.ConflictFor(c.crew, c.peer, c.says, []string{"juno:1"})
		if differ != c.told || differ && (told.Lead.MemberID != "juno" || len(told.Chain) != 1) {
			t.Errorf("%s: %v %+v", c.name, differ, told)
		}
	}
}

// Nothing proves the one to the other: the warrant is superseded, and the
// revocation was never heard. Neither serves the other one as its member.
func TestTwoLeadsAfterARevocationThatTheDeputyCouldNotHearShowEachOtherAsConflicted(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, quickly)
	s.takeOver()
	s.lead.update(func(old *trust.Crew) (*trust.Crew, error) { return trust.RevokeDeputy(old, s.lead.id, time.Now()) })
	if s.lead.store.Crew().Generation != s.deputy.store.Crew().Generation {
		t.Fatal("they speak of different generations")
	}
	s.lead.maintain(s.deputy)
	s.deputy.maintain(s.lead)
	for _, c := range []struct {
		at, of *node
		reason string
	}{
		{s.lead, s.deputy, "it follows another lead: juno, generation 3"},
		{s.deputy, s.lead, "it follows another lead: lead, generation 3"},
	} {
		link := c.at.await(c.of, "conflicted", func(l mesh.Link) bool { return l.State == mesh.StateConflicted })
		if link.Reason != c.reason {
			t.Errorf("the reason is %q, want %q", link.Reason, c.reason)
		}
	}
	if m, _ := s.deputy.store.Crew().Member("lead"); m.State != trust.StateRepinPending {
		t.Errorf("the one that leads elsewhere is taken for a member: %s", m.State)
	}
	if _, err := s.lead.call(s.deputy, http.MethodGet, "/x", nil); err == nil {
		t.Error("it is called all the same")
	}
}

func TestAConflictOnTheWireHasItsCode(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, mesh.BeatEvery) // no hello comes in between
	s.member.maintain(s.deputy)
	s.member.await(s.deputy, "up", up)
	s.takeOver()
	resp, err := s.member.call(s.deputy, http.MethodGet, "/crew/v1/anything", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusConflict || body["code"] != "lead_conflict" || body["generation"] != 3.0 || body["lead"] == nil || body["chain"] == nil || body["error"] == nil {
		t.Errorf("%d %v", resp.StatusCode, body)
	}
}

func TestTheOldLeadsLinkEndsAlsoWhereNothingElseHasChangedSinceItWasUp(t *testing.T) {
	t.Parallel()
	s := newSuccession(t, time.Hour) // a lead that says no hello learns nothing by it
	s.member.stop()
	s.member.run()
	s.member.maintain(s.lead)
	s.member.await(s.lead, "up", up)
	time.Sleep(5 * quickly) // what the hello brought is stored
	since := s.member.endpoint.LinkState(s.lead.fp()).Since
	s.takeOver()
	chain := s.deputy.store.Crew().Chain
	s.member.update(func(old *trust.Crew) (*trust.Crew, error) {
		return trust.Follow(old, chain, trust.Hint{}, s.member.fp())
	})
	s.member.await(s.lead, "down", func(l mesh.Link) bool { return !l.Up || l.Since.After(since) })
}

// What a peer says without a proof is shown to people and logged, so it has to
// be short and nothing but a name.
func TestAConflictThatNamesNobodyIsShownInOneSentence(t *testing.T) {
	t.Parallel()
	lead := newLead(t)
	member := newMember(t, lead, "iris")
	member.stop()
	told := make(chan mesh.Conflict, 64)
	member.conflict = func(_ identity.Fingerprint, c mesh.Conflict) { told <- c }
	member.run()
	name, err := json.Marshal("\x1b]0;all is well\a\n" + strings.Repeat("x", 400<<10))
	if err != nil {
		t.Fatal(err)
	}
	end := answering(t, lead, `{"error":"x","code":"lead_conflict","lead":{"memberId":`+string(name)+`},"generation":9,"chain":[]}`)
	stop := member.maintain(lead)
	link := member.await(lead, "refused", func(l mesh.Link) bool { return !l.FailedAt.IsZero() })
	stop()
	member.stop()
	end()
	if len(link.Reason) > 200 || strings.ContainsRune(link.Reason, 0x1b) {
		t.Errorf("the reason has %d bytes: %.80q", len(link.Reason), link.Reason)
	}
	if !mesh.Answered(link.Cause) {
		t.Error("it is taken for silence")
	}
	if len(told) > 0 {
		t.Error("it was passed on")
	}
}
