package caller

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Environ returns how the variables of a process stood when it began.
func (Proc) Environ(pid int) (func(name string) string, error) {
	file, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return nil, fmt.Errorf("look at the environment of process %d: %w", pid, err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxEnvironBytes))
	if err != nil {
		return nil, fmt.Errorf("look at the environment of process %d: %w", pid, err)
	}
	return func(name string) string {
		for entry := range bytes.SplitSeq(data, []byte{0}) {
			if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
				return string(value)
			}
		}
		return ""
	}, nil
}
