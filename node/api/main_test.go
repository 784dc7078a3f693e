package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"go.uber.org/goleak"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/walky"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A machine answers what a test gives it, and keeps what it was asked.
type machine struct {
	snapshot  api.Snapshot
	pane      api.Pane
	history   api.History
	chat      api.Chat
	blob      api.Blob
	walky     api.Walky
	files     api.Files
	folders   api.Folders
	sent      api.Sent
	launchers api.Launchers
	changes   api.Changes
	events    []api.Event
	frames    []grid.Frame
	stay      bool // a stream goes on until its reader leaves
	err       error

	mu    sync.Mutex
	calls []string
}

func (m *machine) called(format string, args ...any) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, fmt.Sprintf(format, args...))
	return m.err
}

func (m *machine) asked() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.calls, ", ")
}

func (m *machine) Snapshot(context.Context) (api.Snapshot, error) {
	return m.snapshot, m.called("snapshot")
}

func (m *machine) Pane(_ context.Context, id string) (api.Pane, error) {
	return m.pane, m.called("pane %s", id)
}

func (m *machine) History(_ context.Context, id string, from, count int) (api.History, error) {
	return m.history, m.called("history %s %d %d", id, from, count)
}

func (m *machine) Blob(_ context.Context, hash string) (api.Blob, error) {
	return m.blob, m.called("blob %s", hash)
}

func (m *machine) Chat(_ context.Context, id, before string, count int) (api.Chat, error) {
	return m.chat, m.called("chat %s %q %d", id, before, count)
}

func (m *machine) Reply(_ context.Context, id string, r api.Reply) (api.Replied, error) {
	return api.Replied{TextDelivered: true, Submitted: r.Submit}, m.called("reply %s %+v", id, r)
}

func (m *machine) Keys(_ context.Context, id string, k api.Keys) error {
	return m.called("keys %s %+v", id, k)
}

func (m *machine) Answer(_ context.Context, id string, r api.Answer) error {
	return m.called("answer %s %+v", id, r)
}

func (m *machine) Resize(_ context.Context, id string, r api.Resize) error {
	return m.called("resize %s %+v", id, r)
}

func (m *machine) RenameTab(_ context.Context, id string, r api.Rename) error {
	return m.called("tab %s %+v", id, r)
}

func (m *machine) RenameWorkspace(_ context.Context, id string, r api.Rename) error {
	return m.called("workspace %s %+v", id, r)
}

func (m *machine) Rename(_ context.Context, id string, r api.Rename) error {
	return m.called("rename %s %+v", id, r)
}

func (m *machine) Close(_ context.Context, id string) error { return m.called("close %s", id) }

func (m *machine) Walky(_ context.Context, pane string) (api.Walky, error) {
	return m.walky, m.called("walky %q", pane)
}

func (m *machine) WalkySend(_ context.Context, w api.WalkySend) (api.WalkySent, error) {
	return api.WalkySent{ID: "01A", State: "held", Reason: "away"}, m.called("send %+v", w)
}

func (m *machine) Files(_ context.Context, id string, at api.FilesAt) (api.Files, error) {
	return m.files, m.called("files %s %+v", id, at)
}

func (m *machine) Changes(_ context.Context, id string, of api.ChangesOf) (api.Changes, error) {
	return m.changes, m.called("changes %s %+v", id, of)
}

func (m *machine) Worktree(_ context.Context, id string, ask api.Worktree) (api.Worktreed, error) {
	return api.Worktreed{ID: "p2", Path: "/w", Branch: ask.Branch}, m.called("worktree %s %+v", id, ask)
}

func (m *machine) Upload(_ context.Context, id string, upload api.Upload) (api.Uploaded, error) {
	data, err := io.ReadAll(upload.Body)
	if err != nil {
		return api.Uploaded{}, err
	}
	return api.Uploaded{Path: "/u/x", Name: upload.Name, SizeBytes: int64(len(data))}, m.called("upload %s %q %d %q %s", id, upload.Name, upload.Size, upload.Screen, data)
}

func (m *machine) Folders(_ context.Context, at api.FoldersAt) (api.Folders, error) {
	return m.folders, m.called("folders %+v", at)
}

func (m *machine) Sent(context.Context) (api.Sent, error) { return m.sent, m.called("sent") }

