package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/julienschmidt/httprouter"
	"golang.org/x/sys/unix"

	"collie/lead/frontdoor"
	"collie/lead/pairing"
	"collie/node"
	"collie/node/api"
	"collie/node/attach"
	"collie/node/audit"
	"collie/node/control"
)

// silentWrites leave no line of their own in the audit log, for a reason each.
var silentWrites = map[string]string{
	"/walky/read/:id":   "that a message was read is in the journal, and says nothing about a pane",
	"/wakes":            "only an agent session books one; held by the tests of package node",
	"/wakes/:id/cancel": "the same",
	"/hook":             "an event tells, and writes nothing; what is typed because of it has its own line",
	"/hook/hold":        "a question that waits; the tap that answers it has its own line",
	"/walky/reply":      "it is /walky/send with the address of an earlier message",
}

// TestEveryWriteLeavesALineAndIsRefusedWithoutOne walks every write of the
// control socket and of the phone's API. A route that is added there needs a row
// here.
func TestEveryWriteLeavesALineAndIsRefusedWithoutOne(t *testing.T) {
	t.Parallel()
	atlas, juno := begin(t, t.TempDir(), "COLLIE_LABEL=atlas"), begin(t, t.TempDir(), "COLLIE_LABEL=juno")
	w := &walked{t: t, seen: map[string]bool{}}

	var made control.ID
	w.cli(atlas, "/panes", "", "pane.new", control.PaneNew{Command: []string{"cat"}, Harness: "agent"}, &made)
	var spare control.ID
	w.cli(atlas, "/panes", "", "pane.new", control.PaneNew{Command: []string{"cat"}}, &spare)
	w.cli(atlas, "/panes/:id/send", made.ID, "pane.reply", control.PaneSend{Text: "hello"}, nil)
	w.cli(atlas, "/panes/:id/keys", made.ID, "pane.keys", control.PaneKeys{Keys: []string{"Enter"}}, nil)
	w.cli(atlas, "/panes/:id/rename", made.ID, "pane.rename", control.PaneRename{Label: "build"}, nil)
	w.write(atlas, "/panes/:id/attach", "pane.attach", func() error {
		stream, err := atlas.client.Stream(t.Context(), "/panes/"+spare.ID+"/attach", attach.Size{Cols: 80, Rows: 24})
		if err != nil {
			return err
		}
		return stream.Close()
	})
	w.cli(atlas, "/panes/:id/close", spare.ID, "pane.close", struct{}{}, nil)

	address := get[[]control.WalkySession](t, atlas, "/walky/who")[0].Address
	w.cli(atlas, "/walky/send", "", "walky.send", control.WalkySend{To: address, Body: "hello"}, nil)
	w.cli(atlas, "/walky/cancel/:id", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "walky.cancel", struct{}{}, nil)

	w.cli(atlas, "/local", "", "skill.install", control.Local{Command: "skill install"}, nil)
	w.cli(atlas, "/sent/clear", "", "sent.clear", struct{}{}, nil)
	line := func() string {
		shell := post[control.ID](t, atlas, "/panes", control.PaneNew{Command: []string{"cat"}}).ID
		post[control.OK](t, atlas, "/panes/"+shell+"/send", control.PaneSend{Text: "make", Enter: true})
		return get[[]control.SentLine](t, atlas, "/sent")[0].ID
	}
	w.cli(atlas, "/sent/forget", "", "sent.forget", api.SentForget{ID: line()}, nil)
	w.cli(atlas, "/channels", "", "channel.add", control.ChannelAdd{Name: "ci", Format: "github", To: made.ID}, nil)
	w.cli(atlas, "/channels/:name/remove", "ci", "channel.remove", struct{}{}, nil)
	w.cli(atlas, "/schedules", "", "schedule.add", control.ScheduleAdd{Name: "night", Cron: "@daily", To: made.ID, Text: "x"}, nil)
	w.cli(atlas, "/schedules/:name/remove", "night", "schedule.remove", struct{}{}, nil)

	var code control.PairCode
	w.cli(atlas, "/pair", "", "pair.code", control.PairRequest{}, &code)
	phone := &webPhone{url: string(get[control.Status](t, atlas, "/status").HTTP.URL)}
	w.phone(atlas, phone, "/pair", "", "device.pair", map[string]string{"code": code.Code, "label": "pixel"})
	for _, verb := range []string{"set-expiry", "clear-expiry"} {
		w.cli(atlas, "/devices/:label/"+verb, "pixel", "device.expiry", control.PairRequest{Lifetime: "30d"}, nil)
	}
	w.phone(atlas, phone, "/token/renew", "", "device.renew", struct{}{})
	quiet := post[control.ID](t, atlas, "/panes", control.PaneNew{Command: []string{"cat"}}).ID
	var shown api.Pane
	must(t, phone.get(t, "/api/pane/"+quiet, &shown))
	w.phone(atlas, phone, "/pane/:id/reply", quiet, "pane.reply", api.Reply{Text: "hello", Screen: shown.Screen})
	w.phone(atlas, phone, "/pane/:id/keys", made.ID, "pane.keys", api.Keys{Keys: []string{"x"}})
	w.write(atlas, "phone /pane/:id/upload", "pane.upload", func() error {
		return phone.post(t, "/api/pane/"+made.ID+"/upload?screen="+shown.Screen, struct{}{})
	})
	w.phone(atlas, phone, "/pane/:id/worktree", made.ID, "pane.worktree", api.Worktree{Branch: "fix"})
	w.phone(atlas, phone, "/pane/:id/answer", made.ID, "pane.answer", api.Answer{Card: "none", Option: "1"})
	w.phone(atlas, phone, "/pane/:id/resize", made.ID, "pane.resize", api.Resize{Cols: 44, Rows: 18})
	of := get[[]control.Pane](t, atlas, "/panes")[0]
	w.phone(atlas, phone, "/tab", "", "tab.rename", api.Relabel{ID: of.Tab, Label: "x"})
	w.phone(atlas, phone, "/workspace", "", "workspace.rename", api.Relabel{ID: of.Workspace, Label: "x"})
	w.phone(atlas, phone, "/pane/:id/rename", made.ID, "pane.rename", api.Rename{Label: "x"})
	w.phone(atlas, phone, "/sent/forget", "", "sent.forget", api.SentForget{ID: line()})
	w.phone(atlas, phone, "/sent/clear", "", "sent.clear", struct{}{})
	w.phone(atlas, phone, "/launchers", "", "launcher.add", map[string]any{"add": api.AddedRow{Name: "x", Harness: "claude"}})
	w.phone(atlas, phone, "/launch", "", "pane.launch", api.Launch{ID: shellLauncher(t, phone)})
	w.phone(atlas, phone, "/run", "", "pane.run", api.Run{Line: "true"})
	w.phone(atlas, phone, "/walky/send", "", "walky.send", api.WalkySend{To: address, Body: "hello"})
	w.phone(atlas, phone, "/pane/:id/close", made.ID, "pane.close", struct{}{})
	w.always(atlas, "/devices/:label/revoke", "pixel", "device.revoke", struct{}{})
	w.seen["phone /devices/:label/revoke"] = true // it calls the same

	var invite control.Invite
	w.cli(atlas, "/crew/invite", "", "crew.invite", control.InviteRequest{}, &invite)
	w.cli(juno, "/crew/join", "", "crew.join", control.JoinRequest{Address: invite.Addresses[0], Token: invite.Token}, nil)
	w.cli(atlas, "/crew/rename", "", "crew.rename", control.Rename{Label: "home"}, nil)
	w.cli(atlas, "/crew/rotate", "", "crew.rotate", struct{}{}, nil)
	w.cli(atlas, "/crew/members/:id/addresses", "juno", "crew.set-address", control.Addresses{}, nil)
	w.cli(juno, "/crew/reconnect", "", "crew.reconnect", control.Addresses{Addresses: invite.Addresses}, nil)
	w.cli(atlas, "/crew/deputy", "", "crew.deputy", control.DeputyRequest{MemberID: "juno"}, nil)
	w.cli(atlas, "/crew/approve", "", "crew.approve", control.ApproveRequest{MemberID: "juno"}, nil)
	w.cli(juno, "/promote", "", "crew.promote", control.PromoteRequest{}, nil)
	w.always(juno, "/crew/members/:id/remove", "atlas", "crew.remove", struct{}{})
	w.always(juno, "/crew/leave", "", "crew.leave", struct{}{})
	w.finish()
}

