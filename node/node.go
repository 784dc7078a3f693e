// Package node is what every install has, whatever its role: the state folder,
// panes, the mask, the audit log, walky messages, and the control socket that
// its own commands speak to. A lead and a member are a node and something more.
package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"collie/crypto/atomicfile"
	"collie/mesh/notify"
	"collie/node/api"
	"collie/node/attach"
	"collie/node/audit"
	"collie/node/caller"
	"collie/node/changes"
	"collie/node/chat"
	"collie/node/config"
	"collie/node/control"
	"collie/node/files"
	"collie/node/harness"
	"collie/node/hold"
	"collie/node/launch"
	"collie/node/mask"
	"collie/node/pane"
	"collie/node/pane/origin"
	"collie/node/phoned"
	"collie/node/schedule"
	"collie/node/sent"
	"collie/node/state"
	"collie/node/status"
	"collie/node/tally"
	"collie/node/typing"
	"collie/node/uploads"
	"collie/node/walky"
	"collie/node/webhook"
)

// Options are what a node is opened with. Every field but Rand is needed.
type Options struct {
	Config *config.Config
	// Holder is the command line that runs a pane's holder.
	Holder []string
	// Environ and Origin are what the node was started with: a pane gets it.
	Environ []string
	Origin  origin.Origin
	Build   string
	// Walky are the limits of messages; the default ones when nil. A load test
	// raises them.
	Walky *walky.Limits
	Now   func() time.Time
	Rand  io.Reader
	Log   *slog.Logger
}

// A Node is one running Collie without its role.
type Node struct {
	Folder *state.Folder
	Config *config.Config
	Panes  pane.Multiplexer
	Mask   *mask.Mask // nil when COLLIE_REDACT=off
	Audit  *audit.Log
	Walky  *walky.Station
	Sent   *sent.Book
	Hooks  *webhook.Desk
	Agenda *schedule.Agenda
	Status *status.Board
	Tally  *tally.Tally // of what replies met
	Phoned *phoned.Book // what phones had typed
	Build  string

	now       func() time.Time
	log       *slog.Logger
	harnesses *harness.Set
	turns     *turns
	typist    *typing.Typist
	sizes     attach.Sizes // of the terminals that show a pane
	chats     chat.Library
	sessions  sessions    // that hooks told of
	dialogs   dialogs     // of them, that were seen on a screen
	holds     *hold.Board // permissions that wait for a tap
	rules     sent.Rules
	recent    *launch.Recent
	shell     string // of the account
	path      string // where programs are looked for
	resolver  *caller.Resolver
	screenKey []byte
	etagKey   []byte
	files     *files.Viewer
	git       *changes.Git
	uploads   *uploads.Store
	home      string        // of the account
	looks     chan struct{} // holds one value for each look at the disk for a phone
	trees     chan struct{} // holds one value while a worktree is made
	pace      pace          // of what agents ask for

	self atomic.Pointer[string] // this machine's id in its crew

	walkyChanges notify.Hub // of messages to this machine's panes
	stopNudging  func()
}

