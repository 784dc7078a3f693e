package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/api"
	"collie/node/grid"
)

func TestEveryRouteRoundTrips(t *testing.T) {
	t.Parallel()
	m := &machine{
		snapshot: herd(), pane: api.Pane{ID: "p 1", Host: "atlas", Frame: whole()},
		history: api.History{From: 4, Total: 6, Rows: []grid.Row{row("a"), row("b")}, Above: []grid.Row{row("c")}, Below: []grid.Row{row("d")}},
		walky:   api.Walky{Messages: []api.WalkyMessage{{ID: "01A", Direction: "in", From: "b:p2", Body: "hi\nthere", At: 5, Masked: true}}},
		files: api.Files{
			Path: "src", Folder: &api.FolderView{Entries: []api.FileEntry{{Name: "a.go", Kind: "file", SizeBytes: 3, ModifiedAt: 5, Opens: true}}, More: true},
			File: &api.FileView{SizeBytes: 9, ModifiedAt: 5, Text: "hi\n", From: 2, Next: 5, Cut: true, Above: "before\n", Masked: true},
		},
		folders:   api.Folders{Home: "/home/a", Path: "src", Folders: []string{"b"}, More: true},
		blob:      api.Blob{Data: png},
		chat:      api.Chat{Session: "claude s1", Turns: []api.ChatTurn{{ID: "t0", At: 7, Who: "person", Text: "hi", Images: []string{"ab"}}}, More: true, Skipped: 1},
		sent:      api.Sent{Lines: []api.SentLine{{ID: "01A", At: 5, Pane: "p1", Line: "make <x>", Masked: true}}, Keeping: true},
		launchers: launchers(),
		changes: api.Changes{
			Repository: true, Branch: "main", Head: "abc", More: true,
			Entries: []api.ChangeEntry{{Path: "b", From: "a", Staged: "renamed", Unstaged: "modified", Opens: true}},
			Diff:    &api.DiffView{Path: "b", Staged: true, Text: "@@\n", Binary: true, Cut: true, Masked: true},
		},
		events: []api.Event{
			{Snapshot: ptr(herd())},
			{Change: &api.Change{At: 2, Panes: herd().Panes}},
			{Gone: &api.Gone{At: 3, Machines: []string{"atlas"}, Panes: []api.Ref{{ID: "p1", Host: "atlas"}}}},
			{Receipt: receipt()},
		},
		frames: []grid.Frame{whole(), {Seq: 4, Cols: 10, Rows: 2, Lines: []grid.Line{{I: 1, Row: row("new")}}}},
	}
	h := handlers(m, true)
	c, ctx := dial(t, h), t.Context()
	tested := 0
	check := func(call string, got, want any, err error) {
		t.Helper()
		tested++
		if err != nil {
			t.Errorf("%s: %v", call, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", call, diff)
		}
		if got := m.asked(); got != call {
			t.Errorf("the machine was asked for %q, want %q", got, call)
		}
		m.calls = nil
	}
	snapshot, err := c.Snapshot(ctx)
	check("snapshot", snapshot, m.snapshot, err)
	pane, err := c.Pane(ctx, "p 1")
	check("pane p 1", pane, m.pane, err)
	history, err := c.History(ctx, "p1", 4, 2)
	check("history p1 4 2", history, m.history, err)
	chat, err := c.Chat(ctx, "p1", "t1", 3)
	check(`chat p1 "t1" 3`, chat, m.chat, err)
	blob, err := c.Blob(ctx, pngHash)
	check("blob "+pngHash, blob, m.blob, err)
	messages, err := c.Walky(ctx, "p1")
	check(`walky "p1"`, messages, m.walky, err)

	found, err := c.Files(ctx, "p1", api.FilesAt{Path: "src/a b&c", From: 2})
	check("files p1 {Path:src/a b&c From:2}", found, m.files, err)
	folders, err := c.Folders(ctx, api.FoldersAt{Path: "src", Start: ".c"})
	check("folders {Path:src Start:.c}", folders, m.folders, err)

	changed, err := c.Changes(ctx, "p1", api.ChangesOf{Path: "b", From: "a", Staged: true})
	check("changes p1 {Path:b From:a Staged:true}", changed, m.changes, err)
	tree, err := c.Worktree(ctx, "p1", api.Worktree{Branch: "fix"})
	check("worktree p1 {Branch:fix}", tree, api.Worktreed{ID: "p2", Path: "/w", Branch: "fix"}, err)
	kept, err := c.Upload(ctx, "p1", api.Upload{Name: "a b/c&.png", Size: 4, Screen: "h", Body: strings.NewReader("\x00\xff<>")})
	check("upload p1 \"a b/c&.png\" 4 \"h\" \x00\xff<>", kept, api.Uploaded{Path: "/u/x", Name: "a b/c&.png", SizeBytes: 4}, err)

	replied, err := c.Reply(ctx, "p1", api.Reply{Text: "<ls>", Submit: true, Screen: "h"})
	check("reply p1 {Text:<ls> Submit:true Screen:h Discard:false}", replied, api.Replied{TextDelivered: true, Submitted: true}, err)
	err = c.Keys(ctx, "p1", api.Keys{Keys: []string{"Ctrl+C", "é"}, Typed: true, Client: "c", N: 1 << 60})
	check("keys p1 {Keys:[Ctrl+C é] Typed:true Client:c N:1152921504606846976 Program:}", nil, nil, err)
	err = c.Rename(ctx, "p1", api.Rename{Label: "build"})
	check("rename p1 {Label:build}", nil, nil, err)
	err = c.Answer(ctx, "p1", api.Answer{Card: "c", Option: "2", Screen: "h", Confirm: true})
	check("answer p1 {Card:c Option:2 Screen:h Text: Confirm:true}", nil, nil, err)
	err = c.Resize(ctx, "p1", api.Resize{Cols: 40, Rows: 20})
	check("resize p1 {Cols:40 Rows:20}", nil, nil, err)
	err = c.RenameTab(ctx, "t1", api.Rename{Label: "build"})
	check("tab t1 {Label:build}", nil, nil, err)
	err = c.RenameWorkspace(ctx, "w1", api.Rename{Label: "shop"})
	check("workspace w1 {Label:shop}", nil, nil, err)
	err = c.Close(ctx, "p1")
	check("close p1", nil, nil, err)
	sent, err := c.WalkySend(ctx, api.WalkySend{To: "b:p2", Body: "hi", ReplyTo: "01A"})
	check("send {To:b:p2 Body:hi ReplyTo:01A}", sent, api.WalkySent{ID: "01A", State: "held", Reason: "away"}, err)

	lines, err := c.Sent(ctx)
	check("sent", lines, m.sent, err)
	gone, err := c.SentForget(ctx, api.SentForget{ID: "01A"})
	check("forget {ID:01A}", gone, api.SentGone{Count: 1}, err)
	gone, err = c.SentClear(ctx)
	check("clear", gone, api.SentGone{Count: 3}, err)

	counters, err := c.Load(ctx)
	check("load", counters, reading(), err)
	all, err := c.Launchers(ctx)
	check("launchers", all, m.launchers, err)
	launched, err := c.Launch(ctx, api.Launch{ID: "abc", Folder: ptr("src"), Confirmed: true})
	check(`launch abc "src" true <nil>`, launched, api.Launched{ID: "p9", Submitted: true}, err)
	launched, err = c.Run(ctx, api.Run{Line: "make <x>"})
	check("run make <x>", launched, api.Launched{ID: "p9"}, err)

	var events []api.Event
	err = c.Events(ctx, func(e api.Event) error { events = append(events, e); return nil })
	check("events", events, m.events, ended(err))
	var frames []grid.Frame
	err = c.Live(ctx, "p1", func(f grid.Frame) error { frames = append(frames, f); return nil })
	check("live p1", frames, m.frames, ended(err))

	if all := len(h.Routes()); tested != all {
		t.Errorf("%d of %d routes are tested", tested, all)
	}
}

// ended is what a client makes of a stream that is over: the other side is gone.
func ended(err error) error {
	if errors.Is(err, api.ErrHostUnreachable) {
		return nil
	}
	return fmt.Errorf("the stream ended with %w", err)
}

func ptr[T any](v T) *T { return &v }

var writes = []string{"/pane/p1/reply", "/pane/p1/keys", "/pane/p1/answer", "/pane/p1/rename", "/pane/p1/resize", "/pane/p1/close", "/tab", "/workspace", "/walky/send"}

func TestABodyThatIsNotStrictIsRefusedAndNothingIsDone(t *testing.T) {
	t.Parallel()
	for _, path := range writes {
		for name, test := range map[string]struct {
			body, code string
		}{
			"an unknown field":   {`{"colour": 1}`, "bad_request"},
			"bytes after it":     {`{} {}`, "bad_request"},
			"a word after it":    {`{}x`, "bad_request"},
			"cut short":          {`{"text": "`, "bad_request"},
			"a list":             {`[]`, "bad_request"},
			"null":               {`null`, "bad_request"},
			"a string":           {`"text"`, "bad_request"},
			"a field as a list":  {`{"text": [], "keys": 1, "label": [], "to": []}`, "bad_request"},
			"no JSON":            {`text=hi`, "bad_request"},
			"one byte too large": {`{}` + strings.Repeat(" ", 1<<20-1), "too_large"},
			"much too large":     {`{"text":"` + strings.Repeat("x", 1<<20), "too_large"},
		} {
			m := &machine{}
			w := ask(handlers(m, false), path, test.body)
			var refused struct{ Error, Code, Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &refused); err != nil || refused.Code != test.code || refused.Error == "" {
				t.Errorf("%s with %s: answer is %d %s", path, name, w.Code, w.Body)
			}
			if want := map[string]int{"bad_request": 400, "too_large": 413}[test.code]; w.Code != want {
				t.Errorf("%s with %s: status is %d, want %d", path, name, w.Code, want)
			}
			if strings.Contains(refused.Detail, "json:") || strings.Contains(refused.Detail, "Go ") {
				t.Errorf("%s with %s: the refusal speaks of the program: %s", path, name, refused.Detail)
			}
			if got := m.asked(); got != "" {
				t.Errorf("%s with %s: the machine was asked for %q", path, name, got)
			}
		}
	}
}

func TestABodyOfTheVeryLimitIsRead(t *testing.T) {
	t.Parallel()
	m := &machine{}
	if w := ask(handlers(m, false), "/pane/p1/close", `{}`+strings.Repeat(" ", 1<<20-2)); w.Code != 200 {
		t.Errorf("answer is %d %s", w.Code, w.Body)
	}
}

func TestABodyBeyondAHandlersOwnBoundIsTooLarge(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"a":"`+strings.Repeat("x", 100)+`"}`))
	request.Body = http.MaxBytesReader(httptest.NewRecorder(), request.Body, 50)
	if err := api.ReadBody(request, &struct{ A string }{}); !errors.Is(err, api.ErrTooLarge) {
		t.Errorf("error is %v", err)
	}
}

func TestAProblemIsSaidShort(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"colour":1}`: `unknown field "colour"`,
		`{"text":1}`:   `a number does not belong in "text"`,
		`{"text"`:      "it is not valid JSON",
		`{}{}`:         "bytes after the document",
	} {
		if refused := api.AsError(api.ParseStrict([]byte(body), &api.Reply{})); refused.Detail != want {
			t.Errorf("%s: detail is %q, want %q", body, refused.Detail, want)
		}
	}
	long := api.AsError(api.ParseStrict([]byte(`{"`+strings.Repeat("é", 1000)+`":1}`), &api.Reply{}))
	if text := fmt.Sprint(long.Detail); len(text) > 200 || !strings.HasPrefix(text, `unknown field "éé`) {
		t.Errorf("detail is %q", text)
	}
}

