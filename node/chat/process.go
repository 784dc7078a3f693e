package chat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Process is a harness that runs.
type Process struct {
	Harness string
	PID     int
	Started time.Time // to about a second
	// Wrapped are processes of the same harness that this one is only the
	// starter of; they are looked at first.
	Wrapped []int
	// Rivals counts the other processes of that harness that work in a folder;
	// nil when nobody can count.
	Rivals func(folder string) int
}

// openFiles returns the files that a process has open below a folder, relative
// to it.
func openFiles(pid int, below string) []string {
	descriptors, err := os.Open(proc(pid, "fd"))
	if err != nil {
		return nil
	}
	defer descriptors.Close()
	names, _ := descriptors.Readdirnames(maxDescriptors) // some are better than none
	var files []string
	for _, name := range names {
		target, err := os.Readlink(proc(pid, "fd", name))
		if err != nil {
			continue
		}
		if relative, ok := strings.CutPrefix(target, below+"/"); ok {
			files = append(files, relative)
		}
	}
	return files
}

func proc(pid int, parts ...string) string {
	return filepath.Join(append([]string{"/proc", strconv.Itoa(pid)}, parts...)...)
}

// place returns a folder that a variable names, or one below the home folder, with
// every link of its path followed: what a process has open is named like that.
func place(env func(string) string, variable, below string) (string, error) {
	dir := env(variable)
	if dir == "" {
		home := env("HOME")
		if home == "" {
			return "", errors.New("the harness has no home folder")
		}
		dir = filepath.Join(home, below)
	}
	if !filepath.IsAbs(dir) {
		return "", errors.New("the harness's folder is no absolute path")
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("look at the harness's folder: %w", err)
	}
	return real, nil
}
