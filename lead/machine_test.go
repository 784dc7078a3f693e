package lead

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/audit"
	"collie/node/config"
	"collie/node/grid"
	"collie/node/link"
	"collie/node/load"
	"collie/node/mask"
	"collie/node/sent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noon is the lead's clock in tests.
var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// secretText is a secret of a form that the mask knows, put together so that no
// scanner takes this file for a leak.
var secretText = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

// machine is one whose answers a test writes, and which keeps the writes that
// reach it.
type machine struct {
	snapshot  api.Snapshot
	pane      api.Pane
	history   api.History
	chat      api.Chat
	blob      api.Blob
	messages  api.Walky
	files     api.Files
	folders   api.Folders
	reading   load.Reading
	loads     int // how often Load was called
	sent      api.Sent
	launchers api.Launchers
	changes   api.Changes
	uploaded  api.Uploaded
	err       error // of every call

	// events and frames are sent by Events and Live, which then wait for the
	// end of their context, or fail with err.
	events []api.Event
	frames []grid.Frame

	mu     sync.Mutex
	writes []string
}

func (m *machine) wrote(words ...string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes = append(m.writes, strings.Join(words, " "))
	return m.err
}

func (m *machine) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.writes)
}

func (m *machine) Snapshot(context.Context) (api.Snapshot, error) { return m.snapshot, m.err }

