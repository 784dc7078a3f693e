package link_test

import (
	"strings"
	"testing"
	"time"

	"collie/mesh"
	"collie/node/link"
)

func TestAdviceSaysWhatIsSoAndWhatToDo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	member, lead := link.Peer{ID: "juno", Join: "lead.example:8788"}, link.Peer{ID: "atlas", Leads: true, Join: "lead.example:8788"}
	lost := mesh.Link{State: mesh.StateUnreachable, Reason: "the link is lost", Since: now.Add(-time.Minute)}
	long := lost
	long.Since = now.Add(-10 * time.Minute)
	for what, c := range map[string]struct {
		link mesh.Link
		peer link.Peer
		hint string
		says string // in the reason
	}{
		"a link that is well":  {mesh.Link{State: mesh.StateReachable}, member, "", ""},
		"a clock that is off":  {mesh.Link{State: mesh.StateReachable, ClockAhead: -time.Hour}, member, "attention", "its clock is behind ours by 1h0m0s"},
		"lost a minute ago":    {lost, member, "reconnecting", "the link is lost"},
		"a silent one":         {mesh.Link{State: mesh.StateUnreachable, Reason: "x: context deadline exceeded", Cause: mesh.ErrMissedBeats, Since: now}, member, "reconnecting", "it stopped answering"},
		"lost for ten minutes": {long, member, "attention", "the link is lost; it is still looked for"},
		"a member that left":   {mesh.Link{State: mesh.StateUnreachable, Cause: mesh.ErrNotPinned, Since: now}, member, "attention", "collie crew remove juno here"},
		"a lead that forgot":   {mesh.Link{State: mesh.StateUnreachable, Cause: mesh.ErrNotPinned, Since: now}, lead, "attention", "collie crew leave here"},
		"another version": {
			mesh.Link{State: mesh.StateIncompatible, Cause: &mesh.MismatchError{Ours: 1, Theirs: 2}},
			member,
			"attention", "it speaks version 2 of the crew link and this machine version 1",
		},
		"two processes":          {mesh.Link{State: mesh.StateConflicted, Cause: mesh.ErrDuplicate}, member, "attention", "duplicate identity: two processes show the identity of juno"},
		"another lead":           {mesh.Link{State: mesh.StateConflicted, Reason: "it follows another lead: iris, generation 4"}, member, "attention", "iris, generation 4"},
		"a member's old secret":  {mesh.Link{State: mesh.StateUnenrolled}, member, "attention", "on it, run collie crew join lead.example:8788 with a token of collie crew invite here"},
		"this node's old secret": {mesh.Link{State: mesh.StateUnenrolled}, lead, "attention", "run collie crew join lead.example:8788 here with a token of collie crew invite on the lead"},
	} {
		got := link.Advise(c.link, c.peer, now)
		if got.Hint != c.hint || !strings.Contains(got.Reason, c.says) || c.says == "" && got.Reason != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got := link.Advise(lost, member, now); got.Again != 9*time.Minute {
		t.Errorf("it may be another thing after %v", got.Again)
	}
}

func TestAClockThatIsNotOursIsSaid(t *testing.T) {
	t.Parallel()
	for ahead, want := range map[time.Duration]string{
		10 * time.Second: "", -10 * time.Second: "",
		11 * time.Second: "its clock is ahead of ours by 11s", -time.Hour: "its clock is behind ours by 1h0m0s",
	} {
		if got := link.Skew(mesh.Link{ClockAhead: ahead}); got != want {
			t.Errorf("a clock that is ahead by %v: %q, want %q", ahead, got, want)
		}
	}
}
