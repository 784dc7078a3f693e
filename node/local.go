package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/audit"
	"collie/node/harness"
	"collie/node/mask"
	"collie/node/mirror"
	"collie/node/pane"
	"collie/node/status"
	"collie/node/trust"
)

// Local is this machine as a phone or a lead may see it: its panes, masked by
// its own mask, and written to under its own rules.
type Local struct {
	node *Node
}

var _ api.Machine = (*Local)(nil)

func (l *Local) Snapshot(ctx context.Context) (api.Snapshot, error) {
	n := l.node
	cards := n.cards()
	tokens, err := n.tokens(ctx)
	if err != nil {
		return api.Snapshot{}, err
	}
	s := api.Snapshot{At: n.now().UnixMilli(), Mode: "solo", Workspaces: []api.Workspace{}, Tabs: []api.Tab{}, Panes: []api.PaneInfo{}}
	s.Trouble, _ = n.maskText(n.Panes.Trouble(), "title")
	workspaces, tabs := map[string]bool{}, map[string]int{}
	for _, info := range n.Panes.List() {
		if len(s.Panes) == api.MaxPanes {
			break
		}
		if !workspaces[info.Workspace] {
			workspaces[info.Workspace] = true
			cwd, _ := n.maskText(info.Root, "file")
			s.Workspaces = append(s.Workspaces, api.Workspace{ID: info.Workspace, Label: cmp.Or(info.WorkspaceLabel, filepath.Base(cwd)), Cwd: cwd})
		}
		if _, ok := tabs[info.Tab]; !ok {
			s.Tabs = append(s.Tabs, api.Tab{ID: info.Tab, Workspace: info.Workspace, Label: info.TabLabel, Index: len(s.Tabs)})
		}
		shown := l.paneInfo(info, tabs[info.Tab], cards[string(info.ID)])
		shown.Token = tokens[shown.ID]
		s.Panes = append(s.Panes, shown)
		tabs[info.Tab]++
	}
	return s, nil
}

func (l *Local) paneInfo(info pane.Info, index int, cards []api.Card) api.PaneInfo {
	title, masked := l.node.maskText(info.Title, "title")
	belief := l.node.Status.Of(info)
	questions := l.node.paneCards(info.ID, belief)
	if i := slices.IndexFunc(questions, func(c api.Card) bool { return c.Held }); i >= 0 && !belief.Status.Needs() {
		belief.Status, belief.Why, belief.Since = harness.Blocked, "it asks for a permission", time.UnixMilli(questions[i].At)
		belief.Source = status.Hook
	}
	cards = append(questions, cards...)
	command, commandMasked := l.node.maskText(commandOf(info.Command), "file")
	shown := api.PaneInfo{
		ID: string(info.ID), Workspace: info.Workspace, Tab: info.Tab, Index: index,
		Title: title, Label: info.Label, Harness: belief.Harness(), Command: trust.Clean(command, api.MaxNameBytes), Program: l.node.programID(belief.Program),
		Status: string(belief.Status), Why: belief.Why, Source: string(belief.Source), Since: belief.Since.UnixMilli(),
		ExitCode: info.Exited,
		Cols:     info.Cols, Rows: info.Rows,
		NeedsYou: belief.Status.Needs() || len(questions) > 0,
		Cards:    cards, Masked: masked || commandMasked,
	}
	if belief.Source == status.Hook {
		shown.WhyTrust, shown.WhyMark = trust.Participant.String(), trust.HookMark(belief.Harness()).String()
	}
	return shown
}

// commandOf is a command as a person names it, without the folder of its program.
func commandOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return strings.Join(append([]string{filepath.Base(words[0])}, words[1:]...), " ")
}

// Events sends the snapshot and then what changes, and what became of messages
// that other machines sent. It waits for the panes and the walky station to
// speak up; nothing is polled.
func (l *Local) Events(ctx context.Context, send func(api.Event) error) error {
	changes, stop := l.node.Panes.Changes()
	defer stop()
	beliefs, stopBeliefs := l.node.Status.Changes()
	defer stopBeliefs()
	messages, stopMessages := l.node.walkyChanges.Watch()
	defer stopMessages()
	recent, receipts, stopReceipts := l.node.Walky.Receipts()
	defer func() { stopReceipts() }()
	last, err := l.Snapshot(ctx)
	if err != nil {
		return err
	}
	first := last // the receiver's to keep
	if err := send(api.Event{Snapshot: &first}); err != nil {
		return err
	}
	for {
		for _, report := range recent {
			if err := send(api.Event{Receipt: &report.Receipt}); err != nil {
				return err
			}
		}
		recent = recent[:0]
		select {
		case <-ctx.Done():
			return ctx.Err()
		case report, ok := <-receipts:
			if ok {
				recent = append(recent, report)
			} else { // this reader was too slow; it starts again from the last ones
				recent, receipts, stopReceipts = l.node.Walky.Receipts()
			}
			continue
		case <-changes:
		case <-beliefs:
		case <-messages:
		}
		next, err := l.Snapshot(ctx)
		if err != nil {
			return err
		}
		change, gone := api.Diff(&last, &next)
		last = next
		if gone != nil {
			err = send(api.Event{Gone: gone})
		}
		if change != nil {
			err = errors.Join(err, send(api.Event{Change: change}))
		}
		if err != nil {
			return err
		}
	}
}

func (l *Local) Pane(ctx context.Context, id string) (api.Pane, error) {
	frame, err := l.node.Panes.Screen(ctx, pane.ID(id))
	if err != nil {
		return api.Pane{}, paneError(err)
	}
	seq := frame.Seq
	frame, err = l.mirror(id, l.node.Status.Front).Apply(frame)
	if err != nil {
		return api.Pane{}, err
	}
	frame.Seq = seq
	return api.Pane{ID: id, Frame: frame}, nil
}

