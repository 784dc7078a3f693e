package view

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"collie/node/grid"
	"collie/node/mask"
	"collie/node/mirror"
)

// A box is the input of a program that hides the cursor, draws its box anew after
// each key with a block of its own, and leaves the cursor in the corner.
func box(typed string) string {
	return fmt.Sprintf("\x1b[?25l\x1b[5;1H╭%s╮\x1b[6;1H│ > %s\x1b[7m \x1b[27m%s│\x1b[7;1H╰%s╯\x1b[1;1H",
		strings.Repeat("─", 50), typed, strings.Repeat(" ", 46-len(typed)), strings.Repeat("─", 50))
}

// read is what a phone is shown of the whole screen, all at once.
func read(t *testing.T, v *View) string {
	t.Helper()
	frame, err := mirror.New(mask.New(), nil).Apply(v.Whole())
	if err != nil {
		t.Fatal(err)
	}
	var screen grid.Screen
	if _, err := screen.Apply(frame); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range screen.Rows() {
		all = append(all, row.Text())
	}
	return strings.Join(all, "\n")
}

func noTerminal() Discipline { return Discipline{} }

// Nobody watched while it was typed, and the cursor is elsewhere.
func TestAReadInTheMiddleOfAWordShowsNoHalfOfASecret(t *testing.T) {
	t.Parallel()
	readable, secret := "export DB_PASS"+"WORD=", "hunter2hunter2"
	for n := 1; n <= len(secret); n++ {
		synctest.Test(t, func(t *testing.T) {
			v := New(60, 8, 50, noTerminal)
			for _, typed := range []string{"", readable[:1], readable} {
				time.Sleep(time.Second)
				v.Write([]byte(box(typed)))
			}
			for i := 1; i <= n; i++ {
				time.Sleep(100 * time.Millisecond)
				v.Write([]byte(box(readable + secret[:i])))
			}
			want := "> " + readable + strings.Repeat("•", n) + " "
			if got := read(t, v); !strings.Contains(got, want) {
				t.Errorf("typed %q: %s", secret[:n], got)
			}
			if got := read(t, v); !strings.Contains(got, want) {
				t.Errorf("read again: %s", got)
			}
			// A phone that watches sees the same, and so does the next.
			v.Write([]byte(box(readable + secret[:n-1])))
			if got, want := read(t, v), "> "+readable+strings.Repeat("•", n-1)+" "; !strings.Contains(got, want) {
				t.Errorf("one taken back: %s", got)
			}
			time.Sleep(time.Second)
			v.Write([]byte(box("") + "\x1b[3;1Htoken: abc\r\n"))
			if got := read(t, v); !strings.Contains(got, "token: abc") || strings.Contains(got, "•") {
				t.Errorf("the input is empty, and a line was printed: %s", got)
			}
		})
	}
}

func TestWhatIsPrintedAtOnceIsNotTakenForTyping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := New(60, 8, 50, noTerminal)
		v.Write([]byte("$ cat notes\r\n"))
		time.Sleep(time.Second)
		v.Write([]byte("token: abc\r\npassword: none\r\nsk-themes\r\n$ "))
		if got := read(t, v); strings.Contains(got, "•") {
			t.Errorf("printed: %s", got)
		}
		time.Sleep(time.Second)
		v.Write([]byte("\x1b[3;1H\x1b[L")) // the rows below move
		if got := read(t, v); strings.Contains(got, "•") {
			t.Errorf("moved: %s", got)
		}
	})
}

func TestAnotherScreenForgetsWhereTheOneBeforeWasWrittenTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := New(60, 8, 50, noTerminal)
		for _, typed := range []string{"", "x", "sk-ant-", "sk-ant-a"} {
			time.Sleep(time.Second)
			v.Write([]byte(box(typed)))
		}
		if err := v.Resize(60, 9, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := read(t, v); !strings.Contains(got, "sk-ant-• ") {
			t.Errorf("another size: %s", got)
		}
	})
}

// What following costs is little beside the emulator.
func BenchmarkWrite(b *testing.B) {
	lines := []byte(strings.Repeat("2026-11-30 12:00:00 INFO \x1b[32mserver\x1b[m: request 4711 took 12 ms and went well\r\n", 800))
	v := New(120, 50, 1000, noTerminal)
	b.SetBytes(int64(len(lines)))
	for b.Loop() {
		v.Write(lines)
	}
}
