package node

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
	"collie/node/pane"
)

// Routes are what every node answers on the control socket.
func (n *Node) Routes() []control.Route {
	return slices.Concat(
		n.paneRoutes(),
		n.walkyRoutes(), n.hookRoutes(),
		n.auditRoutes(),
		n.sentRoutes(),
		n.channelRoutes(),
		n.agendaRoutes(),
		n.localRoutes(),
	)
}

func (n *Node) paneRoutes() []control.Route {
	return []control.Route{
		{Method: http.MethodGet, Path: "/panes", Anyone: true, Handle: n.paneList},
		{Method: http.MethodPost, Path: "/panes", Handle: n.paneNew},
		{Method: http.MethodGet, Path: "/panes/:id/screen", Anyone: true, Handle: n.paneScreen},
		{Method: http.MethodPost, Path: "/panes/:id/send", Handle: n.paneSend},
		{Method: http.MethodPost, Path: "/panes/:id/keys", Handle: n.paneKeys},
		{Method: http.MethodPost, Path: "/panes/:id/rename", Handle: n.paneRename},
		{Method: http.MethodPost, Path: "/panes/:id/close", Handle: n.paneClose},
		{Method: http.MethodPost, Path: "/panes/:id/attach", Stream: n.paneAttach},
	}
}

// mayRead reports whether a caller may look at a pane: the operator at any, an
// agent at its own.
func mayRead(call *control.Call, id string) bool {
	return call.Operator() || (call.Caller.Pane != "" && call.Caller.Pane == id)
}

func (n *Node) paneList(_ context.Context, call *control.Call) (any, error) {
	panes := []control.Pane{}
	for _, info := range n.Panes.List() {
		if !mayRead(call, string(info.ID)) {
			continue
		}
		belief := n.Status.Of(info)
		panes = append(panes, control.Pane{
			ID: string(info.ID), Workspace: info.Workspace, Tab: info.Tab, Title: info.Title, Label: control.Text(info.Label),
			Harness: belief.Harness(), Status: string(belief.Status), Why: belief.Why, Source: string(belief.Source), Since: control.Time(belief.Since),
			Cols: info.Cols, Rows: info.Rows, Command: strings.Join(info.Command, " "), Cwd: info.Cwd, PID: info.PID,
			ExitCode: info.Exited,
		})
	}
	return panes, nil
}

// harnessName is what a pane without an agent is called where a name is needed.
func harnessName(harness string) string {
	if harness == "" {
		return "shell"
	}
	return harness
}

func (n *Node) paneNew(ctx context.Context, call *control.Call) (any, error) {
	var request control.PaneNew
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	info, err := n.opening(audit.Entry{Action: "pane.new", Via: "cli", What: audit.Text(strings.Join(request.Command, " "))}, func() (pane.Info, error) {
		return n.Panes.New(ctx, pane.Spec{
			Cwd: request.Cwd, Label: request.Label, Harness: request.Harness, Cols: request.Cols, Rows: request.Rows,
			Command: request.Command, OpenedByOperator: true,
		})
	})
	if err != nil {
		return nil, err
	}
	return control.ID{ID: string(info.ID)}, nil
}

func (n *Node) paneScreen(ctx context.Context, call *control.Call) (any, error) {
	id := call.Param("id")
	if !mayRead(call, id) {
		return nil, api.ErrNotAllowed.With("an agent may read its own pane")
	}
	checked, err := pane.ParseID(id)
	if err != nil {
		return nil, paneError(err)
	}
	frame, err := n.Panes.Screen(ctx, checked)
	if err != nil {
		return nil, paneError(err)
	}
	screen := control.PaneScreen{ID: id, Cols: frame.Cols, Rows: frame.Rows, Cursor: control.Cursor(frame.Cursor), Lines: []string{}}
	for _, row := range frame.Whole() {
		screen.Lines = append(screen.Lines, row.Text())
	}
	return screen, nil
}

func (n *Node) paneSend(ctx context.Context, call *control.Call) (any, error) {
	var request control.PaneSend
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	_, err := n.Local().Reply(WithVia(ctx, "cli"), call.Param("id"), api.Reply{Text: request.Text, Submit: request.Enter})
	return control.OK{OK: err == nil}, err
}

func (n *Node) paneKeys(ctx context.Context, call *control.Call) (any, error) {
	var request control.PaneKeys
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	err := n.Local().Keys(WithVia(ctx, "cli"), call.Param("id"), api.Keys{Keys: request.Keys})
	return control.OK{OK: err == nil}, err
}

func (n *Node) paneRename(ctx context.Context, call *control.Call) (any, error) {
	var request control.PaneRename
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	err := n.Local().Rename(WithVia(ctx, "cli"), call.Param("id"), api.Rename{Label: request.Label})
	return control.OK{OK: err == nil}, err
}

// behind is what an error says after the words of the one that it wraps, which the
// refusal says already.
func behind(err, known error) string {
	_, more, found := strings.Cut(err.Error(), known.Error())
	if !found {
		return err.Error()
	}
	return strings.TrimPrefix(more, ": ")
}

// paneError gives what the panes refuse its stable code.
func paneError(err error) error {
	for _, known := range []struct {
		is     error
		refuse *api.Error
	}{
		{pane.ErrNotFound, api.ErrPaneNotFound},
		{pane.ErrID, api.ErrPaneNotFound},
		{pane.ErrEnded, api.ErrPaneGone},
		{pane.ErrTooMany, api.ErrTooManyPanes},
		{pane.ErrOutcomeUnknown, api.ErrOutcomeUnknown},
		{pane.ErrAway, api.ErrPaneAway},
		{pane.ErrBusy, api.ErrPaneBusy},
		{pane.ErrInputFull, api.ErrInputFull},
		{pane.ErrPasteSize, api.ErrTooLarge},
		{pane.ErrOpen, api.ErrPaneOpen},
		{pane.ErrUnsupported, api.ErrUnsupported},
	} {
		if errors.Is(err, known.is) {
			return known.refuse
		}
	}
	if errors.Is(err, pane.ErrRefused) {
		return saying(api.ErrMultiplexer, behind(err, pane.ErrRefused))
	}
	if errors.Is(err, pane.ErrKey) {
		return saying(api.ErrUnknownKey, behind(err, pane.ErrKey))
	}
	for _, bad := range []error{pane.ErrTooManyKeys, pane.ErrCwd, pane.ErrCommand, pane.ErrEnvironment, pane.ErrHarness, pane.ErrText, pane.ErrSize, pane.ErrLabel, pane.ErrStart} {
		if errors.Is(err, bad) {
			return api.ErrBadRequest.With(err.Error())
		}
	}
	return err
}