func (l *Local) History(ctx context.Context, id string, from, count int) (api.History, error) {
	lines, err := l.node.Panes.History(ctx, pane.ID(id), from, count)
	if err != nil {
		return api.History{}, paneError(err)
	}
	history := api.History{From: from, Total: lines.Total, Rows: lines.Rows, Above: lines.Above, Below: lines.Below}
	mirror.Hide(l.node.Mask, &history.Above, &history.Rows, &history.Below)
	return history, nil
}

func (l *Local) Keys(ctx context.Context, id string, keys api.Keys) error {
	if len(keys.Keys) == 0 || len(keys.Keys) > api.MaxKeys || len(keys.Client) > maxClientBytes {
		return api.ErrBadRequest.With("1 to 256 keys")
	}
	_, err := write(l, ctx, "pane.keys", id, audit.Typed(keys.Keys), func(w *writer) (api.Done, error) {
		from, known := w.pages[keys.Client]
		if known && keys.N == from.n {
			return api.Done{OK: true}, nil // a repeat of what was done
		}
		if known && keys.N < from.n { // nobody knows whether it was
			return api.Done{}, api.ErrRepeated
		}
		if err := l.meantFor(pane.ID(id), keys, &from); err != nil {
			return api.Done{}, err
		}
		if err := l.escapes(ctx, w, pane.ID(id), keys.Keys); err != nil {
			return api.Done{}, err
		}
		data, err := l.encode(ctx, pane.ID(id), keys.Keys)
		if err != nil {
			return api.Done{}, err
		}
		if keys.Client != "" {
			if len(w.pages) >= maxPages {
				clear(w.pages)
			}
			from.n = keys.N
			w.pages[keys.Client] = from
		}
		if err := l.node.Panes.Input(ctx, pane.ID(id), data); err != nil {
			return api.Done{}, err
		}
		emptied := pane.EmptiesLine(keys.Keys[len(keys.Keys)-1])
		w.pressed(emptied)
		if emptied {
			l.node.Walky.Nudge(id)
		}
		l.countKeys(ctx, w, keys.Keys)
		return api.Done{OK: true}, nil
	})
	return err
}

// encode returns what a terminal sends for keys. The pane is asked for its modes
// only when they make a difference: most keys have one code, and somebody waits
// for the echo.
func (l *Local) encode(ctx context.Context, id pane.ID, keys []string) ([]byte, error) {
	plain, err := pane.EncodeKeys(keys, pane.Modes{})
	if err != nil {
		return nil, err
	}
	application, err := pane.EncodeKeys(keys, pane.Modes{ApplicationCursor: true})
	if err != nil || bytes.Equal(plain, application) {
		return plain, err
	}
	modes, err := l.node.Panes.Modes(ctx, id)
	if err != nil {
		return nil, err
	}
	return pane.EncodeKeys(keys, modes)
}

func (l *Local) Rename(ctx context.Context, id string, rename api.Rename) error {
	_, err := write(l, ctx, "pane.rename", id, audit.Text(rename.Label), func(*writer) (api.Done, error) {
		return api.Done{OK: true}, l.node.Panes.Rename(ctx, pane.ID(id), rename.Label)
	})
	return err
}

// Resize gives a pane another size, unless somebody has it open in a terminal.
func (l *Local) Resize(ctx context.Context, id string, size api.Resize) error {
	_, err := write(l, ctx, "pane.resize", id, audit.What{}, func(*writer) (api.Done, error) {
		if l.node.sizes.IsOpen(pane.ID(id)) {
			return api.Done{}, api.ErrPaneOpen
		}
		return api.Done{OK: true}, l.node.Panes.Resize(ctx, pane.ID(id), size.Cols, size.Rows)
	})
	return err
}

func (l *Local) Close(ctx context.Context, id string) error {
	_, err := write(l, ctx, "pane.close", id, audit.What{}, func(*writer) (api.Done, error) {
		return api.Done{OK: true}, l.node.Panes.Close(ctx, pane.ID(id))
	})
	return err
}

// write does one audited write to a pane while it has the turn there.
func write[T any](l *Local, ctx context.Context, action, id string, what audit.What, do func(*writer) (T, error)) (T, error) {
	var none T
	w, done, err := l.node.turns.take(ctx, pane.ID(id))
	if err != nil {
		return none, paneError(err)
	}
	defer done()
	return audited(l, ctx, action, id, what, func() (T, error) { return do(w) })
}

// audited does one write to a pane. Its line is in the audit log, as accepted,
// before anything is done, and on the disk before anybody hears that it was; a
// second line follows when the write did not end as asked.
func audited[T any](l *Local, ctx context.Context, action, id string, what audit.What, do func() (T, error)) (answer T, err error) {
	entry := audit.Entry{Action: action, Pane: id, Device: api.Device(ctx), Via: Via(ctx), What: what}
	err = l.node.noted(entry, func() error {
		answer, err = do()
		return paneError(err)
	})
	return answer, err
}

func (n *Node) maskText(text, surface string) (string, bool) {
	if n.Mask == nil {
		return text, false
	}
	return n.Mask.Text(text, mask.Options{Surface: surface})
}

type viaKey struct{}

// WithVia says which way a request came in: phone, crew, or cli.
func WithVia(ctx context.Context, via string) context.Context {
	return context.WithValue(ctx, viaKey{}, via)
}

// Via returns the way that a request came in.
func Via(ctx context.Context) string {
	via, _ := ctx.Value(viaKey{}).(string)
	return via
}

// OpenShell opens a pane with the account's shell for the operator.
func (n *Node) OpenShell(ctx context.Context) error {
	_, err := n.Panes.New(ctx, pane.Spec{OpenedByOperator: true})
	return err
}
