package lead

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/lead/meter"
	"collie/node/api"
	"collie/node/grid"
	"collie/node/markdown"
)

// A member that plants a secret into every text of its answers. It is asked by
// the real client, for every method of api.Machine, so that a method that comes
// is held by this test without a line here.
type planting struct {
	answer any         // of whatever is asked
	events []sentEvent // instead, of a stream
}

type sentEvent struct {
	name string
	data any
}

func (p *planting) RoundTrip(r *http.Request) (*http.Response, error) {
	var body bytes.Buffer
	if p.events == nil {
		_ = json.NewEncoder(&body).Encode(p.answer)
	}
	for _, e := range p.events {
		data, _ := json.Marshal(e.data)
		fmt.Fprintf(&body, "event: %s\ndata: %s\n\n", e.name, data)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&body), Header: http.Header{}, Request: r}, nil
}

// A planter fills values. With fit, what must be an id is one, so that the
// object is not dropped for it.
type planter struct{ fit bool }

func (p planter) fill(v reflect.Value, field string) {
	switch v.Type() {
	case reflect.TypeFor[grid.Frame]():
		v.Set(reflect.ValueOf(grid.Frame{
			Seq: 1, Cols: 80, Rows: 1, Title: "vi " + secretText,
			Lines: []grid.Line{{Row: grid.Row{Runs: []grid.Run{{Text: secretText[:9]}, {Text: secretText[9:], Style: "1"}}}}},
		}))
		return
	case reflect.TypeFor[grid.Row]():
		text := secretText
		if field == "Above" || field == "Below" {
			text = "" // rows as long as each other are read as one that wraps
		}
		v.Set(reflect.ValueOf(grid.Row{Runs: []grid.Run{{Text: text}}}))
		return
	case reflect.TypeFor[markdown.Node](): // holds others of its kind
		v.Set(reflect.ValueOf(markdown.Node{Kind: "a", Text: secretText, Lang: secretText, Href: secretText}))
		return
	case reflect.TypeFor[json.RawMessage]():
		v.Set(reflect.ValueOf(json.RawMessage(`{"` + secretText + `":["` + secretText + `"]}`)))
		return
	case reflect.TypeFor[time.Time]():
		return
	}
	switch v.Kind() {
	case reflect.String:
		text := secretText
		if p.fit && (field == "ID" || field == "Pane" || field == "Tab" || field == "Workspace") {
			text = "p1"
		}
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.fill(v.Elem(), field)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		p.fill(v.Index(0), field)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		p.fill(key, "")
		p.fill(value, "")
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(secretText))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				p.fill(v.Field(i), v.Type().Field(i).Name)
			}
		}
	}
}

func (p planter) made(t reflect.Type) any {
	v := reflect.New(t).Elem()
	p.fill(v, "")
	return v.Interface()
}

// texts reports whether a type holds any text of the member's; ids that are fit
// are none.
func (p planter) texts(t reflect.Type) bool {
	text, _ := json.Marshal(p.made(t))
	return bytes.Contains(text, []byte(secretText[9:]))
}

// callAsPhone calls a method as a phone does and returns what it got, or an error.
func callAsPhone(t *testing.T, m *remote, method reflect.Method) (answers []any, err error) {
	call := reflect.ValueOf(m).MethodByName(method.Name)
	in := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < call.Type().NumIn(); i++ {
		kind := call.Type().In(i)
		arg := reflect.New(kind).Elem()
		switch kind.Kind() {
		case reflect.String:
			arg.SetString("p1")
		case reflect.Int:
			arg.SetInt(1)
		case reflect.Func:
			arg = reflect.MakeFunc(kind, func(sent []reflect.Value) []reflect.Value {
				answers = append(answers, sent[0].Interface())
				return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
			})
		}
		in = append(in, arg)
	}
	out := call.Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	if len(out) > 1 {
		answers = append(answers, out[0].Interface())
	}
	return answers, err
}

func TestASecretInAnyTextOfAMembersAnswerIsMaskedByTheLead(t *testing.T) {
	t.Parallel()
	machine := reflect.TypeFor[api.Machine]()
	for i := range machine.NumMethod() {
		method := machine.Method(i)
		if method.Name == "WalkySend" {
			continue // the lead's own: it asks no member
		}
		for _, p := range []planter{{fit: false}, {fit: true}} {
			member := &planting{}
			m := atlas(t, nil)
			m.machine = &api.Client{Transport: member, Refused: io.EOF, Quiet: time.Minute}
			said := false
			last := method.Type.In(method.Type.NumIn() - 1)
			switch out := method.Type.Out(0); {
			case last == reflect.TypeFor[func(api.Event) error]():
				said = true
				member.events = []sentEvent{{"snapshot", p.made(reflect.TypeFor[api.Snapshot]())}, {"change", p.made(reflect.TypeFor[api.Change]())}, {"gone", p.made(reflect.TypeFor[api.Gone]())}}
			case last == reflect.TypeFor[func(grid.Frame) error]():
				said = true
				member.events = []sentEvent{{"frame", p.made(reflect.TypeFor[grid.Frame]())}}
			case last.Kind() == reflect.Func:
				t.Errorf("%s streams %v: say here what a member sends", method.Name, last.In(0))
			case method.Type.NumOut() > 1:
				said = p.texts(out)
				member.answer = p.made(out)
			}
			answers, err := callAsPhone(t, m, method)
			if err != nil && p.fit && len(answers) == 0 {
				t.Errorf("%s refuses an answer that is fit to be shown: %v", method.Name, err)
			}
			text, _ := json.Marshal(answers)
			hides(t, method.Name, answers)
			if p.fit && said && !strings.Contains(string(text), "ghp_••") {
				t.Errorf("%s: nothing of the answer is left to be masked: %.300s", method.Name, text)
			}
		}
	}
}

// What the lead answers of its own about the machines: names, troubles, and what
// is wrong in the operator's file.
func TestNoRouteOfTheLeadItselfAnswersASecret(t *testing.T) {
	t.Parallel()
	l, _ := loadedLead(t, time.Now)
	rules := filepath.Join(t.TempDir(), meter.TableName)
	must(t, os.WriteFile(rules, []byte("[[alert]]\nmetric = \""+secretText+"\"\n"), 0o600))
	l.readRules(rules)
	l.herd.set(func() {
		l.herd.self.Label = secretText
		f := l.herd.followers["juno"]
		f.info.Label, f.info.Reason, f.info.Build, f.snapshot.Trouble = secretText, secretText, secretText, secretText
		f.part = nil
	})
	router := httprouter.New()
	for _, route := range l.LoadRoutes() {
		router.Handle(route.Method, route.Path, route.Handle)
	}
	for _, route := range l.LoadRoutes() {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest(route.Method, strings.Replace(route.Path, ":id", "juno", 1), nil))
		hides(t, route.Path, json.RawMessage(w.Body.Bytes()))
		if w.Code != http.StatusOK || route.Path == "/machines" && strings.Count(w.Body.String(), "ghp_••") < 4 {
			t.Errorf("%s: %d %s", route.Path, w.Code, w.Body)
		}
	}
}