func (m *machine) SentForget(_ context.Context, f api.SentForget) (api.SentGone, error) {
	return api.SentGone{Count: 1}, m.called("forget %+v", f)
}

func (m *machine) SentClear(context.Context) (api.SentGone, error) {
	return api.SentGone{Count: 3}, m.called("clear")
}

func (m *machine) Events(ctx context.Context, send func(api.Event) error) error {
	return stream(ctx, m, "events", m.events, send)
}

func (m *machine) Live(ctx context.Context, id string, send func(grid.Frame) error) error {
	return stream(ctx, m, "live "+id, m.frames, send)
}

func stream[T any](ctx context.Context, m *machine, call string, all []T, send func(T) error) error {
	err := m.called("%s", call)
	for _, one := range all {
		if err := send(one); err != nil {
			return err
		}
	}
	if m.stay {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

// handlers serves a machine as a member does, or as a phone sees it.
func handlers(m api.Machine, link bool) *api.Handlers {
	return &api.Handlers{
		Machine: func(r *http.Request) (api.Machine, error) {
			if r.URL.Query().Get("host") == "nobody" {
				return nil, api.ErrHostUnknown.On("nobody")
			}
			return m, nil
		},
		Beat: time.Hour, ETagKey: []byte("key"), Version: "1", Link: link,
	}
}

func router(h *api.Handlers) http.Handler {
	r := httprouter.New()
	for _, route := range h.Routes() {
		r.Handle(route.Method, "/crew/v1"+route.Path, route.Handle)
	}
	return r
}

// ask sends one request to handlers; a body makes it a POST.
func ask(h *api.Handlers, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	request := httptest.NewRequest(method, "/crew/v1"+path, strings.NewReader(body))
	for _, c := range change {
		c(request)
	}
	w := httptest.NewRecorder()
	router(h).ServeHTTP(w, request)
	return w
}

// dial returns a client of handlers behind a real server.
func dial(t *testing.T, h *api.Handlers) *api.Client {
	t.Helper()
	server := httptest.NewServer(router(h))
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableKeepAlives: true}
	return client(roundTrip(func(r *http.Request) (*http.Response, error) {
		r.URL.Host = server.Listener.Addr().String()
		return transport.RoundTrip(r)
	}))
}

func client(transport http.RoundTripper) *api.Client {
	return &api.Client{Transport: transport, Refused: errRefused, Prefix: "/crew/v1", Quiet: 10 * time.Second}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func row(text string) grid.Row {
	return grid.Row{Runs: []grid.Run{{Text: text, Style: "1"}}}
}

func whole() grid.Frame {
	return grid.Frame{
		Seq: 3, Cols: 10, Rows: 2, Cursor: grid.Cursor{Row: 1, Col: 2, Visible: true}, Title: "vim", Screen: "h4sh",
		Echo: true, Masked: true, Above: []grid.Row{{Wrap: true, Runs: []grid.Run{{Text: "above"}}}}, Ends: []grid.Cursor{{Row: 0, Col: 3}},
		Lines: []grid.Line{{I: 0, Row: row("one")}, {I: 1, Row: row("two")}},
	}
}

func herd() api.Snapshot {
	return api.Snapshot{
		At: 1, Mode: "lead", Machines: []api.MachineInfo{{ID: "atlas", Label: "Atlas", State: "reachable", RTTMs: 4}},
		Workspaces: []api.Workspace{{ID: "w1", Host: "atlas", Label: "src", Cwd: "/src"}},
		Tabs:       []api.Tab{{ID: "t1", Host: "atlas", Workspace: "w1", Label: "build", Index: 1}},
		Panes: []api.PaneInfo{{
			ID: "p1", Host: "atlas", Workspace: "w1", Tab: "t1", Title: "vim", Harness: "claude", Status: "idle", Since: 9,
			Cols: 80, Rows: 24, NeedsYou: true, Masked: true, Token: "abc", Cards: []api.Card{{Kind: "walky", ID: "01A", From: "b:p2", At: 7}},
		}},
	}
}

func receipt() *walky.Receipt {
	return &walky.Receipt{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", State: walky.Refused, Reason: "busy", At: time.UnixMilli(5).UTC()}
}

// errRefused is how a transport says that it sent nothing.
var errRefused = errors.New("no link")