// walked goes through the writes and notes which routes it has seen.
type walked struct {
	t    *testing.T
	seen map[string]bool
}

// cli asks over the control socket, first while the log cannot be written, which
// must refuse it, then again.
func (w *walked) cli(n *running, route, name, action string, in, out any) {
	w.t.Helper()
	path := filled(route, name)
	w.write(n, route, action, func() error { return n.call(w.t, http.MethodPost, path, in, out) })
}

// always is cli for what takes rights away: that is done in any case.
func (w *walked) always(n *running, route, name, action string, in any) {
	w.t.Helper()
	w.seen["control "+route] = true
	before := lastLine(w.t, n)
	post[control.OK](w.t, n, filled(route, name), in)
	w.left(n, route, action, before)
}

// phone asks over the front door.
func (w *walked) phone(n *running, phone *webPhone, route, name, action string, in any) {
	w.t.Helper()
	path := "/api" + filled(route, name)
	w.write(n, "phone "+route, action, func() error { return phone.post(w.t, path, in) })
}

func (w *walked) write(n *running, route, action string, do func() error) {
	w.t.Helper()
	if !strings.HasPrefix(route, "phone ") {
		route = "control " + route
	}
	w.seen[route] = true
	restore := unwritable(w.t, n.state("audit.log"))
	err := do()
	restore()
	if !errors.Is(err, api.ErrAuditUnavailable) {
		w.t.Errorf("%s without an audit log: %v, want %s", route, err, api.ErrAuditUnavailable.Code)
	}
	before := lastLine(w.t, n)
	if err := do(); err != nil && !cameAfter(err) {
		w.t.Fatalf("%s: %v\n%s", route, err, n.log)
	}
	w.left(n, route, action, before)
}

