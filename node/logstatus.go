package node

import (
	"context"
	"time"

	"collie/node/api"
	"collie/node/chat"
	"collie/node/harness"
	"collie/node/pane"
	"collie/node/status"
)

const (
	// findEvery is how long a log is believed to be the one of its process: a
	// search costs more than a read, and an agent may begin another session.
	findEvery = 5 * time.Second
	// maxTails is how many panes there may be before those that are gone are looked
	// for.
	maxTails = 2 * api.MaxPanes
	// clockSlack is how far a process's start and the times in its log may be apart.
	clockSlack = 2 * time.Second
)

// tails are the ends of the session logs of the agents in panes. The status board
// alone reads them, one after another.
type tails struct {
	node *Node
	of   map[pane.ID]*tail
}

// A tail is the end of one agent's log, or nil when none was found.
type tail struct {
	pid   int
	found time.Time // when it was searched for
	log   *chat.Tail
}

func newTails(n *Node) *tails { return &tails{n, map[pane.ID]*tail{}} }

// logStages are what the end of a log says of a status.
var logStages = map[chat.Stage]status.Report{
	chat.Begun: {Status: harness.Working, Why: "its log says that its turn has begun"},
	chat.Ended: {Status: harness.Idle, Why: "its log says that its turn has ended"},
}

// read says how the log of a pane's agent ends. What an earlier run of the
// program wrote, whose session this one goes on with, says nothing of this one.
func (t *tails) read(ctx context.Context, info pane.Info) (status.Report, bool) {
	agent, ok := t.node.agent(info)
	if !ok {
		delete(t.of, info.ID)
		return status.Report{}, false
	}
	known := t.find(info.ID, agent)
	if known.log == nil {
		return status.Report{}, false
	}
	word, err := known.log.Read(ctx)
	if err != nil {
		t.node.log.Debug("the end of a session log cannot be read", "pane", info.ID, "error", err)
		delete(t.of, info.ID)
		return status.Report{}, false
	}
	report, ok := logStages[word.Stage]
	report.At = word.At
	if now := t.node.now(); report.At.After(now) {
		report.At = now
	}
	return report, ok && !report.At.Before(agent.Started.Add(-clockSlack))
}

// find returns the log of an agent, which is searched for now and then.
func (t *tails) find(id pane.ID, agent chat.Process) *tail {
	now, known := t.node.now(), t.of[id]
	if known != nil && known.pid == agent.PID && now.Sub(known.found) < findEvery {
		return known
	}
	fresh := &tail{pid: agent.PID, found: now}
	if source, err := chat.Find(agent, t.node.sessions.of(id, agent.PID)); err == nil {
		if fresh.log = chat.NewTail(source); known != nil && known.log != nil && known.log.Of() == source {
			fresh.log = known.log
		}
	}
	if len(t.of) >= maxTails {
		t.forget()
	}
	t.of[id] = fresh
	return fresh
}

// forget drops what was read of panes that are gone.
func (t *tails) forget() {
	for id := range t.of {
		if _, err := t.node.Panes.Get(id); err != nil {
			delete(t.of, id)
		}
	}
}
