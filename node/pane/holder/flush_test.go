package holder

import (
	"bytes"
	"os/exec"
	"testing"
)

// The kernel may drop what a terminal still holds when its session's leader
// ends; a holder that reads all the time must not lose the last words.
func TestLastWordsAreNotLost(t *testing.T) {
	t.Parallel()
	for range 50 {
		program := exec.Command("sh", "-c", "seq 1 2000; echo last words")
		terminal, err := startOnTTY(program, size{80, 24})
		must(t, err)
		got := make(chan []byte)
		go func() {
			var all bytes.Buffer
			_, _ = all.ReadFrom(terminal.master)
			got <- all.Bytes()
		}()
		must(t, program.Wait())
		terminal.programEnded()
		if all := <-got; !bytes.HasSuffix(all, []byte("last words\r\n")) {
			t.Errorf("the output ends %q", all[max(0, len(all)-40):])
		}
		terminal.hangup()
	}
}