// cameAfter reports a "no" that comes after the line: the station's, and that a
// card is not what the screen asks.
func cameAfter(err error) bool {
	var refusal *api.Error
	return errors.Is(err, api.ErrScreenChanged) || errors.Is(err, api.ErrNoRepository) || errors.As(err, &refusal) && strings.HasPrefix(refusal.Code, "walky_")
}

func lastLine(t *testing.T, n *running) uint64 {
	t.Helper()
	return get[control.AuditTail](t, n, "/audit/tail?n=1").Last
}

// left checks that a write has left its line since another.
func (w *walked) left(n *running, route, action string, before uint64) {
	w.t.Helper()
	lines := get[control.AuditTail](w.t, n, "/audit/after/"+strconv.FormatUint(before, 10)).Lines
	if !slices.ContainsFunc(lines, func(line audit.Line) bool { return line.Action == action }) {
		w.t.Errorf("%s left no line %q but %+v", route, action, lines)
	}
}

// finish reports routes that were not walked.
func (w *walked) finish() {
	w.t.Helper()
	d := &daemon{node: &node.Node{}, roles: &roles{}}
	for _, route := range append(d.node.Routes(), d.routes()...) {
		if route.Method != http.MethodGet && !w.seen["control "+route.Path] && silentWrites[route.Path] == "" {
			w.t.Errorf("the write %s of the control socket is in no row of this test", route.Path)
		}
	}
	door, err := frontdoor.New(frontdoor.Config{Host: "127.0.0.1"}, frontdoor.Parts{Devices: &pairing.Store{}, Routes: append((&api.Handlers{}).Routes(), api.Route{Method: http.MethodPost, Path: "/launchers", Handle: func(http.ResponseWriter, *http.Request, httprouter.Params) {}})})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, route := range door.Routes() {
		path := strings.TrimPrefix(route.Path, "/api")
		if route.Method != http.MethodGet && !w.seen["phone "+path] && silentWrites["phone "+path] == "" {
			w.t.Errorf("the write %s of the phone is in no row of this test", path)
		}
	}
}

