package mask

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/grid"
)

type inner struct {
	Name   string
	Masked bool
}

type outer struct {
	Title   string `mask:"title"`
	Diff    string `mask:"diff"`
	Parts   []inner
	Pointer *inner
	Any     any
	Paths   map[string]string
	Raw     json.RawMessage
	Rows    []grid.Row
	Bytes   []byte
	Frame   grid.Frame
	Count   int
	Masked  bool
	hidden  string
}

func TestEveryStringOfAnAnswerIsMasked(t *testing.T) {
	t.Parallel()
	var (
		m      = New()
		secret = made("ghp_", madeMixed[:36])
		gone   = "ghp_" + dots(36)
		wraps  = []grid.Row{row(true, secret[:9], ""), row(false, secret[9:], "")}
		frame  = grid.Frame{Title: secret}
	)
	in := outer{
		Title: "vi ghp_q7R", Diff: "-" + secret, Parts: []inner{{Name: "plain"}, {Name: secret}}, Pointer: &inner{Name: secret},
		Any:   map[string]any{"list": []any{"x", secret, json.Number("5")}, "password": "hunter2hunter2", "pin": json.Number("12345678")},
		Paths: map[string]string{"a": "b", secret: "/srv/" + secret}, Raw: json.RawMessage(`{"api_key": "4f9a1c7e0b3d", "n": 12345678901234567890}`),
		Rows: wraps, Bytes: []byte(secret), Frame: frame, Count: 3, hidden: secret,
	}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, found := Answer(m, in)
	want := outer{
		Title: "vi ghp_•••", Diff: "-" + gone, Parts: []inner{{Name: "plain"}, {Name: gone, Masked: true}}, Pointer: &inner{Name: gone, Masked: true},
		Any:   map[string]any{"list": []any{"x", gone, json.Number("5")}, "password": dots(14), "pin": json.Number("12345678")},
		Paths: map[string]string{"a": "b", gone: "/srv/" + gone}, Raw: json.RawMessage(`{"api_key":"` + dots(12) + `","n":12345678901234567890}`),
		Rows: []grid.Row{row(true, "ghp_"+dots(5), ""), row(false, dots(31), "")}, Bytes: []byte(secret), Frame: frame, Count: 3, Masked: true, hidden: secret,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outer{})); diff != "" || !found {
		t.Errorf("found %v, want - got +\n%s", found, diff)
	}
	if after, _ := json.Marshal(in); string(after) != string(before) {
		t.Errorf("the answer that was handed in changed: %s", after)
	}
	if again, found := Answer(m, got); found {
		t.Errorf("masked again: %+v", again)
	}
	if same, found := Answer(nil, in); found || same.Diff != in.Diff {
		t.Errorf("without a mask: %+v", same)
	}
	if number, _ := Answer(m, map[string]any{"password": json.Number("1234567890")}); number["password"] != dots(10) {
		t.Errorf("a number beside a name became %v", number)
	}
}

func TestAnAnswerWithoutSecretsIsTheSame(t *testing.T) {
	t.Parallel()
	in := outer{Title: "vi", Parts: []inner{{Name: "x"}}, Pointer: &inner{}, Any: []any{1, nil}, Paths: map[string]string{"token": "t1"}, Raw: json.RawMessage(`{"a": 1}`)}
	got, found := Answer(New(), in)
	if found || &got.Parts[0] != &in.Parts[0] || got.Pointer != in.Pointer || string(got.Raw) != `{"a": 1}` {
		t.Errorf("found %v, %+v", found, got)
	}
	if _, found := Answer(New(), struct{ Token string }{"123e4567-e89b-12d3-a456"}); found {
		t.Error("the name of a field is taken for the name of a secret")
	}
}
