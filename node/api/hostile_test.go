package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"collie/node/api"
	"collie/node/grid"
)

// huge is a document of so many values in few bytes each.
func huge(before, value, after string, n int) string {
	return before + strings.Repeat(value+",", n-1) + value + after
}

func TestAnAnswerThatNoHonestMachineGivesIsNotPassedOn(t *testing.T) {
	t.Parallel()
	frame := func(change func(*grid.Frame)) string {
		f := whole()
		change(&f)
		data, _ := json.Marshal(f)
		return string(data)
	}
	rows := func(n int, text string) string {
		data, _ := json.Marshal(api.History{Rows: []grid.Row{row(text)}})
		one := string(data[strings.Index(string(data), `{"wrap`) : len(data)-2])
		return huge(`{"rows":[`, one, `]}`, n)
	}
	for name, bodies := range map[string]map[string]string{
		"any": { // to any question
			"nothing":           "",
			"no JSON":           "<html>",
			"two documents":     "{}{}",
			"a list":            "[]",
			"a string":          `"x"`,
			"wrong types":       `{"recipes":1,"submitted":1,"at":"x","path":1,"mode":1,"rows":"x","messages":1,"turns":1,"textDelivered":"x","ok":1,"id":[],"lines":1,"count":"x"}`,
			"more than 8 MiB":   `{"x":"` + strings.Repeat("x", 8<<20) + `"}`,
			"a deep document":   strings.Repeat("[", 20_000),
			"a deep object":     strings.Repeat(`{"x":`, 20_000) + "1" + strings.Repeat("}", 20_000),
			"objects of nought": huge(`{"panes":[`, `{}`, `],"rows":""}`, 200_000),
			"values of nought":  huge(`{"messages":[`, `0`, `],"rows":[]}`, 1<<20),
		},
		"pane": {
			"no rows":            frame(func(f *grid.Frame) { f.Rows, f.Lines = 0, nil }),
			"a row is missing":   frame(func(f *grid.Frame) { f.Lines = f.Lines[:1] }),
			"an escape":          frame(func(f *grid.Frame) { f.Lines[0].Row = row("\x1b[2J") }),
			"an escape in title": frame(func(f *grid.Frame) { f.Title = "\x1b]52;c;x\x07" }),
			"a cursor far off":   frame(func(f *grid.Frame) { f.Cursor.Row = 1 << 40 }),
			"more rows":          frame(func(f *grid.Frame) { f.Above = make([]grid.Row, 257) }),
			"runs of one part":   `{"cols":1,"rows":1,"lines":[{"i":0,"runs":[["x"]]}]}`,
		},
		"history": {
			"more rows than asked for": rows(11, "x"),
			"an escape":                rows(1, "\x1b[2J"),
			"a place before the first": `{"from":-1,"total":5,"rows":[]}`,
			"a negative total":         `{"from":0,"total":-5,"rows":[]}`,
		},
		"files": {
			"neither a folder nor a file": `{"path":"x"}`,
			"more entries than listed":    huge(`{"folder":{"entries":[`, `{"name":"x"}`, `]}}`, 1001),
			"a page that is too long":     `{"file":{"text":"` + strings.Repeat("x", 768<<10+1) + `"}}`,
			"too much before a page":      `{"file":{"above":"` + strings.Repeat("x", 48<<10+1) + `"}}`,
			"a page before the first":     `{"file":{"from":-1}}`,
			"a next page before it":       `{"file":{"next":-1}}`,
		},
		"changes": {
			"no diff":                 `{"repository":true}`,
			"more paths than listed":  huge(`{"diff":{},"entries":[`, `{"path":"x"}`, `]}`, 1001),
			"a diff that is too long": `{"diff":{"text":"` + strings.Repeat("x", 3<<20+1) + `"}}`,
		},
		"folders": {
			"more than Browse lists": huge(`{"folders":[`, `"x"`, `]}`, 201),
		},
		"chat": {
			"more turns than asked for": huge(`{"turns":[`, `{"id":"x"}`, `]}`, 11),
			"less than none skipped":    `{"skipped":-1}`,
			"a turn that is too long":   `{"turns":[{"text":"` + strings.Repeat("x", api.MaxChatTextBytes+1) + `"}]}`,
			"too many tools":            `{"turns":[{"tools":[` + strings.Repeat("{},", 200) + `{}]}]}`,
			"too many pictures":         `{"turns":[{"images":[` + strings.Repeat(`"x",`, 16) + `"x"]}]}`,
		},
		"walky": {
			"more messages than kept": huge(`{"messages":[`, `{"id":"x"}`, `]}`, 201),
		},
	} {
		for what, body := range bodies {
			for call, do := range merge(reads, clientWrites) {
				want := api.ErrHostAnswer
				if clientWrites[call] != nil {
					want = api.ErrOutcomeUnknown // it may have done it
				}
				if name != "any" && name != call {
					continue
				}
				if len(body) > 1<<20 && call != "history" && call != "reply" && call != name {
					continue // one read and one write tell enough of it
				}
				if err := do(t.Context(), client(answers(200, body))); err != want {
					t.Errorf("%s, %s: %v, want %v", call, what, err, want)
				}
			}
		}
	}
}

