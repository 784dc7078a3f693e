package mirror_test

import (
	"fmt"
	"strings"
	"testing"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/terminal"
)

// input is a screen of a program that draws an input of its own and leaves the
// cursor elsewhere.
func input(above []string, typed, below string) grid.Frame {
	texts := append(append([]string{}, above...), fmt.Sprintf("│ > %-34s│", typed), below)
	f := frame(texts...)
	f.Cursor = grid.Cursor{}
	return f
}

func TestASecretThatIsTypedWhereTheCursorIsNotIsNeverShownInPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ readable, secret string }{
		"a token":                  {"", token()[4:]},
		"a password":               {"", "hunter2"},
		"a key behind other words": {"", "q7R-w2Lk9Zx4"},
	} {
		readable := map[string]string{"a token": "echo gh" + "p_", "a password": "PGPASSWORD=", "a key behind other words": "use sk-ant-"}[name]
		secret := c.secret[:min(len(c.secret), 34-len(readable))]
		for _, piece := range []int{1, 2, 5} {
			r := watch(t, mask.New())
			r.see(input([]string{"hello", ""}, "", "status"))
			for typed := 1; typed <= len(readable); typed++ {
				r.see(input([]string{"hello", ""}, readable[:typed], "status"))
			}
			for typed := 0; typed < len(secret)+piece; typed += piece {
				now := secret[:min(typed, len(secret))]
				// Something else on the screen goes on meanwhile.
				r.see(input([]string{"hello", strings.Repeat("*", typed%4)}, readable+now, fmt.Sprintf("status %d", typed)))
				if got, want := r.text(), readable+dots(len(now)); !strings.Contains(got, want+" ") && !strings.Contains(got, want+"│") {
					t.Fatalf("%s, %d at a time: typed %q, the receiver sees %q", name, piece, now, got)
				}
			}
		}
	}
}

func TestWhatIsTypedStaysHiddenWhileItIsTakenBackAndWhenItsRowMoves(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	r.see(input([]string{"a", "b"}, "sk-ant-", "status"))
	for _, typed := range []string{"sk-ant-ab", "sk-ant-abcd", "sk-ant-abc", "sk-ant-ab"} {
		r.see(input([]string{"a", "b"}, typed, "status"))
		if want := "sk-ant-" + dots(len(typed)-7) + " "; !strings.Contains(r.text(), want) {
			t.Errorf("typed %q: %q", typed, r.text())
		}
	}
	r.see(input([]string{"b", "c"}, "sk-ant-ab", "status")) // only what is above scrolled
	f := frame("b", "│ > "+fmt.Sprintf("%-34s│", "sk-ant-ab"), "│   next row of the input", "status")
	f.Cursor = grid.Cursor{}
	r.see(f) // the input grew upwards
	if got := r.text(); !strings.Contains(got, "sk-ant-•• ") {
		t.Errorf("its row moved: %q", got)
	}
	r.see(input([]string{"b", "c"}, "sk-ant-ab is what a key begins with", "status"))
	if got := r.text(); !strings.Contains(got, "sk-ant-ab is") {
		t.Errorf("it went on in words: %q", got)
	}
}

func TestWhatIsPrintedAtOnceKeepsThePlainRule(t *testing.T) {
	t.Parallel()
	r := watch(t, mask.New())
	r.see(frame("$ ls", "", "", ""))
	r.see(frame("$ ls", "sk-themes", "password: none", "$"))
	if got := r.text(); got != "$ ls/sk-themes/password: none/$" {
		t.Errorf("the receiver sees %q", got)
	}
	r.see(frame("sk-themes", "password: none", "token: abc", "$")) // scrolled
	if got := r.text(); got != "sk-themes/password: none/token: abc/$" {
		t.Errorf("scrolled: %q", got)
	}
	r.see(frame("sk-themes", "password: none", "Token: 98", "$"))
	r.see(frame("sk-themes", "password: none", "Token: 99", "$"))
	if got := r.text(); !strings.Contains(got, "Token: 99") {
		t.Errorf("a count: %q", got)
	}
}

// The same with a real terminal: the program hides the cursor, draws its box anew
// after each key with a block of its own, and goes home.
func TestAnInputBoxWithACursorOfItsOwnNeverShowsAPartOfASecret(t *testing.T) {
	t.Parallel()
	r, screen := watch(t, mask.New()), terminal.New(60, 8, 50)
	readable, secret := "export GITHUB_TOKEN=gh"+"p_", body[:20]
	draw := func(typed string) {
		fmt.Fprintf(screen, "\x1b[?25l\x1b[5;1H╭%s╮\x1b[6;1H│ > %s\x1b[7m \x1b[27m%s│\x1b[7;1H╰%s╯\x1b[1;1H",
			strings.Repeat("─", 50), typed, strings.Repeat(" ", 46-len(typed)), strings.Repeat("─", 50))
	}
	for n := range len(readable) + 1 {
		draw(readable[:n])
		r.see(picture(screen))
	}
	for n := range len(secret) + 1 {
		draw(readable + secret[:n])
		out := r.see(picture(screen))
		if part := leaks(r.text()+text(out.Above), secret); part != "" || n > 0 && strings.Contains(r.text(), "p_"+secret[:1]) {
			t.Fatalf("after %q the receiver sees %q", secret[:n], r.text())
		}
	}
}

// What is pasted comes in pieces, and goes over several rows of the program's box.
func TestWhatIsPastedInPiecesIsNeverShownInPart(t *testing.T) {
	t.Parallel()
	const inner = 54
	head := "run this, and then tell me what you think of it: export GITHUB_TOKEN=gh" + "p_"
	for before := range 10 {
		pasted := strings.Repeat("x", 3*before) + " " + head + body
		for _, piece := range []int{34, 45, 60, 77} {
			r, screen := watch(t, mask.New()), terminal.New(60, 12, 50)
			draw := func(typed string) {
				fmt.Fprint(screen, "\x1b[?25l\x1b[2;1H╭"+strings.Repeat("─", inner+4)+"╮")
				sign := ">"
				for row := 3; row < 9; row++ {
					part := typed[:min(inner, len(typed))]
					typed = typed[len(part):]
					fmt.Fprintf(screen, "\x1b[%d;1H│ %s %-54s │", row, sign, part)
					if sign = " "; typed == "" {
						fmt.Fprint(screen, "\x1b[", row+1, ";1H╰"+strings.Repeat("─", inner+4)+"╯\x1b[1;1H")
						return
					}
				}
			}
			for n := 0; n < len(pasted)+piece; n += piece {
				now := pasted[:min(n, len(pasted))]
				draw(now)
				out := r.see(picture(screen))
				if part := leaks(r.text()+text(out.Above), body); part != "" {
					t.Fatalf("%d columns, %d at a time: after %q the receiver sees %q of it: %q", 3*before, piece, now, part, r.text())
				}
			}
		}
	}
}
