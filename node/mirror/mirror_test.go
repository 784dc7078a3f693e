package mirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/mirror"
	"collie/node/terminal"
)

func TestASecretThatComesOverSeveralFramesIsNeverShownInPart(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, secret, after string }{
		"a token":                     {"$ gh auth ", token(), "\r\n"},
		"a token wraps over rows":     {"$ git clone https://example.org/ ", token(), " \r\n"},
		"a password beside its name":  {"DB_PASSWORD=", "q7Rw2Lk9Zx4T", "\r\n"},
		"a token behind many lines":   {strings.Repeat("line\r\n", 30), token(), "\r\n"},
		"a credential":                {"Authorization: Bearer ", body, "\r\n"},
		"a password in an address":    {"postgres://app:", body[:20], "@db/prod\r\n"},
		"a token that scrolls away":   {"\r\n\r\n\r\n\r\n\r\n ", token(), "\r\n"},
		"a token amid colour changes": {"\x1b[31mkey \x1b[1;32m", token(), "\x1b[m\r\n"},
	} {
		for _, size := range []int{1, 3, 7} {
			r, screen := watch(t, mask.New()), terminal.New(24, 6, 100)
			secret := strings.TrimPrefix(test.secret, "ghp"+"_")
			output := test.before + test.secret + test.after
			for at := 0; at < len(output); at += size {
				piece := output[at:min(at+size, len(output))]
				if strings.Contains(name, "colour") && at > len(test.before)+4 && at < len(test.before)+len(test.secret) {
					piece = "\x1b[3" + string("1234567"[at%7]) + "m" + piece
				}
				screen.Write([]byte(piece))
				out := r.see(picture(screen))
				if part := leaks(r.text()+text(out.Above), secret); part != "" {
					t.Fatalf("%s, %d bytes at a time: after %q the receiver sees %q of it: %q, above %q",
						name, size, output[:at], part, r.text(), text(out.Above))
				}
			}
			if !strings.Contains(r.text(), "•") {
				t.Errorf("%s: at the end nothing is hidden in %q", name, r.text())
			}
		}
	}
}

