// Package remote adds a machine to the crew over the operator's own ssh: it
// looks what is there, copies this program if it has to, starts the node, joins
// it, and waits until the lead reaches it.
//
// It runs the system's ssh with nothing but the target, so the operator's
// configuration, agents, jump hosts and known hosts count as they do by hand.
// The invite's token crosses as input of a shell and of collie, never as an
// argument. Each step finds out first whether it was done before, so whatever
// broke off is done again by the same command. What the machine says is bounded
// in size and time (limits.go), and is shown as clean text only.
package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"collie/node/control"
	"collie/node/trust"
)

// A Node is the node of this machine.
type Node interface {
	Call(ctx context.Context, method, path string, in, out any) error
}

// Options say which machine to add, and how.
type Options struct {
	Target    string   // for ssh: a host, user@host, or a name of its configuration
	Label     string   // what the machine is called in the crew; its host name without it
	Addresses []string // host:port, where members reach the lead; what it knows itself without any
	Node      Node
	// Open opens the program to copy.
	Open    func() (Program, error)
	Version string // of the program
	// Replace is asked before another version is replaced.
	Replace func(question string) bool
	// Step is told what goes on, as one clean line; Copied how far a copy is.
	Step   func(text string)
	Copied func(bytes, of int64)
}

// Added is the document of collie crew add.
type Added struct {
	Target   string `json:"target"`
	MemberID string `json:"memberId"`
	CrewID   string `json:"crewId"`
	CrewName string `json:"crewName"`
	Program  string `json:"program"` // its path on that machine
	Copied   bool   `json:"copied"`
	Started  bool   `json:"started"`
	Joined   bool   `json:"joined"` // false when it was a member before
}

// CheckTarget refuses what ssh would not take for a target.
func CheckTarget(target string) error {
	switch {
	case target == "", strings.HasPrefix(target, "-"), target != trust.Clean(target, maxSaid), strings.ContainsAny(target, " \t"):
		return &Failure{Reason: ErrTarget, What: fmt.Sprintf("%q", trust.Clean(target, maxSaid)), Next: "give a host, user@host, or a name of your ssh configuration"}
	}
	return nil
}

// Add adds a machine. An error is a *Failure, or what the node of this machine
// refused.
func Add(ctx context.Context, o Options) (Added, error) {
	if err := CheckTarget(o.Target); err != nil {
		return Added{}, err
	}
	a := &adding{Options: o, ctx: ctx, done: Added{Target: o.Target}}
	err := a.run([]string{"ssh", "-T", "--", o.Target, "sh"})
	if failed := (*Failure)(nil); errors.As(err, &failed) {
		failed.Target = o.Target
	}
	return a.done, err
}

// adding is one machine on its way in.
type adding struct {
	Options
	ctx     context.Context
	done    Added
	lead    control.Status
	machine *machine
}

func (a *adding) run(ssh []string) error {
	if err := a.Node.Call(a.ctx, http.MethodGet, "/status", nil, &a.lead); err != nil {
		return err
	}
	if a.lead.Crew != nil && a.lead.Mode != "lead" {
		return &Failure{Reason: ErrNotLead, What: "this machine is a " + a.lead.Mode, Next: "run it on " + a.lead.Crew.Lead}
	}
	a.Step("connecting")
	session, err := open(a.ctx, ssh)
	if err != nil {
		return err
	}
	defer session.close()
	a.machine = &machine{session: session}
	if err := a.machine.look(); err != nil {
		return err
	}
	status, err := a.bring()
	if err != nil {
		return err
	}
	if err := a.enter(status); err != nil {
		return err
	}
	return a.reach()
}

// bring sees to it that a node of this version runs there.
func (a *adding) bring() (*control.Status, error) {
	m := a.machine
	var version string
	var running *control.Status
	if m.program != "" {
		var err error
		if version, err = m.version(); err != nil {
			return nil, err
		}
		a.Step(fmt.Sprintf("%s has collie %s, in %s", m.kind, version, clean(m.program)))
		if version != doesNotRun {
			running, err = m.status()
		}
		if err != nil {
			return nil, err
		}
		if err := a.mayJoin(running); err != nil {
			return nil, err
		}
	} else {
		a.Step(m.kind.String() + " has no collie")
	}
	if version != a.Version {
		if err := a.copy(version); err != nil {
			return nil, err
		}
		if running != nil {
			a.Step("the node there runs on as " + clean(running.Version) + " until it is started again")
		}
	}
	a.done.Program = m.program
	if running != nil {
		a.Step("its node runs")
		return running, nil
	}
	status, err := m.start()
	if err != nil {
		return nil, err
	}
	a.done.Started = true
	a.Step("started its node, which outlives this connection, but not a restart of the machine")
	return status, a.mayJoin(status)
}

// mayJoin refuses a node that is spoken for.
func (a *adding) mayJoin(there *control.Status) error {
	switch {
	case there == nil:
		return nil
	case there.PID == a.lead.PID && there.StateDir == a.lead.StateDir && there.StartedAt.String() == a.lead.StartedAt.String():
		return &Failure{Reason: ErrItself, Next: "name another machine"}
	case there.Crew != nil && !a.ours(there):
		return &Failure{
			Reason: ErrOtherCrew, What: fmt.Sprintf("as %s in %s", clean(there.Crew.MemberID), clean(there.Crew.Name)),
			Next: "if it is to change over, run collie crew leave there first",
		}
	}
	return nil
}

