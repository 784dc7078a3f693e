package mirror_test

import (
	"encoding/json"
	"testing"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/mirror"
)

// FuzzApply has a hostile node send a frame. A mirror refuses it or passes on
// one of the same shape; the same again sends no row, and a second mirror
// behind the first one hides nothing more.
func FuzzApply(f *testing.F) {
	wrapped := frame(`see ghp_q7Rw2Lk9Zx4T\`, "n8Vb3Hs6Yd1P x", "")
	wrapped.Above, wrapped.Title = rows(`PASSWORD=hu\`), "token="+body
	wide := frame("密码 password: e\u0301端末端末端末", "-----BEGIN PRIVATE KEY-----", body)
	typed := frame("> sk-ant-a", "password: x")
	typed.Ends = []grid.Cursor{{Row: 0, Col: 10}, {Row: 1, Col: 11}}
	for _, seed := range []grid.Frame{frame("ls"), wrapped, wide, typed, {}} {
		data, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	m := mask.New()
	f.Fuzz(func(t *testing.T, data []byte) {
		var in grid.Frame
		if json.Unmarshal(data, &in) != nil {
			return
		}
		first := mirror.New(m, nil)
		out, err := first.Apply(in)
		if err != nil {
			return
		}
		if out.Cols != in.Cols || out.Rows != in.Rows || len(out.Lines) != in.Rows || len(out.Above) != len(in.Above) || len(out.Title) > grid.MaxTitleBytes {
			t.Fatalf("passed on another shape: %+v", out)
		}
		if again, err := first.Apply(in); err != nil || len(again.Lines) != 0 {
			t.Fatalf("the same frame again sent %q, %v", named(again), err)
		}
		second, err := mirror.New(m, nil).Apply(out)
		if err != nil {
			t.Fatalf("what was passed on is refused: %v", err)
		}
		if got, want := document(t, second), document(t, out); got != want {
			t.Fatalf("the second mirror changed\n%s\nto\n%s", want, got)
		}
	})
}