func TestWhatIsInsideAStringIsNoValue(t *testing.T) {
	t.Parallel()
	want := herd()
	want.Panes[0].Title = strings.Repeat(`",[`, 200_000) + `\\`
	data, _ := json.Marshal(want)
	got, err := client(answers(200, string(data))).Snapshot(t.Context())
	if err != nil || got.Panes[0].Title != want.Panes[0].Title {
		t.Errorf("a title of brackets: %v", err)
	}
}

func TestEventsThatNoHonestMachineSendsAreNotPassedOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ call, event, data string }{
		"no JSON":            {"events", "snapshot", "<html>"},
		"a list":             {"events", "change", "[]"},
		"wrong types":        {"events", "gone", `{"panes":"all"}`},
		"a wrong receipt":    {"events", "receipt", `{"id":[]}`},
		"objects of nought":  {"events", "change", huge(`{"panes":[`, `{}`, `]}`, 150_001)},
		"nulls":              {"events", "snapshot", huge(`{"tabs":[`, `null`, `]}`, 150_001)},
		"more than 8 MiB":    {"events", "snapshot", `"` + strings.Repeat("x", 8<<20)},
		"no frame":           {"live", "frame", `[]`},
		"a frame of nothing": {"live", "frame", `{}`},
		"an escape":          {"live", "frame", `{"cols":1,"rows":1,"lines":[{"i":0,"wrap":false,"runs":[["\u001b",""]]}]}`},
		"lines out of order": {"live", "frame", `{"cols":1,"rows":2,"lines":[{"i":1},{"i":0}]}`},
	} {
		c := client(answers(200, "event: "+test.event+"\ndata: "+test.data+"\n\n"))
		passed := 0
		err := c.Events(t.Context(), func(api.Event) error { passed++; return nil })
		if test.call == "live" {
			err = c.Live(t.Context(), "p1", func(grid.Frame) error { passed++; return nil })
		}
		if err != api.ErrHostAnswer || passed != 0 {
			t.Errorf("%s: %d passed on, then %v", name, passed, err)
		}
	}
}

func TestEventsOfALaterVersionAreLeftOut(t *testing.T) {
	t.Parallel()
	c := client(answers(200, "event: weather\ndata: <\n\nevent: gone\ndata: {\"at\":1,\"new\":[]}\n\n"))
	var got []api.Event
	if err := c.Events(t.Context(), func(e api.Event) error { got = append(got, e); return nil }); err != api.ErrHostUnreachable {
		t.Error(err)
	}
	if len(got) != 1 || got[0].Gone == nil || got[0].Gone.At != 1 {
		t.Errorf("read %+v", got)
	}
}

func TestTheReceiverEndsAStream(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	m := &machine{events: []api.Event{{Snapshot: ptr(herd())}}, frames: []grid.Frame{whole()}, stay: true}
	c := dial(t, handlers(m, true))
	if err := c.Events(t.Context(), func(api.Event) error { return enough }); err != enough {
		t.Errorf("events ended with %v", err)
	}
	if err := c.Live(t.Context(), "p1", func(grid.Frame) error { return enough }); err != enough {
		t.Errorf("live ended with %v", err)
	}
}

const injected = "<b>call +1 555 0100</b>"

