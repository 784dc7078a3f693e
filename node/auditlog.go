package node

import (
	"context"
	"net/http"
	"strconv"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// auditRoutes show the operator the audit log. They are reads, and leave no line
// in it.
func (n *Node) auditRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/audit/tail", Handle: n.auditTail},
		{Method: http.MethodGet, Path: "/audit/after/:seq", Handle: n.auditAfter},
		{Method: http.MethodGet, Path: "/audit/verify", Handle: n.auditVerify},
	}
}

func (n *Node) auditTail(_ context.Context, call *control.Call) (any, error) {
	count, err := strconv.Atoi(call.Query.Get("n"))
	if call.Query.Get("n") == "" {
		count, err = defaultTail, nil
	}
	if err != nil || count < 1 || count > audit.MaxTail {
		return nil, api.ErrBadRequest.With("n is a number from 1 to " + strconv.Itoa(audit.MaxTail))
	}
	lines, err := n.Audit.Tail(count)
	return tailOf(lines, 0), err
}

// auditAfter answers the lines after a number; when there are none yet it waits
// a while for them.
func (n *Node) auditAfter(ctx context.Context, call *control.Call) (any, error) {
	seq, err := strconv.ParseUint(call.Param("seq"), 10, 64)
	if err != nil {
		return nil, api.ErrBadRequest.With("that is no number of a line")
	}
	added, stop := n.Audit.Watch()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, control.MaxAuditWait)
	defer cancel()
	for {
		lines, err := n.Audit.After(seq)
		if err != nil || len(lines) > 0 {
			return tailOf(lines, seq), err
		}
		select {
		case <-added:
		case <-ctx.Done():
			return tailOf(nil, seq), nil
		}
	}
}

func tailOf(lines []audit.Line, last uint64) control.AuditTail {
	if len(lines) == 0 {
		return control.AuditTail{Lines: []audit.Line{}, Last: last}
	}
	return control.AuditTail{Lines: lines, Last: lines[len(lines)-1].Seq}
}

func (n *Node) auditVerify(context.Context, *control.Call) (any, error) {
	return control.ChainOf(n.Audit.Verify())
}

// admit writes down a write that is about to be done. One that cannot be audited
// is refused.
func (n *Node) admit(entry audit.Entry) error {
	entry.Outcome = "accepted"
	if err := n.Audit.Write(entry); err != nil {
		return n.unaudited(entry, err)
	}
	return nil
}

// Admitted does a write that is admitted first. One that fails has a second line.
func (n *Node) Admitted(entry audit.Entry, do func() error) error {
	if err := n.admit(entry); err != nil {
		return err
	}
	return n.failed(entry, do())
}

// Reported is Admitted for a write that nothing may hold up, such as one that only
// takes rights away: an audit log that cannot be written is told to the node's log.
func (n *Node) Reported(entry audit.Entry, do func() error) error {
	_ = n.admit(entry)
	return n.failed(entry, do())
}

// noted is Admitted where somebody waits for the effect: the line is on the disk
// before anybody hears that the write was done, and not before it is done.
func (n *Node) noted(entry audit.Entry, do func() error) error {
	entry.Outcome = "accepted"
	sync, err := n.Audit.Add(entry)
	if err != nil {
		return n.unaudited(entry, err)
	}
	if err := do(); err != nil {
		return n.failed(entry, err)
	}
	if err := sync(); err != nil {
		n.log.Error("a write was done, and its audit line is not on the disk", "action", entry.Action, "pane", entry.Pane, "error", err)
		return api.ErrOutcomeUnknown
	}
	return nil
}

func (n *Node) unaudited(entry audit.Entry, err error) error {
	n.log.Error("a write could not be audited, and was not done", "action", entry.Action, "error", err)
	return api.ErrAuditUnavailable
}

// ended writes down how a write ended that was admitted: with "ok", or the code of
// what went wrong. It returns that error.
func (n *Node) ended(entry audit.Entry, err error) error {
	entry.What, entry.Outcome = audit.What{}, "ok"
	if err != nil {
		entry.Outcome = api.AsError(err).Code
	}
	if auditErr := n.Audit.Write(entry); auditErr != nil {
		n.log.Error("the outcome of a write could not be audited", "action", entry.Action, "pane", entry.Pane, "error", auditErr)
	}
	return err
}

// failed is ended for a write whose end is written down only when it is not as
// asked.
func (n *Node) failed(entry audit.Entry, err error) error {
	if err == nil {
		return nil
	}
	return n.ended(entry, err)
}
