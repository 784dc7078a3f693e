package node

import (
	"context"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/pane"
)

// RenameTab gives a tab the operator's word for it.
func (l *Local) RenameTab(ctx context.Context, tab string, rename api.Rename) error {
	return l.relabel(ctx, "tab.rename", tab, rename.Label, l.node.Panes.RenameTab)
}

// RenameWorkspace gives a workspace the operator's word for it.
func (l *Local) RenameWorkspace(ctx context.Context, workspace string, rename api.Rename) error {
	return l.relabel(ctx, "workspace.rename", workspace, rename.Label, l.node.Panes.RenameWorkspace)
}

// relabel is an audited write to what is no pane. Its line names the tab or the
// workspace where that of another write names the pane.
func (l *Local) relabel(ctx context.Context, action, id, label string, do func(ctx context.Context, id, label string) error) error {
	if _, err := pane.ParseID(id); err != nil {
		return paneError(err)
	}
	entry := audit.Entry{Action: action, Pane: id, Device: api.Device(ctx), Via: Via(ctx), What: audit.Text(label)}
	return l.node.Admitted(entry, func() error { return paneError(do(ctx, id, label)) })
}
