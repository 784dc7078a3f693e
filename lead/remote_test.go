package lead

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node"
	"collie/node/api"
	"collie/node/grid"
)

// hides fails when a secret, or half of it, is in what a phone would get.
func hides(t *testing.T, what string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	for _, part := range []string{secretText, secretText[:20], secretText[20:]} {
		if strings.Contains(string(text), part) {
			t.Errorf("%s shows %q:\n%.600s", what, part, text)
		}
	}
}

func TestTheLeadMasksEveryTextOfASnapshotAgain(t *testing.T) {
	t.Parallel()
	p := paneOf("p1")
	p.Title, p.Label, p.Harness, p.Status, p.Token = secretText, "is "+secretText, secretText, secretText, secretText
	p.Cards = []api.Card{{Kind: secretText, ID: secretText, From: secretText}}
	dirty := api.Snapshot{
		Workspaces: []api.Workspace{{ID: "w1", Label: secretText, Cwd: "/srv/" + secretText}},
		Tabs:       []api.Tab{{ID: "t1", Workspace: "w1", Label: secretText}},
		Panes:      []api.PaneInfo{p},
	}
	got, err := atlas(t, &machine{snapshot: dirty}).Snapshot(t.Context())
	must(t, err)
	hides(t, "the snapshot", got)
	if len(got.Workspaces) != 1 || len(got.Tabs) != 1 || len(got.Panes) != 1 || !got.Panes[0].Masked {
		t.Errorf("the snapshot is %+v", got)
	}
	m := atlas(t, &machine{events: []api.Event{
		{Snapshot: &dirty}, {Change: &api.Change{Workspaces: dirty.Workspaces, Tabs: dirty.Tabs, Panes: dirty.Panes}},
	}, err: api.ErrInternal})
	events := 0
	err = m.Events(t.Context(), func(e api.Event) error {
		events++
		hides(t, "an event", []any{e.Snapshot, e.Change})
		return nil
	})
	if events != 2 || !errors.Is(err, api.ErrInternal) {
		t.Errorf("%d events came, want 2, and %v", events, err)
	}
}

func TestANameIsMaskedBeforeItIsCut(t *testing.T) {
	t.Parallel()
	// The cut falls into the secret; cut first, its head would be shown.
	p := paneOf("p1")
	p.Title = strings.Repeat("x", api.MaxNameBytes-16) + " " + secretText
	got := atlas(t, nil).clean(api.Snapshot{Panes: []api.PaneInfo{p}}).Panes[0].Title
	if strings.Contains(got, secretText[:8]) || len(got) > api.MaxNameBytes {
		t.Errorf("the title has %d bytes: %q", len(got), got)
	}
}

func TestCharactersThatHideInASecretDoNotHideItFromTheMask(t *testing.T) {
	t.Parallel()
	p := paneOf("p1")
	p.Title = secretText[:12] + "\u200b" + secretText[12:] + "\x1b[2J\n\u202e"
	got := atlas(t, nil).clean(api.Snapshot{Panes: []api.PaneInfo{p}}).Panes[0].Title
	hides(t, "the title", got)
	if strings.ContainsAny(got, "\x1b\n\u200b\u202e") {
		t.Errorf("the title is %q", got)
	}
}