func TestRefusalsKeepTheirCode(t *testing.T) {
	t.Parallel()
	for _, refused := range api.Codes() {
		m := &machine{err: fmt.Errorf("while reading: %w", refused.On("atlas"))}
		for _, w := range []*httptest.ResponseRecorder{
			ask(handlers(m, false), "/snapshot", ""), ask(handlers(m, false), "/pane/p1/close", "{}"),
			ask(handlers(m, false), "/events", ""), ask(handlers(m, false), "/pane/p1/live", ""),
		} {
			want := fmt.Sprintf(`{"error":%q,"code":%q,"host":"atlas"}`, refused.Message, refused.Code)
			if w.Code != refused.Status || w.Body.String() != want || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("answer is %d %s, want %d %s", w.Code, w.Body, refused.Status, want)
			}
		}
	}
}

func TestAnUnknownMachineIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	m := &machine{}
	for _, path := range []string{"/snapshot", "/events", "/pane/p1", "/pane/p1/live", "/pane/p1/history", "/walky"} {
		if w := ask(handlers(m, false), path+"?host=nobody", ""); w.Code != 404 || !strings.Contains(w.Body.String(), `"host_unknown","host":"nobody"`) {
			t.Errorf("%s: answer is %d %s", path, w.Code, w.Body)
		}
	}
	for _, path := range writes {
		if w := ask(handlers(m, false), path+"?host=nobody", "{}"); w.Code != 404 {
			t.Errorf("%s: answer is %d %s", path, w.Code, w.Body)
		}
	}
	if got := m.asked(); got != "" {
		t.Errorf("the machine was asked for %q", got)
	}
}

func TestWhatWentWrongHereIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"/snapshot": "", "/pane/p1/close": "{}", "/events": "", "/pane/p1/live": ""} {
		h := handlers(&machine{err: errors.New("open /home/rosa/key: no such file")}, false)
		var logged []string
		h.Log = func(_ *http.Request, err error) { logged = append(logged, err.Error()) }
		w := ask(h, path, body)
		if w.Code != 500 || strings.Contains(w.Body.String(), "rosa") || !strings.Contains(w.Body.String(), `"internal"`) {
			t.Errorf("%s: answer is %d %s", path, w.Code, w.Body)
		}
		if fmt.Sprint(logged) != "[open /home/rosa/key: no such file]" {
			t.Errorf("%s: logged %q", path, logged)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		logged = nil
		ask(h, path, body, func(r *http.Request) { *r = *r.WithContext(gone) })
		if len(logged) != 0 {
			t.Errorf("%s: a caller that went away was logged: %q", path, logged)
		}
	}
}

func TestAnAnswerThatTheCallerHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	m := &machine{snapshot: herd()}
	h := handlers(m, false)
	first := ask(h, "/snapshot", "")
	etag := first.Header().Get("ETag")
	if first.Code != 200 || len(etag) < 20 || first.Header().Get("Cache-Control") != "private, no-store" {
		t.Fatalf("answer is %d, header %v", first.Code, first.Header())
	}
	with := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["If-None-Match"] = values }
	}
	for _, known := range [][]string{{etag}, {"W/" + etag}, {`"x", ` + etag}, {`"x"`, etag}} {
		w := ask(h, "/snapshot", "", with(known...))
		if w.Code != 304 || w.Body.Len() != 0 || w.Header().Get("ETag") != etag {
			t.Errorf("with %q: answer is %d %s, header %v", known, w.Code, w.Body, w.Header())
		}
	}
	for name, test := range map[string]struct {
		known  string
		change func(*api.Handlers)
	}{
		"another tag":           {`"x"`, nil},
		"a part of the tag":     {etag[:len(etag)-2] + `"`, nil},
		"the text changed":      {etag, func(*api.Handlers) { m.snapshot.At++ }},
		"the mask is newer":     {etag, func(h *api.Handlers) { h.Version = "2" }},
		"the node has been new": {etag, func(h *api.Handlers) { h.ETagKey = []byte("other") }},
	} {
		m.snapshot = herd()
		h := handlers(m, false)
		if test.change != nil {
			test.change(h)
		}
		if w := ask(h, "/snapshot", "", with(test.known)); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: answer is %d", name, w.Code)
		}
	}
}