func (m *machine) Events(ctx context.Context, send func(api.Event) error) error {
	for _, event := range m.events {
		if err := send(event); err != nil {
			return err
		}
	}
	if m.err != nil {
		return m.err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (m *machine) Pane(_ context.Context, id string) (api.Pane, error) {
	return m.pane, m.wrote("pane", id)
}

func (m *machine) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	for _, frame := range m.frames {
		if err := send(frame); err != nil {
			return err
		}
	}
	if m.err != nil {
		return m.err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (m *machine) History(_ context.Context, id string, _, _ int) (api.History, error) {
	return m.history, m.wrote("history", id)
}

func (m *machine) Blob(_ context.Context, hash string) (api.Blob, error) {
	return m.blob, m.wrote("blob", hash)
}

func (m *machine) Chat(_ context.Context, id, before string, _ int) (api.Chat, error) {
	return m.chat, m.wrote("chat", id, before)
}

func (m *machine) Reply(_ context.Context, id string, reply api.Reply) (api.Replied, error) {
	return api.Replied{TextDelivered: true, Submitted: reply.Submit}, m.wrote("reply", id, reply.Text)
}

func (m *machine) Keys(_ context.Context, id string, keys api.Keys) error {
	return m.wrote(append([]string{"keys", id}, keys.Keys...)...)
}

func (m *machine) Rename(_ context.Context, id string, rename api.Rename) error {
	return m.wrote("rename", id, rename.Label)
}

func (m *machine) Answer(_ context.Context, id string, answer api.Answer) error {
	return m.wrote("answer", id, fmt.Sprint(answer))
}

func (m *machine) Resize(_ context.Context, id string, size api.Resize) error {
	return m.wrote("resize", id, fmt.Sprint(size))
}

func (m *machine) RenameTab(_ context.Context, id string, r api.Rename) error {
	return m.wrote("tab", id, r.Label)
}

func (m *machine) RenameWorkspace(_ context.Context, id string, r api.Rename) error {
	return m.wrote("workspace", id, r.Label)
}

func (m *machine) Close(_ context.Context, id string) error { return m.wrote("close", id) }

func (m *machine) Walky(_ context.Context, pane string) (api.Walky, error) {
	return m.messages, m.wrote("walky", pane)
}

func (m *machine) WalkySend(_ context.Context, message api.WalkySend) (api.WalkySent, error) {
	return api.WalkySent{ID: "1"}, m.wrote("send", message.To, message.Body)
}

func (m *machine) Files(context.Context, string, api.FilesAt) (api.Files, error) {
	return m.files, m.err
}

func (m *machine) Folders(context.Context, api.FoldersAt) (api.Folders, error) {
	return m.folders, m.err
}

func (m *machine) Sent(context.Context) (api.Sent, error) { return m.sent, m.wrote("sent") }

func (m *machine) SentForget(_ context.Context, forget api.SentForget) (api.SentGone, error) {
	return api.SentGone{Count: 1}, m.wrote("forget", forget.ID)
}

func (m *machine) SentClear(context.Context) (api.SentGone, error) {
	return api.SentGone{Count: 2}, m.wrote("clear")
}

func (m *machine) Changes(context.Context, string, api.ChangesOf) (api.Changes, error) {
	return m.changes, m.err
}

func (m *machine) Worktree(_ context.Context, id string, ask api.Worktree) (api.Worktreed, error) {
	return api.Worktreed{ID: "p2", Branch: ask.Branch}, m.wrote("worktree", id, ask.Branch)
}

func (m *machine) Upload(_ context.Context, id string, upload api.Upload) (api.Uploaded, error) {
	m.uploaded.Name = upload.Name
	return m.uploaded, m.wrote("upload", id, upload.Name)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// atlas is a member as the lead shows it.
func atlas(t testing.TB, machine *machine) *remote {
	t.Helper()
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.log"), audit.Options{Content: audit.Preview})
	must(t, err)
	t.Cleanup(func() { must(t, log.Close()) })
	return &remote{machine: machine, own: newMachine(), host: "atlas", mask: mask.New(), audit: log, rules: sent.NewRules(mask.New()), journal: journaled{}}
}

func newMachine() *machine { return &machine{} }

// openNode opens a whole node without panes.
func openNode(t testing.TB, log *slog.Logger) *node.Node {
	t.Helper()
	dir := t.TempDir()
	settings, err := config.Load([]string{"COLLIE_STATE_DIR=" + filepath.Join(dir, "state"), "COLLIE_CONFIG_DIR=" + filepath.Join(dir, "config")})
	must(t, err)
	n, err := node.Open(t.Context(), node.Options{Config: settings, Holder: []string{"/bin/false"}, Build: "test", Now: time.Now, Log: log})
	must(t, err)
	t.Cleanup(func() { must(t, n.Close()) })
	return n
}

// paneOf is a pane that passes the grammar.
func paneOf(id string) api.PaneInfo {
	return api.PaneInfo{ID: id, Workspace: "w1", Tab: "t1", Title: "title of " + id, Cols: 80, Rows: 24}
}

// crewOf is a crew of a lead and members of these ids.
func crewOf(members ...string) *trust.Crew {
	crew := &trust.Crew{Role: trust.RoleLead, Self: trust.Self{SelfID: "barn", SelfLabel: "Barn"}}
	for _, id := range members {
		crew.Members = append(crew.Members, trust.Member{ID: id, Label: "label of " + id})
	}
	return crew
}

// leading is the herd of a crew with these members, with p1 on each machine.
func leading(t *testing.T, local *machine, members map[string]*machine) *herd {
	t.Helper()
	h := newHerd(local, func() time.Time { return noon })
	var ids []string
	for id := range members {
		ids = append(ids, id)
	}
	h.lead(crewOf(ids...), "build")
	h.set(func() { h.own = snapshotOf("p1") })
	for id, member := range members {
		h.update(id, func(f *follower) {
			show(f, mesh.Link{State: mesh.StateReachable, SeenAt: noon})
			f.machine = member
			f.current(snapshotOf("p1"))
		})
	}
	return h
}

// show shows a link as a follower does.
func show(f *follower, state mesh.Link) {
	f.show(state, link.Advise(state, link.Peer{ID: f.info.ID}, noon))
}

// merged is the herd as a phone that asks once gets it.
func merged(h *herd, host string) api.Snapshot {
	now, _ := h.look(host)
	return now.snapshot()
}

func snapshotOf(panes ...string) api.Snapshot {
	s := api.Snapshot{Workspaces: []api.Workspace{{ID: "w1"}}, Tabs: []api.Tab{{ID: "t1", Workspace: "w1"}}}
	for _, id := range panes {
		s.Panes = append(s.Panes, paneOf(id))
	}
	return s
}

// places lists where the panes of a snapshot are.
func places(s api.Snapshot) []string {
	list := []string{}
	for _, pane := range s.Panes {
		list = append(list, pane.Host+":"+pane.ID)
	}
	return list
}
