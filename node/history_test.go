package node_test

import (
	"strings"
	"testing"

	"collie/node/pane"
)

func TestAPageOfTheScrollbackShowsNoPartOfASecret(t *testing.T) {
	t.Parallel()
	const body, key = "q7Rw2Lk9Zx4Tn8Vb3Hs6Yd1Pf5Gm0JcAeUiO", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw"
	n := open(t)
	script := "printf '0123456789 ghp" + "_" + body + " y\\n-----BEGIN PRIVATE KEY-----\\n" + strings.Repeat(key+`\n`, 5) +
		"-----END PRIVATE KEY-----\\n'; i=0; while [ $i -lt 12 ]; do echo line $i; i=$((i+1)); done; echo token=" + body + "; cat > /dev/null"
	id := run(t, n, pane.Spec{Cols: 20, Rows: 4}, script, "•")
	local := n.Local()
	whole, err := local.History(t.Context(), id, 0, 1000)
	if err != nil || whole.Total < 20 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for from := range whole.Total {
		page, err := local.History(t.Context(), id, from, 1)
		if err != nil || len(page.Rows) != 1 {
			t.Fatalf("row %d: %+v, %v", from, page, err)
		}
		if got, want := page.Rows[0].Text(), whole.Rows[from].Text(); got != want {
			t.Errorf("row %d alone is %q, in the whole it is %q", from, got, want)
		}
		text := page.Rows[0].Text()
		for at := range len(body) - 8 {
			if strings.Contains(text, body[at:at+8]) {
				t.Errorf("row %d shows %q", from, text)
			}
		}
		if strings.Contains(text, key[:20]) || strings.Contains(text, key[20:]) {
			t.Errorf("row %d shows %q", from, text)
		}
	}
}