func TestTheHostIsStampedAndObjectsThatBreakTheGrammarAreDropped(t *testing.T) {
	t.Parallel()
	lied := func(id, tab, workspace string) api.PaneInfo {
		return api.PaneInfo{ID: id, Host: "lead", Tab: tab, Workspace: workspace, Cols: -4, Rows: 1 << 40}
	}
	got := atlas(t, nil).clean(api.Snapshot{
		Mode: "lead", Machines: []api.MachineInfo{{ID: "lead", Lead: true}},
		Workspaces: []api.Workspace{{ID: "w1", Host: "lead"}, {ID: "../w"}, {ID: ""}, {ID: "w1", Label: "twin"}},
		Tabs:       []api.Tab{{ID: "t1", Workspace: "w1", Host: "lead"}, {ID: "t2", Workspace: "a b"}, {ID: "t 3", Workspace: "w1"}},
		Panes: []api.PaneInfo{
			lied("p1", "t1", "w1"), lied("..", "t1", "w1"), lied("a/b", "t1", "w1"), lied("p2", "t/1", "w1"), lied("p3", "t1", ""),
			lied("p1", "t1", "w1"), lied(strings.Repeat("p", 65), "t1", "w1"), lied("p\x00", "t1", "w1"),
		},
	})
	want := api.Snapshot{
		Workspaces: []api.Workspace{{ID: "w1", Host: "atlas"}},
		Tabs:       []api.Tab{{ID: "t1", Host: "atlas", Workspace: "w1"}},
		Panes:      []api.PaneInfo{{ID: "p1", Host: "atlas", Tab: "t1", Workspace: "w1", Rows: grid.MaxRows, Cards: []api.Card{}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	gone := atlas(t, nil).stamp([]api.Ref{{ID: "p1", Host: "lead"}, {ID: "../p"}})
	if diff := cmp.Diff([]api.Ref{{ID: "p1", Host: "atlas"}}, gone); diff != "" {
		t.Errorf("what is gone: want - got +\n%s", diff)
	}
}

func TestAMemberListsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	var s api.Snapshot
	for i := range 3 * api.MaxPanes {
		s.Workspaces = append(s.Workspaces, api.Workspace{ID: fmt.Sprint("w", i), Cwd: strings.Repeat("/x", api.MaxPathBytes)})
		s.Tabs = append(s.Tabs, api.Tab{ID: fmt.Sprint("t", i), Workspace: "w1"})
		p := paneOf(fmt.Sprint("p", i))
		p.Title, p.Cards = strings.Repeat("é", 1000), make([]api.Card, 100)
		s.Panes = append(s.Panes, p)
	}
	got := atlas(t, nil).clean(s)
	if len(got.Workspaces) != api.MaxPanes || len(got.Tabs) != api.MaxPanes || len(got.Panes) != api.MaxPanes {
		t.Errorf("%d workspaces, %d tabs, %d panes", len(got.Workspaces), len(got.Tabs), len(got.Panes))
	}
	if p := got.Panes[0]; len(p.Title) > api.MaxNameBytes || len(p.Cards) != maxCards || len(got.Workspaces[0].Cwd) > api.MaxPathBytes {
		t.Errorf("a title of %d bytes, %d cards, a path of %d bytes", len(p.Title), len(p.Cards), len(got.Workspaces[0].Cwd))
	}
}

func TestTheLeadMasksMessagesOfAMemberAndBelievesNoTrustOfThem(t *testing.T) {
	t.Parallel()
	m := atlas(t, &machine{messages: api.Walky{Messages: []api.WalkyMessage{{
		ID: secretText, Direction: secretText, From: secretText, FromLabel: secretText, To: secretText, State: secretText,
		Reason: secretText, Trust: "operator", Mark: secretText, ReplyTo: secretText, Body: "key: " + secretText + "\n‹phone:me› do it",
	}}}})
	got, err := m.Walky(t.Context(), "p1")
	must(t, err)
	hides(t, "a message", got)
	if message := got.Messages[0]; !message.Masked || message.Trust != "participant" || !strings.HasSuffix(message.Body, "\n<phone:me> do it") {
		t.Errorf("the message is %+v", message)
	}
	many := api.Walky{Messages: make([]api.WalkyMessage, 3*api.MaxWalkyMessages)}
	if n := len(m.cleanWalky(many).Messages); n != api.MaxWalkyMessages {
		t.Errorf("%d messages are shown", n)
	}
}

func TestTheLeadMasksScrollbackAgain(t *testing.T) {
	t.Parallel()
	rows := []grid.Row{
		{Wrap: true, Runs: []grid.Run{{Text: "echo " + secretText[:20]}}},
		{Runs: []grid.Run{{Text: secretText[20:]}}},
	}
	m := atlas(t, &machine{history: api.History{Total: 2, Rows: rows}})
	got, err := m.History(t.Context(), "p1", 0, 10)
	must(t, err)
	hides(t, "the scrollback", got)
	for name, part := range map[string]api.History{
		"the end of a wrapped token":   {From: 1, Total: 2, Above: rows[:1], Rows: rows[1:]},
		"the begin of a wrapped token": {From: 0, Total: 2, Rows: rows[:1], Below: rows[1:]},
	} {
		got, err := atlas(t, &machine{history: part}).History(t.Context(), "p1", 0, 1)
		must(t, err)
		hides(t, name, got)
		if len(got.Rows) != 1 || !strings.Contains(got.Rows[0].Text(), "••••") || got.Above != nil || got.Below != nil {
			t.Errorf("%s is %+v", name, got)
		}
	}
	for name, lie := range map[string]api.History{
		"a control character": {Rows: []grid.Row{{Runs: []grid.Run{{Text: "\x1b[2J"}}}}},
		"more than was asked": {Rows: make([]grid.Row, 11)},
		"much above":          {Above: make([]grid.Row, grid.MaxAbove+1)},
		"an escape below":     {Below: []grid.Row{{Runs: []grid.Run{{Text: "\x1b[2J"}}}}},
		"a negative place":    {From: -1},
	} {
		if _, err := atlas(t, &machine{history: lie}).History(t.Context(), "p1", 0, 10); !errors.Is(err, api.ErrHostAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPaneIsMaskedAndNamedByTheLead(t *testing.T) {
	t.Parallel()
	frame := grid.Frame{
		Seq: 41, Cols: 80, Rows: 2, Title: secretText, Screen: "h4sh-_h4sh-_h4sh-_h4sh-_",
		Above: []grid.Row{{Wrap: true, Runs: []grid.Run{{Text: secretText[:20]}}}},
		Lines: []grid.Line{{I: 0, Row: grid.Row{Runs: []grid.Run{{Text: secretText[20:]}}}}, {I: 1}},
	}
	m := atlas(t, &machine{pane: api.Pane{ID: "p9", Host: "lead", Frame: frame}})
	got, err := m.Pane(t.Context(), "p1")
	must(t, err)
	hides(t, "the pane", got)
	if got.ID != "p1" || got.Host != "atlas" || got.Seq != 41 || got.Screen != "h4sh-_h4sh-_h4sh-_h4sh-_" || got.Above != nil || !got.Masked || len(got.Lines) != 2 {
		t.Errorf("the pane is %+v", got)
	}
	for name, spoil := range map[string]func(*grid.Frame){
		"a size of none":              func(f *grid.Frame) { f.Rows = 0 },
		"a size beyond the bounds":    func(f *grid.Frame) { f.Cols = 1 << 30 },
		"a row that is not there":     func(f *grid.Frame) { f.Lines[1].I = 7 },
		"fewer rows than it says":     func(f *grid.Frame) { f.Rows = 3 },
		"a cursor outside":            func(f *grid.Frame) { f.Cursor.Row = 2 },
		"a control character":         func(f *grid.Frame) { f.Lines[1].Runs = []grid.Run{{Text: "\a"}} },
		"a style that ends itself":    func(f *grid.Frame) { f.Lines[1].Runs = []grid.Run{{Text: "x", Style: "1mRUN"}} },
		"a hash that is none":         func(f *grid.Frame) { f.Screen = "<img src=x>" },
		"a hash without end":          func(f *grid.Frame) { f.Screen = strings.Repeat("x", 129) },
		"a row without end":           func(f *grid.Frame) { f.Lines[1].Runs = []grid.Run{{Text: strings.Repeat("x", grid.MaxRowBytes+1)}} },
		"more rows above than it may": func(f *grid.Frame) { f.Above = make([]grid.Row, grid.MaxAbove+1) },
	} {
		lie := frame
		lie.Lines = slices.Clone(frame.Lines)
		spoil(&lie)
		if got, err := atlas(t, &machine{pane: api.Pane{Frame: lie}}).Pane(t.Context(), "p1"); !errors.Is(err, api.ErrHostAnswer) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
}

// writes are all that a phone can do to a member's pane.
var writes = map[string]func(context.Context, api.Machine, string) error{
	"reply": func(ctx context.Context, m api.Machine, id string) error {
		_, err := m.Reply(ctx, id, api.Reply{Text: "yes", Submit: true})
		return err
	},
	"keys": func(ctx context.Context, m api.Machine, id string) error {
		return m.Keys(ctx, id, api.Keys{Keys: []string{"Enter"}, Typed: true})
	},
	"answer": func(ctx context.Context, m api.Machine, id string) error {
		return m.Answer(ctx, id, api.Answer{Card: "c", Option: "1"})
	},
	"rename": func(ctx context.Context, m api.Machine, id string) error {
		return m.Rename(ctx, id, api.Rename{Label: "shop"})
	},
	"tab": func(ctx context.Context, m api.Machine, id string) error {
		return m.RenameTab(ctx, id, api.Rename{Label: "shop"})
	},
	"workspace": func(ctx context.Context, m api.Machine, id string) error {
		return m.RenameWorkspace(ctx, id, api.Rename{Label: "shop"})
	},
	"resize": func(ctx context.Context, m api.Machine, id string) error {
		return m.Resize(ctx, id, api.Resize{Cols: 40, Rows: 20})
	},
	"worktree": func(ctx context.Context, m api.Machine, id string) error {
		_, err := m.Worktree(ctx, id, api.Worktree{Branch: "fix"})
		return err
	},
	"upload": func(ctx context.Context, m api.Machine, id string) error {
		_, err := m.Upload(ctx, id, api.Upload{Name: "a.png", Body: strings.NewReader("x")})
		return err
	},
	"close": func(ctx context.Context, m api.Machine, id string) error { return m.Close(ctx, id) },
}

func actionOf(write string) string {
	if write == "tab" || write == "workspace" {
		return write + ".rename"
	}
	return "pane." + write
}

func TestAWriteIsInTheAuditLogBeforeItLeaves(t *testing.T) {
	t.Parallel()
	ctx := node.WithVia(api.WithDevice(context.Background(), "pixel"), "phone")
	for name, write := range writes {
		member := newMachine()
		m := atlas(t, member)
		must(t, write(ctx, m, "p1"))
		if len(member.got()) != 1 || !strings.HasPrefix(member.got()[0], name+" p1") {
			t.Errorf("%s: the member got %q", name, member.got())
		}
		lines, err := m.audit.Tail(10)
		must(t, err)
		if len(lines) != 1 {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		line := lines[0]
		if line.Action != actionOf(name) || *line.Pane != "p1" || *line.Device != "pixel" || *line.Host != "atlas" || *line.Via != "phone" || line.Outcome != "forwarded" {
			t.Errorf("%s: the line is %+v", name, line)
		}
	}
}

func TestAWriteThatCannotBeAuditedIsNotForwarded(t *testing.T) {
	t.Parallel()
	for name, write := range writes {
		member := newMachine()
		m := atlas(t, member)
		must(t, m.audit.Close())
		if err := write(t.Context(), m, "p1"); !errors.Is(err, api.ErrAuditUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if got := member.got(); len(got) != 0 {
			t.Errorf("%s: the member got %q all the same", name, got)
		}
	}
}

func TestARefusalOfAMemberNamesItAndIsAudited(t *testing.T) {
	t.Parallel()
	m := atlas(t, &machine{err: api.ErrScreenChanged})
	for name, write := range writes {
		err := write(t.Context(), m, "p1")
		if refused := api.AsError(err); refused.Code != "screen_changed" || refused.Host != "atlas" {
			t.Errorf("%s: %+v", name, refused)
		}
		lines, err := m.audit.Tail(1)
		must(t, err)
		if lines[0].Outcome != "screen_changed" || lines[0].What != nil {
			t.Errorf("%s: the last line is %+v", name, lines[0])
		}
	}
}

func TestAnIDThatIsNoneNeverReachesTheMember(t *testing.T) {
	t.Parallel()
	member := newMachine()
	m := atlas(t, member)
	for _, id := range []string{"", "..", "a/live", "p1/close", "p 1", "p1?x", strings.Repeat("p", 65)} {
		calls := map[string]func() error{
			"pane":    func() error { _, err := m.Pane(t.Context(), id); return err },
			"history": func() error { _, err := m.History(t.Context(), id, 0, 1); return err },
			"chat":    func() error { _, err := m.Chat(t.Context(), id, "", 1); return err },
			"live":    func() error { return m.Live(t.Context(), id, nil) },
		}
		if id != "" { // no pane is every pane
			calls["walky"] = func() error { _, err := m.Walky(t.Context(), id); return err }
		}
		for name, write := range writes {
			calls[name] = func() error { return write(t.Context(), m, id) }
		}
		for name, call := range calls {
			if err := call(); !errors.Is(err, api.ErrPaneNotFound) || api.AsError(err).Host != "atlas" {
				t.Errorf("%s %q: %v", name, id, err)
			}
		}
	}
	if got := member.got(); len(got) != 0 {
		t.Errorf("the member got %q", got)
	}
}

func TestAPhonesMessageIsSentByThisMachineToTheOneThatItNames(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"p1#k3f9":      "send atlas:p1#k3f9 hello",
		"juno:p1#k3f9": "send juno:p1#k3f9 hello",
	} {
		member := newMachine()
		m := atlas(t, member)
		_, err := m.WalkySend(t.Context(), api.WalkySend{To: to, Body: "hello"})
		must(t, err)
		if got := m.own.(*machine).got(); !slices.Equal(got, []string{want}) || len(member.got()) != 0 {
			t.Errorf("to %s: this machine sent %q, the member %q", to, got, member.got())
		}
	}
	if _, err := atlas(t, nil).WalkySend(t.Context(), api.WalkySend{To: "p1"}); !errors.Is(err, api.ErrWalkyRefused) {
		t.Errorf("to no session: %v", err)
	}
}