func (a *adding) ours(there *control.Status) bool {
	return there.Crew != nil && a.lead.Crew != nil && there.Crew.ID == a.lead.Crew.ID
}

// copy brings this program to a machine that has another one or none.
func (a *adding) copy(version string) error {
	if version != "" && !a.Replace(fmt.Sprintf("%s has collie %s, this is %s. Replace it?", a.Target, version, a.Version)) {
		return &Failure{
			Reason: ErrVersion, What: version + " instead of " + a.Version,
			Next: "--replace puts this one in its place; or join it as it is, with collie crew invite and collie crew join",
		}
	}
	program, err := a.Open()
	if err != nil {
		return err
	}
	defer program.Close()
	err = a.machine.install(program, func(bytes int64) { a.Copied(bytes, program.Size) })
	if err != nil {
		return err
	}
	a.done.Copied = true
	a.Step("copied collie " + a.Version + " to " + clean(a.machine.program))
	return nil
}

// enter sees to it that the node there is a member.
func (a *adding) enter(there *control.Status) error {
	if there.Crew == nil {
		return a.join()
	}
	member, err := a.member(there.Crew.MemberID)
	if err != nil {
		return err
	}
	a.done.MemberID, a.done.CrewID, a.done.CrewName = member.MemberID, a.lead.Crew.ID, a.lead.Crew.Name
	a.Step("it is " + member.MemberID + " of this crew already")
	return nil
}

// join lets the node there in, with a fresh token.
func (a *adding) join() error {
	var invite control.Invite
	if err := a.Node.Call(a.ctx, http.MethodPost, "/crew/invite", control.InviteRequest{Addresses: a.Addresses}, &invite); err != nil {
		return err
	}
	got, err := a.machine.do(order{script: "IFS= read -r token", input: strings.NewReader(invite.Token + "\n"), within: answerTimeout})
	if err == nil && got.exit != 0 {
		err = &Failure{Reason: ErrAnswer}
	}
	if err != nil {
		return err
	}
	addresses := invite.Addresses
	if len(a.Addresses) > 0 {
		addresses = a.Addresses
	}
	joined, err := a.joinAny(addresses)
	if err != nil {
		return err
	}
	a.done.MemberID, a.done.CrewID, a.done.CrewName, a.done.Joined = joined.MemberID, joined.CrewID, joined.CrewName, true
	a.Step("joined as " + clean(joined.MemberID))
	return nil
}

// joinAny tries one address of the lead after the other, until one answers.
func (a *adding) joinAny(addresses []string) (joined control.Joined, err error) {
	err = &Failure{Reason: ErrRefused, What: "the lead knows no address of its own", Next: "give one that this machine has for that one: --address HOST:PORT"}
	for _, address := range addresses {
		args := []string{"crew", "join", address, "-"}
		if a.Label != "" {
			args = append(args, "--label", a.Label)
		}
		a.Step("joining by " + address)
		// The token is a variable of that shell, and echo a part of it: neither
		// shows in a list of processes.
		err = a.machine.shell(&joined, joinTimeout, `echo "$token" | `+a.machine.command(args...))
		if err == nil {
			return joined, nil
		}
		failed := (*Failure)(nil)
		if !errors.As(err, &failed) || failed.Exit == 0 {
			return joined, err
		}
		// It may have joined, and only the answer was lost.
		there, unknown := a.machine.status()
		if unknown == nil && there != nil && there.Crew != nil {
			return control.Joined{CrewID: there.Crew.ID, CrewName: clean(there.Crew.Name), MemberID: clean(there.Crew.MemberID), Lead: clean(there.Crew.Lead)}, nil
		}
		if failed.Exit != exitUnreachable {
			break
		}
		failed.Next = "give an address under which that machine reaches this one: --address HOST:PORT (UDP)"
	}
	return joined, err
}

// member finds a member by the id that it gives itself.
func (a *adding) member(id string) (control.CrewMember, error) {
	var crew control.CrewStatus
	if err := a.Node.Call(a.ctx, http.MethodGet, "/crew/status", nil, &crew); err != nil {
		return control.CrewMember{}, err
	}
	at := slices.IndexFunc(crew.Members, func(m control.CrewMember) bool { return m.MemberID == id })
	if at < 0 {
		return control.CrewMember{}, &Failure{Reason: ErrRemoved, What: "the lead has none that is called " + clean(id), Next: "run collie crew leave there, then this again"}
	}
	return crew.Members[at], nil
}

// reach waits until the lead reaches the member. One that missed a rotation of
// the secret is let in again; that shows once it has tried to connect.
func (a *adding) reach() error {
	for deadline := time.Now().Add(reachTimeout); ; {
		member, err := a.member(a.done.MemberID)
		if err != nil {
			return err
		}
		if member.State == "reachable" {
			a.Step("the lead reaches it")
			return nil
		}
		if member.State == "unenrolled" && !a.done.Joined {
			a.Step("it has missed that the crew's secret was replaced")
			if err := a.join(); err != nil {
				return err
			}
			continue
		}
		if time.Now().After(deadline) {
			what := member.State
			if member.Reason != "" {
				what += ", " + string(member.Reason)
			}
			return &Failure{Reason: ErrNotReached, What: what, Next: "collie crew status says how it goes on; this again waits once more"}
		}
		if err := pause(a.ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(pollPause):
		return nil
	}
}

func clean(text string) string { return trust.Clean(text, maxSaid) }