// Open takes the state folder and brings back what is in it: the panes of an
// earlier run go on with their screens.
func Open(ctx context.Context, o Options) (n *Node, err error) {
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	n = &Node{
		Config: o.Config, Build: o.Build, now: o.Now, log: o.Log,
		screenKey: make([]byte, 32), etagKey: make([]byte, 32),
	}
	for _, key := range [][]byte{n.screenKey, n.etagKey} {
		if _, err := io.ReadFull(o.Rand, key); err != nil {
			return nil, fmt.Errorf("draw a key: %w", err)
		}
	}
	if n.harnesses, err = harness.Load(filepath.Join(o.Config.Dir, harness.TableName)); err != nil {
		return nil, err
	}
	hides := mask.New()
	n.rules = sent.NewRules(hides)
	if o.Config.On("COLLIE_REDACT") {
		n.Mask = hides
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if err = o.Config.Narrow(o.Log); err != nil {
		return n, err
	}
	if n.Folder, err = state.Open(o.Config.Get("COLLIE_STATE_DIR"), o.Log); err != nil {
		return n, err
	}
	n.Audit, err = audit.Open(n.Folder.Path("audit.log"), audit.Options{
		Content: audit.Content(o.Config.Get("COLLIE_AUDIT_CONTENT")), Now: o.Now, Log: o.Log,
		Hide: func(text string) string { // also where nothing is masked for a phone
			masked, _ := hides.Text(text, mask.Options{Surface: "sent"})
			return masked
		},
	})
	if err != nil {
		return n, err
	}
	n.Sent = sent.Open(n.Folder.Path("sent.jsonl"), sent.Options{
		Off: !o.Config.On("COLLIE_SENT"), Now: o.Now, Rand: o.Rand, Log: o.Log,
	})
	n.Tally = tally.Open(n.Folder.Path("composer.json"), o.Now, o.Log)
	n.Phoned = phoned.Open(n.Folder.Path("phoned.json"), phoned.Options{
		Hide: func(text string) string {
			masked, _ := hides.Text(text, mask.Options{Surface: "chat"})
			return masked
		},
		Now: o.Now, Rand: o.Rand, Log: o.Log,
	})
	n.recent = launch.OpenRecent(n.Folder.Path("commands-recent.json"), o.Log)
	if err = n.openPanes(ctx, o); err != nil {
		return n, err
	}
	n.Status = status.Open(n.Panes, n.harnesses, o.Now, o.Log)
	n.Status.ReadLogs(newTails(n).read)
	n.turns = newTurns(n.Panes)
	n.typist = &typing.Typist{Panes: n.Panes, Look: n.Status.Look, Log: o.Log}
	n.holds = hold.New(o.Now, o.Rand, n.walkyChanges.Signal)
	n.files, n.looks = files.New(n.Folder.Dir(), o.Config.Dir), make(chan struct{}, maxLooks)
	n.trees = make(chan struct{}, 1)
	n.home, n.path, n.shell = cmp.Or(valueOf(o.Environ, "HOME"), "/"), valueOf(o.Environ, "PATH"), valueOf(o.Environ, "SHELL")
	if !filepath.IsAbs(n.shell) {
		n.shell = "/bin/sh"
	}
	n.git = changes.New(o.Environ, writeUmask(o.Origin), n.files.Hides)
	n.uploads = uploads.Open(uploads.Config{Folder: n.Folder.Path("uploads"), Disk: atomicfile.OS{}, Now: o.Now, Rand: o.Rand, Log: o.Log})
	n.resolver = caller.NewResolver(holders{n.Panes})
	n.resolver.Socket, n.resolver.Seats, n.resolver.Opening = n.Folder.Path(control.SocketName), n.seats, n.Panes.Opening
	if panes, ok := n.Panes.(interface{ Killed() (uint64, bool) }); ok {
		n.resolver.Killed = panes.Killed
	}
	n.resolver.IsHarness = func(p caller.Process) bool { return n.harnesses.Of(p.Name, p.Args) != nil }
	limits := walky.DefaultLimits()
	if o.Walky != nil {
		limits = *o.Walky
	}
	n.Walky, err = walky.New(walky.Config{
		Folder: n.Folder.Path("walky"), Terminal: terminal{n}, Limits: limits,
		Off: !o.Config.On("COLLIE_WALKY"), Now: o.Now, Rand: o.Rand, Log: o.Log,
		Audit: n.auditWalky, Changed: func(string) { n.walkyChanges.Signal() },
	})
	if err != nil {
		return n, err
	}
	n.stopNudging = n.nudge()
	n.Hooks = webhook.Open(webhook.Config{Folder: n.Folder.Dir(), Post: n.post, Now: o.Now, Rand: o.Rand, Log: o.Log})
	n.Agenda = schedule.Open(schedule.Config{Folder: n.Folder.Dir(), Post: n.post, Now: o.Now, Rand: o.Rand, Log: o.Log})
	return n, nil
}

// Close lets go of everything; the panes go on.
func (n *Node) Close() error {
	var err error
	if n.stopNudging != nil {
		n.stopNudging()
	}
	if n.Walky != nil {
		err = n.Walky.Close()
	}
	if n.Status != nil {
		n.Status.Close()
	}
	if n.uploads != nil {
		n.uploads.Close()
	}
	if n.Panes != nil {
		err = errors.Join(err, n.Panes.Detach())
	}
	if n.Tally != nil {
		n.Tally.Close()
	}
	if n.Phoned != nil {
		n.Phoned.Close()
	}
	if n.Audit != nil {
		err = errors.Join(err, n.Audit.Close())
	}
	if n.Folder != nil {
		err = errors.Join(err, n.Folder.Close())
	}
	return err
}

// Local is this machine as a phone or its lead may see it.
func (n *Node) Local() *Local { return &Local{n} }

// Handlers are the routes of a machine, for a phone or for the link.
func (n *Node) Handlers(machine func(*http.Request) (api.Machine, error), beat time.Duration) *api.Handlers {
	return &api.Handlers{
		Machine: machine, Beat: beat, Mask: n.Mask, ETagKey: n.etagKey, Version: strconv.Itoa(mask.Version),
		Log: func(r *http.Request, err error) {
			n.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		},
	}
}

// Resolve places a caller on the control socket in the process tree.
func (n *Node) Resolve(ctx context.Context, c caller.Credentials) (caller.Caller, error) {
	return n.resolver.Resolve(ctx, c)
}

// Rules say which lines may be kept after they were sent.
func (n *Node) Rules() sent.Rules { return n.rules }

// Masking reports whether this machine masks.
func (n *Node) Masking() bool { return n.Mask != nil }

// Harnesses lists the agents that this machine recognises.
func (n *Node) Harnesses() []string { return n.harnesses.Names() }

// auditWalky writes down what the journal holds already. So messages that come at
// once share a sync of the log, as they do one of the journal.
func (n *Node) auditWalky(event walky.Event) {
	sync, err := n.Audit.Add(audit.Entry{Action: event.Action, Pane: event.Pane, Host: event.Host, Device: event.Device, What: audit.ID(event.ID), Outcome: event.Outcome})
	if err == nil {
		err = sync()
	}
	if err != nil {
		n.log.Error("a walky message could not be audited", "message", event.ID, "error", err)
	}
}

// holders are the panes as the process tree is searched for them.
type holders struct{ panes pane.Multiplexer }

func (h holders) Holders() []caller.Holder {
	list := h.panes.List()
	all := make([]caller.Holder, 0, len(list))
	for _, info := range list {
		program := info.PID
		if info.Exited != nil {
			program = 0 // the kernel may give its number to another process
		}
		all = append(all, caller.Holder{
			Pane: string(info.ID), PID: info.HolderPID, StartTime: info.HolderStart,
			ProgramPID: program, Harness: info.Harness, OpenedByOperator: info.OpenedByOperator,
			ServerPID: info.ServerPID, Terminal: info.Terminal,
		})
	}
	return all
}