func TestARowThatTurnsOutToContinueIsSentAgain(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	r.see(frame("see ghp_q7Rw2Lk9Zx", "", ""))
	if got := r.text(); got != "see ghp_q7Rw2Lk9Zx//" {
		t.Fatalf("what is no secret yet reads %q", got)
	}
	out := r.see(grid.Frame{Cols: 40, Rows: 3, Cursor: grid.Cursor{Row: 2}, Lines: []grid.Line{
		{I: 0, Row: rows(`see ghp_q7Rw2Lk9Zx\`)[0]}, {I: 1, Row: rows("4Tn8Vb3Hs6Yd1P ok")[0]},
	}})
	if got, want := named(out), "0:see ghp_"+dots(10)+" 1:"+dots(14)+" ok"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	if !out.Masked {
		t.Error("the frame does not say that it is masked")
	}
}

func TestARowThatDidNotChangeIsSentAgainWhenAnotherOneTellsOfIt(t *testing.T) {
	t.Parallel()
	const key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw"
	r := watch(t, mask.New())
	r.see(frame("nothing", key, "x"))
	out := r.see(grid.Frame{Cols: 40, Rows: 3, Cursor: grid.Cursor{Row: 2}, Lines: []grid.Line{
		{I: 0, Row: rows("-----BEGIN PRIVATE KEY-----")[0]},
	}})
	if got := r.text(); strings.Contains(got, key) {
		t.Errorf("below the line that begins a key the receiver sees %q", got)
	}
	if got := named(out); !strings.Contains(got, "1:"+dots(len(key))) {
		t.Errorf("sent %q, want row 1 among it", got)
	}
}

func TestARowIsSentAgainWhenTheCursorLeavesIt(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	f := frame("password: abc", "")
	f.Cursor = grid.Cursor{Row: 0, Col: 13}
	r.see(f)
	if got := r.text(); got != "password: •••/" {
		t.Fatalf("at the cursor it reads %q", got)
	}
	out := r.see(grid.Frame{Cols: 40, Rows: 2, Cursor: grid.Cursor{Row: 1}})
	if got := named(out); got != "0:password: abc" {
		t.Errorf("the cursor has left, and %q was sent", got)
	}
}

func TestRowsAboveAreReadWithTheScreen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		above  []string
		screen []string
		cursor grid.Cursor
		want   string
	}{
		"a token that begins above":       {[]string{`see ghp_q7Rw2Lk9Zx4T\`}, []string{"n8Vb3Hs6Yd1P x", ""}, grid.Cursor{Row: 1}, "see ghp_" + dots(12) + "/" + dots(12) + " x/"},
		"over two rows above":             {[]string{`see ghp_q7Rw2\`, `Lk9Zx4Tn8Vb3\`}, []string{"Hs6Yd1P x", ""}, grid.Cursor{Row: 1}, "see ghp_" + dots(5) + "/" + dots(12) + "/" + dots(7) + " x/"},
		"a short value up to the cursor":  {[]string{`PASSWORD=hu\`}, []string{"nt", ""}, grid.Cursor{Row: 0, Col: 2}, "PASSWORD=••/••/"},
		"a short value the cursor left":   {[]string{`PASSWORD=hu\`}, []string{"nt", ""}, grid.Cursor{Row: 1}, "PASSWORD=hu/nt/"},
		"nothing to hide":                 {[]string{`cat one \`}, []string{"two", ""}, grid.Cursor{Row: 1}, "cat one /two/"},
		"a secret that is above it alone": {[]string{`ghp_q7Rw2Lk9Zx4Tn8Vb3H ok \`}, []string{"x", ""}, grid.Cursor{Row: 1}, "ghp_" + dots(18) + " ok /x/"},
	} {
		r := watch(t, mask.New())
		f := frame(test.screen...)
		f.Above, f.Cursor = rows(test.above...), test.cursor
		out := r.see(f)
		if got := text(out.Above) + "/" + r.text(); got != test.want {
			t.Errorf("%s: reads %q, want %q", name, got, test.want)
		}
		if want := strings.Contains(r.text(), "•"); out.Masked != want {
			t.Errorf("%s: masked is %v, the screen is %q", name, out.Masked, r.text())
		}
	}
}

func TestANewSizeSendsEveryRow(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	r.see(frame("a", token()))
	wider := frame("a", token())
	wider.Cols = 41
	for name, f := range map[string]grid.Frame{"wider": wider, "higher": frame("a", token(), "c")} {
		out := r.see(f)
		if len(out.Lines) != f.Rows || out.Cols != f.Cols {
			t.Errorf("%s: sent %d of %d rows", name, len(out.Lines), f.Rows)
		}
		if part := leaks(r.text(), body); part != "" {
			t.Errorf("%s: shows %q", name, part)
		}
	}
}

func TestTheSameFrameAgainSendsNoRow(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	f := frame("a "+token(), "b", "")
	first := r.see(f)
	again := r.see(f)
	if len(again.Lines) != 0 || again.Lines == nil {
		t.Errorf("sent %q, want an empty list", named(again))
	}
	if again.Seq <= first.Seq {
		t.Errorf("number %d came after %d", again.Seq, first.Seq)
	}
	if !again.Masked {
		t.Error("a frame without rows does not say that the screen is masked")
	}
}

func TestTheTitleIsMaskedAndStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	f := frame("x")
	f.Title = "deploy " + token() + " now"
	if out := r.see(f); out.Title != "deploy ghp_"+dots(36)+" now" || !out.Masked {
		t.Errorf("title is %q, masked %v", out.Title, out.Masked)
	}
	f.Title = "API_TOKEN=" + strings.Repeat(body, 13) // a mark takes three bytes
	if out := r.see(f); out.Title != "API_TOKEN="+dots(167) {
		t.Errorf("title is %q", out.Title)
	}
}

func TestARefusedFrameChangesNothing(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	r.see(frame("a", "b"))
	for name, change := range map[string]func(*grid.Frame){
		"a row is missing": func(f *grid.Frame) { f.Cols, f.Lines = 50, f.Lines[:1] },
		"an escape":        func(f *grid.Frame) { f.Lines[1].Row = rows("\x1b[2J")[0] },
		"an escape above":  func(f *grid.Frame) { f.Above = rows("\x1b[2J") },
	} {
		f := frame("new", "new")
		change(&f)
		if out, err := r.mirror.Apply(f); !errors.Is(err, grid.ErrFrame) || len(out.Lines) != 0 {
			t.Errorf("%s: sent %q, error %v", name, named(out), err)
		}
	}
	if out := r.see(frame("a", "c")); named(out) != "1:c" {
		t.Errorf("sent %q, want row 1 alone", named(out))
	}
}

func TestTheOwnerHashesThePromptBeforeItIsMasked(t *testing.T) {
	t.Parallel()
	var hashed string
	owner := mirror.New(mask.New(), func(rows []grid.Row, head grid.Frame) string {
		hashed = fmt.Sprint(text(rows), head.Cursor)
		return "owner's"
	})
	f := frame("password: hunter2hunter2", "$")
	f.Screen = "not the owner's"
	out, err := owner.Apply(f)
	if err != nil {
		t.Fatal(err)
	}
	if out.Screen != "owner's" || hashed != "password: hunter2hunter2/${1 0 false}" {
		t.Errorf("hash %q over %q", out.Screen, hashed)
	}
	if lead, err := mirror.New(mask.New(), nil).Apply(out); err != nil || lead.Screen != "owner's" {
		t.Errorf("the lead passes on %q, %v", lead.Screen, err)
	}
}

func TestWithoutAMaskEverythingPasses(t *testing.T) {
	t.Parallel()
	f := frame("a "+token(), `b\`, "")
	f.Seq, f.Title, f.Echo, f.Screen, f.Above = 1, token(), true, "h", rows(token()+`\`)
	out, err := mirror.New(nil, nil).Apply(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := document(t, out), document(t, f); got != want {
		t.Errorf("passed on\n%s\nwant\n%s", got, want)
	}
}

func document(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestMirrorsKeepReceiversCurrent lets programs write at random. A receiver's
// screen is always the masked screen, however few rows were sent, or hides more
// where something is being written; and so it is with a second mirror behind the
// first one.
func TestMirrorsKeepReceiversCurrent(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"ls -l\r\n", "\r\n", token(), token()[:20], "password: ", "hunter2hunter2", " ", "-----BEGIN PRIVATE KEY-----\r\n",
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\r\n", "-----END PRIVATE KEY-----\r\n", "\x1b[H", "\x1b[2J", "\x1b[31m", "\x1b[m",
		"\x1b[3;5H", "\x1b[K", "\x1b]2;token=" + body + "\x07", "端末", "e\u0301", "\b\b", "\x1b[?1049h", "\x1b[?1049l", "https://a:" + body + "@b ",
	}
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := mask.New()
		member, lead, screen := watch(t, m), watch(t, m), terminal.New(30, 5, 50)
		for step := range 60 {
			screen.Write([]byte(pieces[random.IntN(len(pieces))]))
			if random.IntN(20) == 0 {
				screen.Resize(20+random.IntN(20), 3+random.IntN(4))
			}
			whole := picture(screen)
			lead.see(member.see(whole))
			fresh, err := mirror.New(m, nil).Apply(whole)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := member.screen.Rows(), rowsOf(fresh); !covers(got, want) {
				t.Fatalf("seed %d, step %d: the receiver has\n%s\nwant\n%s", seed, step, document(t, got), document(t, want))
			}
			if got, want := lead.screen.Rows(), member.screen.Rows(); !covers(got, want) {
				t.Fatalf("seed %d, step %d: the second mirror made\n%s\nof\n%s", seed, step, document(t, got), document(t, want))
			}
		}
	}
}

// covers reports whether rows are others with marks in place of some of their
// columns.
func covers(got, want []grid.Row) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range want {
		rest := got[i].Text()
		for characters := displaywidth.StringGraphemes(want[i].Text()); characters.Next(); {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, characters.Value()); ok {
				continue
			}
			if rest, ok = strings.CutPrefix(rest, dots(characters.Width())); !ok {
				return false
			}
		}
		if rest != "" {
			return false
		}
	}
	return true
}
