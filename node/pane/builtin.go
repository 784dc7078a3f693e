package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"collie/mesh/notify"
	"collie/node/caller"
	"collie/node/pane/holder"
	"collie/node/pane/origin"
	"collie/node/state"
)

// A BuiltinConfig is what the builtin multiplexer needs. All but Scrollback
// and MaxPanes must be set.
type BuiltinConfig struct {
	// Folder holds the sockets of the panes.
	Folder *state.Folder
	// Executable is the command, with its first arguments, that ends up in
	// holder.Main.
	Executable []string
	// Socket is the value of COLLIE_SOCKET in each pane.
	Socket string
	// Environ is the node's environment. Panes get it without its COLLIE_ keys.
	Environ []string
	// Origin is what the node took from its process at its start, for panes.
	Origin origin.Origin
	// Scrollback is the lines kept of each pane; 0: 10 000.
	Scrollback int
	// MaxPanes is how many panes there may be; 0: 250.
	MaxPanes int
	// Rand is where ids are drawn from.
	Rand io.Reader
	Log  *slog.Logger
}

// Builtin is the multiplexer whose panes are holder processes.
type Builtin struct {
	config   BuiltinConfig
	dir      string // the panes folder
	changes  notify.Hub
	openings Openings

	// attending is every goroutine that follows a holder; ctx ends them.
	attending sync.WaitGroup
	ctx       context.Context
	cancel    context.CancelCauseFunc

	mu       sync.Mutex // guards what follows, and what is in panes
	panes    map[ID]*attachment
	killed   *uint64 // see Killed
	detached bool
}

var _ Multiplexer = (*Builtin)(nil)

// OpenBuiltin finds every holder in the state folder and attaches to it again. A
// socket on which nobody answers is removed with a line in the log; what is no
// pane's socket is reported there and left alone. A holder that lives but does
// not answer yet joins the list when it does.
func OpenBuiltin(ctx context.Context, config BuiltinConfig) (*Builtin, error) {
	config.Scrollback, config.MaxPanes = cmp.Or(config.Scrollback, defaultScrollback), cmp.Or(config.MaxPanes, maxPanes)
	b := &Builtin{config: config, dir: config.Folder.Path(state.Panes), panes: make(map[ID]*attachment)}
	ids, err := b.find()
	if err != nil {
		return nil, err
	}
	b.ctx, b.cancel = context.WithCancelCause(context.Background())
	var tries errgroup.Group
	tries.SetLimit(8)
	for _, id := range ids {
		tries.Go(func() error {
			until := b.mayStart(id)
			conn, err := b.dial(ctx, id, until)
			if errors.Is(err, ErrNotFound) {
				config.Log.Warn("the holder of a pane is gone", "pane", id)
				b.reportCrash(id)
				return nil
			}
			if err != nil {
				config.Log.Warn("the holder of a pane does not answer yet", "pane", id, "error", err)
			}
			b.follow(id, conn, until)
			return nil
		})
	}
	_ = tries.Wait()
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, b.Detach())
	}
	return b, nil
}

// mayStart returns until when a holder may yet begin to answer on its socket.
func (b *Builtin) mayStart(id ID) time.Time {
	info, err := os.Lstat(filepath.Join(b.dir, holder.SocketName(string(id))))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().Add(socketGrace)
}

// Killed tells whether a holder was killed that this Builtin has looked for, and
// since when the oldest of them ran, in clock ticks after the system's start. What
// ran below it is below no holder any more.
func (b *Builtin) Killed() (since uint64, killed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.killed == nil {
		return 0, false
	}
	return *b.killed, true
}

// noteKilled remembers a holder that left its socket behind, which one that ends
// by itself removes. One from before the system's start left nothing else.
func (b *Builtin) noteKilled(id ID) {
	since := uint64(0)
	if info, err := os.Lstat(filepath.Join(b.dir, holder.SocketName(string(id)))); err == nil {
		since = caller.TicksAt(info.ModTime(), time.Now())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.panes[id]; p != nil {
		since = p.holderStart
	}
	if since == 0 {
		return
	}
	b.config.Log.Warn("the holder of a pane was killed: until this node starts again, a terminal that was opened later is no sign of the operator", "pane", id)
	if b.killed == nil || since < *b.killed {
		b.killed = &since
	}
}

// find returns the ids of the panes folder's sockets.
func (b *Builtin) find() ([]ID, error) {
	folder, err := os.Open(b.dir)
	if err != nil {
		return nil, fmt.Errorf("look for panes: %w", err)
	}
	defer folder.Close()
	entries, err := folder.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("look for panes: %w", err)
	}
	if len(entries) == maxEntries {
		b.config.Log.Warn("the panes folder holds too much, the rest is not looked at", "folder", b.dir, "files", maxEntries)
	}
	var ids []ID
	for _, entry := range entries {
		if name, isTrace := strings.CutSuffix(entry.Name(), holder.CrashSuffix); isTrace {
			if id, err := ParseID(name); err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == holder.SocketName(name) }) {
				b.reportCrash(id) // its socket is gone already
			}
			continue
		}
		name, isSocketName := strings.CutSuffix(entry.Name(), holder.SocketName(""))
		id, err := ParseID(name)
		if !isSocketName || err != nil || entry.Type() != fs.ModeSocket {
			b.config.Log.Warn("a file that is no pane's socket is left alone", "folder", b.dir, "file", entry.Name())
			continue
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Detach lets go of every pane and waits until nothing of this Builtin runs. The
// panes live on.
func (b *Builtin) Detach() error {
	b.mu.Lock()
	b.detached = true
	b.mu.Unlock()
	b.cancel(ErrDetached)
	b.attending.Wait()
	return nil
}

// List returns every pane, the oldest first.
func (b *Builtin) List() []Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	listed := make([]*attachment, 0, len(b.panes))
	for _, p := range b.panes {
		listed = append(listed, p)
	}
	slices.SortFunc(listed, func(p, q *attachment) int {
		return cmp.Or(p.pane.StartedAt.Compare(q.pane.StartedAt), cmp.Compare(p.id, q.id))
	})
	infos := make([]Info, len(listed))
	for i, p := range listed {
		infos[i] = p.info()
	}
	return infos
}

// Get returns one pane.
func (b *Builtin) Get(id ID) (Info, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.panes[id]
	if !ok {
		return Info{}, fmt.Errorf("pane %s: %w", id, ErrNotFound)
	}
	return p.info(), nil
}

// Opening implements [Multiplexer].
func (b *Builtin) Opening(started uint64) (over <-chan struct{}) { return b.openings.Over(started) }

// Changes implements [Multiplexer].
func (b *Builtin) Changes() (changed <-chan struct{}, stop func()) {
	return b.changes.Watch()
}