func filled(route, name string) string {
	parts := strings.Split(route, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i] = name
		}
	}
	return strings.Join(parts, "/")
}

// unwritable puts a file that is open for reading alone in the place of the open
// log of a node in this process, and returns what undoes it.
func unwritable(t *testing.T, path string) (restore func()) {
	t.Helper()
	fd := openAt(t, path)
	kept, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	readable, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	must(t, unix.Dup3(readable, fd, unix.O_CLOEXEC))
	must(t, unix.Close(readable))
	return func() {
		t.Helper()
		must(t, unix.Dup3(kept, fd, unix.O_CLOEXEC))
		must(t, unix.Close(kept))
	}
}

// openAt finds the descriptor that this process has open on a file.
func openAt(t *testing.T, path string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name())); err == nil && target == path {
			fd, err := strconv.Atoi(entry.Name())
			must(t, err)
			return fd
		}
	}
	t.Fatalf("%s is not open", path)
	return -1
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shellLauncher is the id of the launcher of a shell.
func shellLauncher(t *testing.T, phone *webPhone) string {
	t.Helper()
	var all api.Launchers
	must(t, phone.get(t, "/api/launchers", &all))
	return all.Rows[0].ID
}

// A webPhone speaks to a front door as the page does.
type webPhone struct{ url, token string }

func (p *webPhone) post(t *testing.T, path string, in any) error {
	t.Helper()
	body, err := json.Marshal(in)
	must(t, err)
	var answer struct{ Token string }
	err = p.ask(t, http.MethodPost, path, string(body), &answer)
	if answer.Token != "" {
		p.token = answer.Token
	}
	return err
}

func (p *webPhone) get(t *testing.T, path string, out any) error {
	t.Helper()
	return p.ask(t, http.MethodGet, path, "", out)
}

func (p *webPhone) ask(t *testing.T, method, path, body string, out any) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	must(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	must(t, err)
	if response.StatusCode != http.StatusOK {
		refusal := &api.Error{}
		if json.Unmarshal(data, refusal) != nil {
			return fmt.Errorf("%s: %s", response.Status, data)
		}
		return refusal
	}
	_ = json.Unmarshal(data, out)
	return nil
}

// A write that was refused after it was admitted says so: an audit log without an
// end of it would say that it was done.
func TestTheAuditLogSaysHowAWriteEndedThatWasAdmitted(t *testing.T) {
	t.Parallel()
	n := begin(t, t.TempDir())
	last := func() (string, string) {
		line := get[control.AuditTail](t, n, "/audit/tail?n=1").Lines[0]
		pane := ""
		if line.Pane != nil {
			pane = *line.Pane
		}
		return line.Action + " " + line.Outcome, pane
	}
	made := post[control.ID](t, n, "/panes", control.PaneNew{Harness: "agent", Command: []string{"cat"}}).ID
	if got, pane := last(); got != "pane.new ok" || pane != made {
		t.Errorf("after a pane was opened the log ends in %s of %q", got, pane)
	}
	for name, c := range map[string]struct {
		path string
		in   any
		want string
	}{
		"a pane with a program that is not there": {"/panes", control.PaneNew{Command: []string{"/nonexistent"}}, "pane.new bad_request"},
		"a schedule that can never be due":        {"/schedules", control.ScheduleAdd{Name: "x", Cron: "never", To: made, Text: "x"}, "schedule.add bad_schedule"},
	} {
		if err := n.call(t, http.MethodPost, c.path, c.in, nil); err == nil {
			t.Errorf("%s: it was done", name)
		}
		if got, _ := last(); got != c.want {
			t.Errorf("%s: the log ends in %s, want %s", name, got, c.want)
		}
	}
}
