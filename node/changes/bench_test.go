package changes

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkStatus is a status of 2,000 files, of which 20 are changed, beside
// what git itself takes for one in the same folder.
func BenchmarkStatus(b *testing.B) {
	c := benchClone(b)
	var plain time.Duration
	for b.Loop() {
		if _, err := c.Status(b.Context(), c.dir); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		began := time.Now()
		cmd := exec.CommandContext(b.Context(), "git", "status", "--porcelain=v2", "-z")
		cmd.Dir, cmd.Env = c.dir, append(c.environ(), "GIT_OPTIONAL_LOCKS=0")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		plain += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(plain), "x-git")
}

func benchClone(b *testing.B) *clone {
	b.Helper()
	dir := b.TempDir()
	c := &clone{dir: dir, home: dir}
	c.Git = New(c.environ(), 0o022, func(string, string) bool { return false })
	write := func(i int, text string) {
		path := fmt.Sprintf("%s/d%02d/f%04d", dir, i%50, i)
		must(b, os.MkdirAll(fmt.Sprintf("%s/d%02d", dir, i%50), 0o700))
		must(b, os.WriteFile(path, []byte(text), 0o600))
	}
	for i := range 2000 {
		write(i, fmt.Sprintln("the text of", i))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}} {
		if out, err := c.plain(args...); err != nil {
			b.Fatal(err, out)
		}
	}
	for i := range 20 {
		write(i, "changed\n")
	}
	return c
}

// BenchmarkTrim takes the context of a diff of 4,000 lines away.
func BenchmarkTrim(b *testing.B) {
	text := "diff --git a/x b/x\n--- a/x\n+++ b/x\n"
	for i := range 20 {
		text += fmt.Sprintf("@@ -%d,200 +%d,200 @@\n", 1+i*400, 1+i*400)
		for j := range 199 {
			if j == 100 {
				text += "-old\n+new\n"
			}
			text += fmt.Sprintln(" line", j)
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Trim(text)
	}
}
