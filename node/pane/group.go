package pane

import (
	"context"
	"errors"
	"fmt"

	"collie/node/pane/holder"
)

// RenameTab implements [Multiplexer]. The label is kept by the holder of the tab's
// one pane.
func (b *Builtin) RenameTab(ctx context.Context, tab, label string) error {
	if err := holder.CheckLabel(label); err != nil {
		return err
	}
	err := b.request(ctx, ID(tab), func(ctx context.Context, conn *holder.Conn) error { return conn.RenameTab(ctx, label) })
	if errors.Is(err, holder.ErrRequest) { // a holder of an earlier build
		return ErrUnsupported
	}
	return err
}

// RenameWorkspace implements [Multiplexer]. The label is kept by the holder of
// every pane that is in the workspace, like everything that is known of panes.
func (b *Builtin) RenameWorkspace(ctx context.Context, workspace, label string) error {
	if err := holder.CheckLabel(label); err != nil {
		return err
	}
	found, done := false, false
	var failed error
	for _, info := range b.List() {
		if info.Workspace != workspace {
			continue
		}
		found = true
		err := b.request(ctx, info.ID, func(ctx context.Context, conn *holder.Conn) error {
			return conn.RenameWorkspace(ctx, label)
		})
		done = done || err == nil
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, holder.ErrRequest) {
			failed = errors.Join(failed, err)
		}
	}
	switch {
	case !found:
		return fmt.Errorf("workspace %q: %w", bounded(workspace), ErrNotFound)
	case failed == nil && !done: // only holders of an earlier build
		return ErrUnsupported
	}
	return failed
}

// workspaceLabel returns the label of the workspace of a folder.
func (b *Builtin) workspaceLabel(cwd string) string {
	for _, info := range b.List() {
		if info.Cwd == cwd && info.WorkspaceLabel != "" {
			return info.WorkspaceLabel
		}
	}
	return ""
}

// Capabilities implements [Multiplexer].
func (b *Builtin) Capabilities() Capabilities {
	return Capabilities{Name: "builtin", ExitStatus: Always, PasteKnown: true}
}

// Trouble implements [Multiplexer]: each pane has a process of its own, and none
// that all depend on.
func (b *Builtin) Trouble() string { return "" }
