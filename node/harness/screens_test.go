package harness_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"collie/node/harness"
	"collie/node/harness/screens"
)

var update = flag.Bool("update", false, "write what is read of the recorded screens as the truth")

// TestRecordedScreensAreReadAsWritten holds what each adapter makes of screens
// that the real programs drew.
func TestRecordedScreensAreReadAsWritten(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/screens/*.screen")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recorded screens: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".screen")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded, err := screens.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			program, _, _ := strings.Cut(name, "-")
			got := describe(harness.Builtin().Named(program).Read(recorded.Screen()))
			golden := strings.TrimSuffix(path, ".screen") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("read as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// describe writes a reading down.
func describe(r harness.Reading) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s; owned %t\n", r.Status, r.Why, r.Owned)
	if in := r.Input; in != nil {
		fmt.Fprintf(&b, "input: %q\n", in.Text)
	}
	p := r.Prompt
	if p == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "question: %s\ncut: %t\n", p.Question, p.Cut)
	for _, o := range p.Options {
		how := o.Key
		if how == "" {
			how = o.Next + " or " + o.Back + ", Enter"
		}
		fmt.Fprintf(&b, "%s [%s] %s", o.ID, how, o.Label)
		if o.Detail != "" {
			fmt.Fprintf(&b, " (%s)", o.Detail)
		}
		for word, is := range map[string]bool{"always": o.Always, "no": o.Deny} {
			if is {
				b.WriteString(" <" + word + ">")
			}
		}
		if o.Box {
			fmt.Fprintf(&b, " <ticked %t>", o.Ticked)
		}
		if o.Own {
			fmt.Fprintf(&b, " <takes a text, open %t: %q>", p.Field.Open, p.Field.Text)
		}
		if o.Marked {
			b.WriteString(" <marked>")
		}
		b.WriteByte('\n')
	}
	b.WriteString("subject:\n" + p.Subject + "\n")
	return b.String()
}
