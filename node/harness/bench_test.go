package harness_test

import (
	"os/exec"
	"strings"
	"testing"

	"collie/crypto/need"
	"collie/node/harness"
	"collie/node/harness/screens"
)

// BenchmarkRead reads recorded screens. The last one is what a reader without an
// emulator of its own pays before it has a text to look at: one tmux process.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"claude-idle", "claude-long", "codex-bash", "gemini-bash", "opencode-bash"} {
		recorded, err := screens.Read("testdata/screens/" + name + ".screen")
		if err != nil {
			b.Fatal(err)
		}
		s := recorded.Screen()
		program, _, _ := strings.Cut(name, "-")
		adapter := harness.Builtin().Named(program)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				adapter.Read(s)
			}
		})
	}
	b.Run("a tmux process", func(b *testing.B) {
		need.Program(b, "tmux")
		for b.Loop() {
			_ = exec.Command("tmux", "-V").Run()
		}
	})
}