func TestARefusalIsToldInOurOwnWords(t *testing.T) {
	t.Parallel()
	for _, known := range api.Codes() {
		want := known
		switch known.Code {
		case "internal":
			want = api.ErrHostFailed // it was there, not here
		}
		body := fmt.Sprintf(`{"error":%q,"code":%q,"host":%q,"status":200,"detail":{"why":%q}}`, injected, known.Code, injected, injected)
		for name, call := range merge(reads, clientWrites) {
			wanted := want
			if clientWrites[name] != nil && known == api.ErrHostAnswer {
				wanted = api.ErrOutcomeUnknown
			}
			if err := call(t.Context(), client(answers(known.Status, body))); err != wanted {
				t.Errorf("%s refused with %s: %#v", name, known.Code, err)
			}
		}
		for name, call := range streams {
			for _, transport := range []http.RoundTripper{answers(known.Status, body), answers(200, "event: error\ndata: "+body+"\n\n")} {
				if err := call(t.Context(), client(transport)); err != want {
					t.Errorf("%s refused with %s: %#v", name, known.Code, err)
				}
			}
		}
	}
}

func TestARefusalThatCannotBeReadIsNotPassedOn(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", injected, `[]`, `{}`, `{"code":"device_not_paired"}`, `{"code":"` + injected + `"}`, `{"code":7}`, `{"code":`, "null"} {
		for name, call := range merge(reads, streams) {
			if err := call(t.Context(), client(answers(500, body))); err != api.ErrHostAnswer {
				t.Errorf("%s refused with %s: %v", name, body, err)
			}
		}
		for name, call := range clientWrites {
			if err := call(t.Context(), client(answers(500, body))); err != api.ErrOutcomeUnknown {
				t.Errorf("%s refused with %s: %v", name, body, err)
			}
		}
	}
	for name, call := range merge(reads, streams, clientWrites) {
		if err := call(t.Context(), client(answers(401, `{"error":"unauthorized"}`))); err != api.ErrHostUnreachable {
			t.Errorf("%s that the link refused: %v", name, err)
		}
	}
}

func TestOnlyWhatWasTypedIsReadOfADetail(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]any{
		`{"textDelivered":true,"x":"` + injected + `"}`: api.Replied{TextDelivered: true},
		`{"textDelivered":false}`:                       api.Replied{},
		`{"textDelivered":true,"lines":2}`:              api.Replied{TextDelivered: true, Lines: 2},
		`{"textDelivered":true,"lines":-2}`:             api.Replied{TextDelivered: true},
		`{"textDelivered":true,"lines":1000000000}`:     api.Replied{TextDelivered: true, Lines: api.MaxReplyBytes},
		`{"textDelivered":true,"lines":"many"}`:         nil,
		`{"textDelivered":"` + injected + `"}`:          nil,
		`"` + injected + `"`:                            nil,
		`null`:                                          nil,
	} {
		_, err := client(answers(409, `{"code":"not_submitted","detail":`+detail+`}`)).Reply(t.Context(), "p1", api.Reply{})
		if refused := api.AsError(err); refused.Code != "not_submitted" || refused.Detail != want {
			t.Errorf("detail %s: %+v", detail, refused)
		}
	}
}

// FuzzClient has the other side answer anything. Nothing panics, and what comes
// back is a refusal of our own or a document within its bounds.
func FuzzClient(f *testing.F) {
	frame, _ := json.Marshal(whole())
	snapshot, _ := json.Marshal(herd())
	for _, body := range []string{
		string(frame), string(snapshot), "event: frame\ndata: " + string(frame) + "\n\n", "event: snapshot\ndata: " + string(snapshot) + "\n\n",
		`{"code":"pane_gone","detail":{"textDelivered":true}}`, `{"rows":[{"wrap":true,"runs":[["a",""]]}]}`, `{"messages":[{}]}`, "[", "",
	} {
		f.Add(200, body)
		f.Add(409, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		c := client(answers(status, body))
		for name, call := range merge(reads, clientWrites, streams) {
			if err := call(t.Context(), c); err != nil && api.AsError(err) == api.ErrInternal {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if pane, err := c.Pane(t.Context(), "p1"); err == nil && (pane.Check() != nil || len(pane.Lines) != pane.Rows) {
			t.Fatalf("passed on %+v", pane)
		}
		_ = c.Live(t.Context(), "p1", func(frame grid.Frame) error { return frame.Check() })
	})
}
