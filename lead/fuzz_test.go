package lead

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/mask"
)

// FuzzSnapshotOfAMember holds what the lead makes of whatever a member calls its
// herd: of that member, of the grammar, bounded, one line, and without a secret.
func FuzzSnapshotOfAMember(f *testing.F) {
	for _, seed := range []string{
		`{}`,
		`{"panes":[{"id":"p1","workspace":"w1","tab":"t1","title":"shop","cards":[{"kind":"walky"}],"cols":80,"rows":24}]}`,
		`{"panes":[{"id":"../p1","host":"lead","workspace":"w1","tab":"t1"},{"id":"p1","workspace":"w1","tab":"t1"},{"id":"p1","workspace":"w1","tab":"t1"}]}`,
		`{"standby":{"machine":"atlas","url":"https://evil.example"}}`,
		`{"workspaces":[{"id":"w1","label":"a\u001b[2Jb","cwd":"/srv/\u202egpj"}],"tabs":[{"id":"t1","workspace":"w1"}]}`,
		`{"panes":[{"id":"p1","workspace":"w1","tab":"t1","cols":-1,"rows":1000000,"title":"` + secretText + `"}]}`,
	} {
		f.Add([]byte(seed))
	}
	m := &remote{host: "atlas", mask: mask.New()}
	f.Fuzz(func(t *testing.T, data []byte) {
		var said api.Snapshot
		if json.Unmarshal(data, &said) != nil {
			return
		}
		got := m.clean(said)
		if got.Standby != nil {
			t.Fatalf("a member names the door %v", got.Standby)
		}
		if len(got.Machines) != 0 || len(got.Workspaces) > api.MaxPanes || len(got.Tabs) > api.MaxPanes || len(got.Panes) > api.MaxPanes {
			t.Fatalf("%d machines, %d workspaces, %d tabs, %d panes", len(got.Machines), len(got.Workspaces), len(got.Tabs), len(got.Panes))
		}
		line := func(text string, most int) {
			if len(text) > most || !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c < 0x20 || c == 0x202e }) || strings.Contains(text, secretText) {
				t.Errorf("%q is shown", text)
			}
		}
		place := func(host string, ids ...string) {
			for _, id := range ids {
				if host != "atlas" || !validID(id) {
					t.Errorf("%q of %q is shown", id, host)
				}
			}
		}
		for _, w := range got.Workspaces {
			place(w.Host, w.ID)
			line(w.Label, api.MaxNameBytes)
			line(w.Cwd, api.MaxPathBytes)
		}
		for _, tab := range got.Tabs {
			place(tab.Host, tab.ID, tab.Workspace)
			line(tab.Label, api.MaxNameBytes)
		}
		for _, p := range got.Panes {
			place(p.Host, p.ID, p.Tab, p.Workspace)
			for _, text := range []string{p.Title, p.Label, p.Harness, p.Status, p.Token} {
				line(text, api.MaxNameBytes)
			}
			if p.Cards == nil || len(p.Cards) > maxCards || p.Cols < 0 || p.Cols > grid.MaxCols || p.Rows < 0 || p.Rows > grid.MaxRows {
				t.Errorf("%d cards, %d by %d", len(p.Cards), p.Cols, p.Rows)
			}
			for _, card := range p.Cards {
				line(card.Kind, api.MaxNameBytes)
				line(card.ID, api.MaxNameBytes)
				line(card.From, api.MaxNameBytes)
			}
		}
	})
}