func TestScrollbackIsAskedForInBounds(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                           "history p1 0 200",
		"?from=5&count=1":            "history p1 5 1",
		"?count=2000":                "history p1 0 2000",
		"?count=0":                   "",
		"?count=2001":                "",
		"?count=-1":                  "",
		"?from=-1":                   "",
		"?from=x":                    "",
		"?count=1e3":                 "",
		"?from=99999999999999999999": "",
	} {
		m := &machine{}
		w := ask(handlers(m, false), "/pane/p1/history"+query, "")
		if got := m.asked(); got != want || (w.Code == 200) != (want != "") {
			t.Errorf("%q: asked for %q, answer is %d %s", query, got, w.Code, w.Body)
		}
		if want != "" && w.Body.String() != `{"from":0,"total":0,"rows":[]}` {
			t.Errorf("%q: answer is %s", query, w.Body)
		}
	}
}

func TestRowsAboveEndsAndReceiptsAreForTheLeadAlone(t *testing.T) {
	t.Parallel()
	around := api.History{Above: []grid.Row{row("a")}, Below: []grid.Row{row("b")}}
	m := &machine{pane: api.Pane{ID: "p1", Frame: whole()}, history: around, frames: []grid.Frame{whole()}, events: []api.Event{{Receipt: receipt()}, {Snapshot: ptr(herd())}}}
	for _, link := range []bool{true, false} {
		h := handlers(m, link)
		for path, part := range map[string]string{"/pane/p1": "above", "/pane/p1?": "ends", "/pane/p1/live": "above", "/pane/p1/live?": "ends", "/pane/p1/history": "above", "/pane/p1/history?from=0": "below", "/events": "event: receipt\n"} {
			if got := strings.Contains(ask(h, path, "").Body.String(), part); got != link {
				t.Errorf("%s on a link: %v, yet %q is in it: %v", path, link, part, got)
			}
		}
	}
	if m.pane.Above == nil || m.frames[0].Above == nil || m.pane.Ends == nil || m.frames[0].Ends == nil {
		t.Error("the machine's own frames were changed")
	}
}

