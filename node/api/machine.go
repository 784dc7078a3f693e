package api

import (
	"context"

	"collie/node/grid"
)

// A Machine answers for the panes of one machine, here or at the other end of
// a crew link. Its text is already masked as far as that machine masks. Every
// method returns an *Error for a refusal; a write returns once it took effect.
type Machine interface {
	Snapshot(ctx context.Context) (Snapshot, error)
	// Events sends the snapshot, then what changes, until ctx ends or send
	// fails.
	Events(ctx context.Context, send func(Event) error) error
	Pane(ctx context.Context, id string) (Pane, error)
	// Live sends the whole screen, then changed rows, until ctx ends, send
	// fails, or the pane is gone (ErrPaneNotFound).
	Live(ctx context.Context, id string, send func(grid.Frame) error) error
	History(ctx context.Context, id string, from, count int) (History, error)
	// Chat returns turns of the session in a pane, before one of them or the
	// newest.
	Chat(ctx context.Context, id, before string, count int) (Chat, error)
	Reply(ctx context.Context, id string, reply Reply) (Replied, error)
	Keys(ctx context.Context, id string, keys Keys) error
	Rename(ctx context.Context, id string, rename Rename) error
	Resize(ctx context.Context, id string, size Resize) error
	Close(ctx context.Context, id string) error
	RenameTab(ctx context.Context, tab string, rename Rename) error
	RenameWorkspace(ctx context.Context, workspace string, rename Rename) error
	Walky(ctx context.Context, pane string) (Walky, error)
	WalkySend(ctx context.Context, send WalkySend) (WalkySent, error)
	BlobMachine
	FileMachine
	ChangesMachine
	UploadMachine
	SentBook
	PromptMachine
	Launcher
	Loaded
}

type deviceKey struct{}

// WithDevice says which paired device a request came from.
func WithDevice(ctx context.Context, label string) context.Context {
	return context.WithValue(ctx, deviceKey{}, label)
}

// Device returns the paired device that a request came from, or "".
func Device(ctx context.Context) string {
	label, _ := ctx.Value(deviceKey{}).(string)
	return label
}
