package node

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/control"
)

// localRoutes admit what a command is about to do without this node.
func (n *Node) localRoutes() []control.Route {
	return []control.Route{{Method: http.MethodPost, Path: "/local", Handle: n.admitLocal}}
}

func (n *Node) admitLocal(_ context.Context, call *control.Call) (any, error) {
	var local control.Local
	if err := call.Body(&local); err != nil {
		return nil, err
	}
	if !slices.Contains(control.LocalCommands, local.Command) {
		return nil, api.ErrBadRequest.With("that is no command which does without the node")
	}
	// The command does it, and tells nobody how it ended.
	entry := audit.Entry{Action: strings.ReplaceAll(local.Command, " ", "."), Via: "cli", What: audit.Text(local.Arguments), Outcome: "begun"}
	if err := n.Audit.Write(entry); err != nil {
		return nil, n.unaudited(entry, err)
	}
	return control.OK{OK: true}, nil
}
