package chat

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// codex looks at what the process has open: Codex keeps its log open for as long
// as the session lasts.
func (s *search) codex() (Source, error) {
	home, err := place(s.env, "CODEX_HOME", ".codex")
	if err != nil {
		return Source{}, err
	}
	logs := filepath.Join(home, "sessions")
	var open []string
	for _, pid := range append(slices.Clone(s.Wrapped), s.PID) {
		for _, file := range openFiles(pid, logs) {
			if base := path.Base(file); strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, ".jsonl") && !slices.Contains(open, file) {
				open = append(open, file)
			}
		}
	}
	// Agents that it started have logs that began later.
	slices.SortFunc(open, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	if s.told.Session != "" {
		if i := slices.IndexFunc(open, func(file string) bool { return strings.HasSuffix(file, s.told.Session+".jsonl") }); i > 0 {
			open = open[i:]
		}
	}
	if len(open) > 0 {
		return Source{Harness: s.Harness, Root: logs, Path: open[0], Session: codexSession(open[0])}, nil
	}
	return s.codexLatest(logs)
}

// codexSession is the session in a log's name, rollout-TIME-SESSION.jsonl, where
// both parts have dashes of their own.
func codexSession(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".jsonl")
	return name[max(0, len(name)-36):]
}

// codexLatest looks through the newest days for a log that was written to since
// the process began and is of its folder.
func (s *search) codexLatest(logs string) (Source, error) {
	root, err := os.OpenRoot(logs)
	if err != nil {
		return Source{}, err
	}
	defer root.Close()
	var newest string
	var at time.Time
	for _, day := range codexDays(root) {
		list, err := entries(root, day)
		if err != nil {
			continue
		}
		for _, entry := range list {
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(entry.Name(), ".jsonl") || info.ModTime().Before(s.Started.Add(-slack)) || info.ModTime().Before(at) {
				continue
			}
			if file := path.Join(day, entry.Name()); codexFolder(root, file) == s.cwd {
				newest, at = file, info.ModTime()
			}
		}
	}
	if newest == "" {
		return Source{}, ErrNone
	}
	if err := s.alone(); err != nil {
		return Source{}, err
	}
	return Source{Harness: s.Harness, Root: logs, Path: newest, Session: codexSession(newest)}, nil
}

// codexDays are the newest folders YEAR/MONTH/DAY.
func codexDays(root *os.Root) []string {
	folders := []string{"."}
	for range 3 {
		var below []string
		for _, folder := range folders {
			list, err := entries(root, folder)
			if err != nil {
				continue
			}
			for _, entry := range list {
				if name := entry.Name(); entry.IsDir() && name[0] >= '0' && name[0] <= '9' {
					below = append(below, path.Join(folder, name))
				}
			}
		}
		slices.Sort(below)
		folders = below[max(0, len(below)-maxDays):]
	}
	return folders
}

// codexFolder reads the folder in which a session began from its log.
func codexFolder(root *os.Root, name string) string {
	file, err := open(root, name)
	if err != nil {
		return ""
	}
	defer file.Close()
	var head struct {
		Payload struct {
			Cwd string `json:"cwd"`
		} `json:"payload"`
	}
	if json.NewDecoder(io.LimitReader(file, maxHeadBytes)).Decode(&head) != nil {
		return ""
	}
	return head.Payload.Cwd
}