func TestARefusalAfterTheFirstEventIsTheLastEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path string
		err  error
		want string
	}{
		"herd":             {"/events", api.ErrHostAnswer.On("atlas"), `event: error` + "\n" + `data: {"error":"that machine sent an answer that cannot be read","code":"host_answer_invalid","host":"atlas"}`},
		"frames":           {"/pane/p1/live", api.ErrPaneAway, `event: error` + "\n" + `data: {"error":"that pane does not answer at present","code":"pane_away"}`},
		"something here":   {"/events", errors.New("secret"), `event: error` + "\n" + `data: {"error":"something went wrong here; the log says what","code":"internal"}`},
		"a pane is closed": {"/pane/p1/live", api.ErrPaneNotFound, `event: gone` + "\n" + `data: {"error":"no such pane","code":"pane_not_found"}`},
		"a program ended":  {"/pane/p1/live", api.ErrPaneGone, `event: gone` + "\n" + `data: {"error":"the program in this pane has ended","code":"pane_gone"}`},
		"no refusal":       {"/events", nil, `"token":"abc"}]}`},
	} {
		m := &machine{err: test.err, events: []api.Event{{Snapshot: ptr(herd())}}, frames: []grid.Frame{whole()}}
		w := ask(handlers(m, false), test.path, "")
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || !strings.HasSuffix(w.Body.String(), test.want+"\n\n") {
			t.Errorf("%s: answer is %d %s", name, w.Code, w.Body)
		}
	}
}
