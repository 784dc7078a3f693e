package holder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// CrashSuffix ends the name of the file in which a holder leaves the trace of its
// own crash, beside its socket. It is empty for as long as the holder lives.
const CrashSuffix = ".crash"

// crashPath is where the holder of a pane leaves its trace.
func crashPath(dir, id string) string { return filepath.Join(dir, id+CrashSuffix) }

// leaveTrace has a crash of this process written to a file. The node reads it.
func leaveTrace(dir, id string) error {
	file, err := os.OpenFile(crashPath(dir, id), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("prepare for a crash: %w", err)
	}
	defer file.Close() // the runtime keeps a copy
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		return fmt.Errorf("prepare for a crash: %w", err)
	}
	return nil
}

// forgetTrace is for a holder that ends as it should.
func forgetTrace(dir, id string) { _ = os.Remove(crashPath(dir, id)) }

// TakeTrace returns what the holder of a pane left of its crash, if it crashed,
// and removes it. Nothing that stood in the pane is in it: of a panic only what
// the runtime itself words is kept, never a value.
func TakeTrace(dir, id string) (string, error) {
	path := crashPath(dir, id)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTraceBytes))
	err = errors.Join(err, file.Close(), os.Remove(path))
	return withoutValues(string(text)), err
}

// withoutValues keeps the lines of a trace that are the runtime's own.
func withoutValues(trace string) string {
	head, stacks, found := strings.Cut(trace, "\ngoroutine ")
	var kept []string
	for line := range strings.Lines(head) {
		for _, own := range []string{"panic: runtime error: ", "fatal error: ", "SIG", "[signal "} {
			if strings.HasPrefix(line, own) {
				kept = append(kept, strings.TrimRight(line, "\n"))
			}
		}
	}
	if found {
		kept = append(kept, "goroutine "+stacks)
	}
	return strings.Join(kept, "\n")
}
