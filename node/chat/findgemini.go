package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// gemini looks up the project's folder, and there for the session's log.
func (s *search) gemini() (Source, error) {
	home, err := place(func(name string) string {
		if name == "GEMINI_CLI_HOME" {
			if own := s.env(name); own != "" {
				return filepath.Join(own, ".gemini")
			}
			return ""
		}
		return s.env(name)
	}, "GEMINI_CLI_HOME", ".gemini")
	if err != nil {
		return Source{}, err
	}
	logs := filepath.Join(home, "tmp")
	project, err := geminiProject(home, s.cwd)
	if err != nil {
		return Source{}, err
	}
	here := path.Join(project, "chats")
	if told := s.told.Session; len(told) >= 8 && sessionName.MatchString(told) {
		// The log's name has the session's beginning alone.
		end := "-" + told[:8] + ".jsonl"
		if source, err := s.ending(logs, here, end); err == nil {
			return source, nil
		}
	}
	return s.latest(logs, here, func(name string) bool {
		return strings.HasPrefix(name, "session-") && strings.HasSuffix(name, ".jsonl")
	})
}

func (s *search) ending(logs, here, end string) (Source, error) {
	root, err := os.OpenRoot(logs)
	if err != nil {
		return Source{}, err
	}
	defer root.Close()
	list, err := entries(root, here)
	if err != nil {
		return Source{}, err
	}
	for _, entry := range list {
		if name := entry.Name(); strings.HasPrefix(name, "session-") && strings.HasSuffix(name, end) && entry.Type().IsRegular() {
			return Source{Harness: s.Harness, Root: logs, Path: path.Join(here, name), Session: strings.TrimSuffix(name, ".jsonl")}, nil
		}
	}
	return Source{}, ErrNone
}

// geminiProject reads the short name of a folder that Gemini CLI gave it.
func geminiProject(home, cwd string) (string, error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", err
	}
	defer root.Close()
	file, err := open(root, "projects.json")
	if err != nil {
		return "", err
	}
	defer file.Close()
	var table struct {
		Projects map[string]string `json:"projects"`
	}
	if err := json.NewDecoder(io.LimitReader(file, maxProjectBytes)).Decode(&table); err != nil {
		return "", fmt.Errorf("read Gemini CLI's list of projects: %w", err)
	}
	for folder := cwd; ; folder = filepath.Dir(folder) { // it may work below its project
		if name := table.Projects[folder]; name != "" && sessionName.MatchString(name) {
			return name, nil
		}
		if folder == "/" {
			return "", ErrNone
		}
	}
}
