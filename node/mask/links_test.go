package mask

import (
	"slices"
	"testing"

	"collie/node/grid"
)

func TestALinkGoesWithItsSecret(t *testing.T) {
	t.Parallel()
	m := New()
	secret := made("ghp_", madeMixed[:36])
	const plain = "https://example.org/docs"
	for _, c := range []struct {
		name string
		runs []grid.Run
		want []string // the links that stay
	}{
		{"nothing to hide", []grid.Run{{Text: "the docs", Link: plain}}, []string{plain}},
		{"in the address", []grid.Run{{Text: "here", Link: "https://example.org/?token=" + secret}, {Text: "docs", Link: plain}}, []string{"", plain}},
		{"in the text", []grid.Run{{Text: secret, Link: plain}, {Text: " docs", Link: plain}}, []string{"", plain}},
	} {
		in := []grid.Row{{Runs: []grid.Run{{Text: "above", Link: plain}}}, {Runs: c.runs}}
		before := slices.Clone(c.runs)
		for name, mask := range map[string]func() ([]grid.Row, bool){
			"Rows":   func() ([]grid.Row, bool) { return m.Rows(in, nil, nil) },
			"Screen": func() ([]grid.Row, bool) { return m.Screen(in, 80, nil, nil) },
		} {
			masked, found := mask()
			if found != slices.Contains(c.want, "") {
				t.Errorf("%s, %s: found is %v", c.name, name, found)
			}
			for i, run := range masked[1].Runs {
				if run.Link != c.want[i] || masked[0].Runs[0].Link != plain {
					t.Errorf("%s, %s: run %d links to %q, want %q", c.name, name, i, run.Link, c.want[i])
				}
			}
			if again, found := m.Rows(masked, nil, nil); found || !slices.EqualFunc(again, masked, grid.Row.Equal) {
				t.Errorf("%s, %s: masking again changes it", c.name, name)
			}
			if !slices.Equal(in[1].Runs, before) {
				t.Errorf("%s, %s: the input changed", c.name, name)
			}
		}
	}
}
