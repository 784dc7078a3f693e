package node

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/caller"
	"collie/node/chat"
	"collie/node/control"
	"collie/node/hold"
	"collie/node/hooks"
	"collie/node/pane"
	"collie/node/trust"
)

// Hooks of agents' programs: what they tell of a session, and the permissions
// that they ask for. A hook is a participant. It is believed only of the pane
// that its process is in, and only when it was started by the agent that runs
// there; it may open a question and never answers one.

// sessions are what hooks told of the agents in panes.
type sessions struct {
	mu   sync.Mutex // guards told
	told map[pane.ID]toldSession
}

type toldSession struct {
	pid     int    // of the agent
	program string // its run, as a Belief names it
	session string
}

// tell takes a hook's word. What was told of panes that are gone goes once there is
// much of it; there reports whether one is.
func (s *sessions) tell(id pane.ID, told toldSession, there func(pane.ID) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		s.told = map[pane.ID]toldSession{}
	}
	if len(s.told) >= 2*api.MaxPanes {
		maps.DeleteFunc(s.told, func(id pane.ID, _ toldSession) bool { return !there(id) })
	}
	s.told[id] = told
}

// of returns what was told of the agent with that process.
func (s *sessions) of(id pane.ID, pid int) chat.Told {
	s.mu.Lock()
	defer s.mu.Unlock()
	if told := s.told[id]; told.pid == pid {
		return chat.Told{Session: told.session}
	}
	return chat.Told{}
}

// running returns the session that was told of a run of a pane's program, or
// empty.
func (s *sessions) running(id pane.ID, program string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if told := s.told[id]; told.program == program {
		return told.session
	}
	return ""
}

func (n *Node) hookRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodPost, Path: "/hook", Anyone: true, Handle: n.hookTell},
		{Method: http.MethodPost, Path: "/hook/hold", Anyone: true, Waits: true, Handle: n.hookHold},
	}
}

// A hookCall is an event whose sender was found.
type hookCall struct {
	control.HookEvent
	pane    pane.ID
	agent   chat.Process
	program string // the run of the agent, as a Belief names it
}

// hookCall reads an event and places its sender: it has to be started by the
// agent of the pane that it is in.
func (n *Node) hookCall(call *control.Call) (hookCall, error) {
	var h hookCall
	if err := call.Body(&h.HookEvent); err != nil {
		return h, err
	}
	for _, text := range []string{h.Harness, h.Event, h.Kind, h.Session, h.Tool, h.Subject, h.Call} {
		if len(text) > control.MaxHookText {
			return h, api.ErrTooLarge
		}
	}
	if call.Caller.Pane == "" {
		return h, api.ErrNotAllowed.With("this process is in no pane")
	}
	h.pane = pane.ID(call.Caller.Pane)
	info, err := n.Panes.Get(h.pane)
	if err != nil {
		return h, paneError(err)
	}
	agent, ok := n.agent(info)
	if !ok || agent.Harness != h.Harness || !n.startedBy(agent, call.PID) {
		return h, api.ErrNotAllowed.With("this process was not started by the agent of its pane")
	}
	h.agent = agent
	if _, h.program, err = n.Status.Running(h.pane); err != nil {
		return h, paneError(err)
	}
	h.Tool, h.Subject = trust.NeutralizeMarks(trust.Clean(h.Tool, api.MaxNameBytes)), trust.NeutralizeMarks(trust.CleanText(h.Subject, control.MaxHookText))
	return h, nil
}

// startedBy reports whether the nearest harness above a process is the agent: one
// that the agent started for itself speaks for another session.
func (n *Node) startedBy(agent chat.Process, pid int) bool {
	for above := range caller.Above(caller.Proc{}, pid) {
		if above.PID == agent.PID || slices.Contains(agent.Wrapped, above.PID) {
			return true
		}
		if n.harnesses.Of(above.Name, above.Args) != nil {
			return false
		}
	}
	return false
}

func (n *Node) hookTell(_ context.Context, call *control.Call) (any, error) {
	h, err := n.hookCall(call)
	if err != nil {
		return nil, err
	}
	n.hear(h)
	return control.OK{OK: true}, nil
}

// hear takes what an event tells.
func (n *Node) hear(h hookCall) {
	if h.Session != "" {
		n.sessions.tell(h.pane, toldSession{h.agent.PID, h.program, h.Session}, func(id pane.ID) bool {
			_, err := n.Panes.Get(id)
			return err == nil
		})
	}
	if report, ok := reportOf(h.HookEvent); ok {
		n.Status.Report(h.pane, report)
	}
	n.holds.Release(func(r hold.Request) bool { return r.Pane == string(h.pane) && over(r, h.HookEvent) })
}

// over reports whether an event shows that a question needs no answer any more:
// its tool was run, its turn has ended, or its session has.
func over(r hold.Request, e control.HookEvent) bool {
	switch e.Event {
	case "PostToolUse":
		return e.Session == r.Session && e.Call == r.Call
	case "UserPromptSubmit", "Stop", "StopFailure", "SessionEnd":
		return e.Session == r.Session
	case "SessionStart": // the process has another session now
		return e.Session != r.Session
	}
	return false
}

// hookHold asks a person whether an agent may do something, and waits.
func (n *Node) hookHold(ctx context.Context, call *control.Call) (any, error) {
	h, err := n.hookCall(call)
	if err != nil {
		return nil, err
	}
	n.hear(h)
	if known := hooks.Named(h.Harness); known == nil || known.Hold == 0 {
		return nil, api.ErrNotAllowed.With("no hook of this harness may answer a permission")
	}
	entry := audit.Entry{
		Action: "permission.hold", Pane: string(h.pane), Via: "hook", Mark: trust.HookMark(h.Harness), What: audit.Text(h.Tool + " " + h.Subject), Outcome: "asked",
	}
	if err := n.Audit.Write(entry); err != nil {
		return nil, api.ErrAuditUnavailable
	}
	ctx, stop := untilEnded(ctx, h.agent.PID)
	defer stop()
	question := hold.Question{Pane: string(h.pane), Hook: h.Harness, Session: h.Session, Tool: h.Tool, Subject: h.Subject, Cut: h.Cut, Call: h.Call}
	var following sync.WaitGroup
	answer, err := n.holds.Ask(ctx, question, min(hooks.Named(h.Harness).Hold, control.HoldWait), func(r hold.Request) {
		following.Go(func() { n.followDialog(ctx, r) })
	})
	stop()
	following.Wait()
	entry.Mark, entry.What, entry.Outcome = trust.Mark{}, audit.What{}, holdOutcome(answer, err)
	// The tap that answered has its own line, written before it counted: who tapped
	// was told that it did.
	if auditErr := n.Audit.Write(entry); auditErr != nil {
		n.log.Error("the end of a held permission could not be audited", "pane", h.pane, "error", auditErr)
	}
	if err != nil {
		return nil, api.ErrNotHeld.With(entry.Outcome)
	}
	return control.HookAnswer{Answer: string(answer)}, nil
}

func holdOutcome(answer hold.Answer, err error) string {
	for _, known := range []struct {
		is   error
		word string
	}{{hold.ErrFull, "too_many"}, {hold.ErrReleased, "released"}, {hold.ErrUnanswered, "unanswered"}} {
		if errors.Is(err, known.is) {
			return known.word
		}
	}
	switch {
	case err != nil:
		return "left"
	case answer == hold.Allow:
		return "allowed"
	}
	return "denied"
}
