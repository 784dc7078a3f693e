package changes

import (
	"slices"
	"strings"
	"testing"
)

func TestAStatusThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, out := range []string{"x", "? a", "1 .M N... 1 1 1 a b\x00", "3 x\x00", "2 R. N... 1 1 1 a b R100 new\x00", "1 M N... 1 1 1 a b path\x00"} {
		if all, err := parseStatus([]byte(out), false); err == nil {
			t.Errorf("%q is read as %+v", out, all)
		}
	}
	cut := "? whole\x002 R. N... 1 1 1 a b R100 new\x00ol"
	if all, err := parseStatus([]byte(cut), true); err != nil || !slices.Equal(all, []Change{{Path: "whole", Unstaged: "untracked"}}) {
		t.Errorf("one that was cut is read as %+v, %v", all, err)
	}
}

func TestTrimKeepsThreeLinesAroundEachChange(t *testing.T) {
	t.Parallel()
	lines := func(from, to int) string {
		var all strings.Builder
		for i := from; i <= to; i++ {
			all.WriteString(" line" + string(rune('a'+i)) + "\n")
		}
		return all.String()
	}
	head := "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
	for name, test := range map[string]struct{ diff, want string }{
		"two changes far apart": {
			head + "@@ -5,23 +5,23 @@ func f() {\n" + lines(0, 9) + "-old\n+new\n" + lines(10, 19) + "-gone\n+here\n" + lines(20, 20),
			head + "@@ -12,7 +12,7 @@ func f() {\n" + lines(7, 9) + "-old\n+new\n" + lines(10, 12) +
				"@@ -23,5 +23,5 @@\n" + lines(17, 19) + "-gone\n+here\n" + lines(20, 20),
		},
		"a new file":           {head + "@@ -0,0 +1,2 @@\n+a\n+b\n", head + "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"no newline at an end": {head + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", head + "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"what looks like a header in the text": {
			head + "@@ -1,2 +1,3 @@\n a\n+@@ -9 +9 @@\n b\n", head + "@@ -1,2 +1,3 @@\n a\n+@@ -9 +9 @@\n b\n",
		},
		"a merge":         {"@@@ -1,2 -1,2 +1,3 @@@\n  a\n++b\n", "@@@ -1,2 -1,2 +1,3 @@@\n  a\n++b\n"},
		"only context":    {"@@ -1,9 +1,9 @@\n a\n", "@@ -1,9 +1,9 @@\n a\n"},
		"one that is cut": {"@@ -1,9 +1,9 @@\n a\n-b\n", "@@ -1,2 +1,1 @@\n a\n-b\n"},
		"nothing":         {"", ""},
	} {
		if got := Trim(test.diff); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
		if got := Trim(test.want); got != test.want {
			t.Errorf("%s, again:\n%s", name, got)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("1 .M N... 100644 100644 100644 a b path with blank\x00? new\x00"), false)
	f.Add([]byte("2 R. N... 1 1 1 a b R100 new\x00old\x00u UU N... 1 1 1 1 a b c both\x00"), false)
	f.Add([]byte("# branch.oid 1\x00! ignored\x002 R. N... 1 1 1 a b R100 n\x00o"), true)
	f.Add([]byte("\x00\x00"), true)
	f.Fuzz(func(t *testing.T, out []byte, cut bool) {
		all, err := parseStatus(out, cut)
		if err != nil && all != nil {
			t.Errorf("%q is refused, and read", out)
		}
		for _, change := range all {
			if strings.ContainsRune(change.Path+change.From, 0) || !strings.Contains(string(out), change.Path) || !strings.Contains(string(out), change.From) {
				t.Errorf("%q has no path %+v", out, change)
			}
		}
	})
}

func FuzzTrimLeavesEveryChange(f *testing.F) {
	f.Add("diff --git a/x b/x\n@@ -1,3 +1,3 @@ f\n a\n-b\n+c\n d\n")
	f.Add("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n")
	f.Add("@@ -5,20 +5,20 @@\n" + strings.Repeat(" x\n", 10) + "-y\n" + strings.Repeat(" x\n", 9) + "+z\n")
	f.Add("@@@ -1 -1 +1 @@@\n++x\n")
	f.Add("@@ -999999999,999999999 +0,0 @@\n-\n\n")
	f.Fuzz(func(t *testing.T, diff string) {
		trimmed := Trim(diff)
		if got, want := changed(trimmed), changed(diff); got != want {
			t.Errorf("%q\nbecomes %q", diff, trimmed)
		}
		if again := Trim(trimmed); again != trimmed {
			t.Errorf("%q\nis trimmed to %q and then to %q", diff, trimmed, again)
		}
	})
}

// changed returns the lines of a text that are not context and no header.
func changed(diff string) string {
	var all strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] == '+' || line[0] == '-' {
			all.WriteString(line)
		}
	}
	return all.String()
}
