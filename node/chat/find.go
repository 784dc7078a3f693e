package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"collie/node/caller"
)

// ErrNone says that a process has no log that is known.
var ErrNone = errors.New("no session log of this program is known")

// ErrUnclear says that more than one log could be a process's.
var ErrUnclear = errors.New("more than one session log could be this program's")

// Told is what a process's own hook said of its session. It is a program's word:
// it picks one of the logs that the process could have, and opens no other.
type Told struct {
	Session string
}

// finders find a harness's log from its process.
var finders = map[string]func(*search) (Source, error){
	"claude": (*search).claude,
	"codex":  (*search).codex,
	"gemini": (*search).gemini, "opencode": (*search).opencode,
}

// A search is one look for the log of a process.
type search struct {
	Process
	told Told
	cwd  string
	env  func(string) string
}

// Find returns the log that a process writes: by what the harness itself keeps
// about its process, by the files that the process has open, by what its hook
// told, and at last by folder and time when there is only one that it can be.
func Find(p Process, told Told) (Source, error) {
	find, ok := finders[p.Harness]
	if !ok {
		return Source{}, ErrNone
	}
	s := &search{Process: p, told: told}
	var err error
	if s.cwd, err = (caller.Proc{}).Folder(p.PID); err != nil {
		return Source{}, err
	}
	if s.env, err = (caller.Proc{}).Environ(p.PID); err != nil {
		return Source{}, err
	}
	source, err := find(s)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrNone, err)
	}
	return source, err
}

// sessionName is how the harnesses name a session.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// claude looks at sessions/PID.json, which Claude Code keeps for each process
// that somebody talks to, and below projects/ for the session's log.
func (s *search) claude() (Source, error) {
	config, err := place(s.env, "CLAUDE_CONFIG_DIR", ".claude")
	if err != nil {
		return Source{}, err
	}
	logs := filepath.Join(config, "projects")
	session := s.told.Session
	if own, ok := s.claudeSession(config); ok {
		session = own
	}
	here := claudeFolder(s.cwd)
	if session != "" {
		if !sessionName.MatchString(session) {
			return Source{}, ErrNone
		}
		return s.named(logs, here, session)
	}
	return s.latest(logs, here, func(name string) bool { return strings.HasSuffix(name, ".jsonl") && !strings.HasPrefix(name, "agent-") })
}

// claudeSession reads which session a process has. A file of an earlier process
// with that number is older than this one.
func (s *search) claudeSession(config string) (string, bool) {
	root, err := os.OpenRoot(config)
	if err != nil {
		return "", false
	}
	defer root.Close()
	file, err := open(root, path.Join("sessions", strconv.Itoa(s.PID)+".json"))
	if err != nil {
		return "", false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.ModTime().Before(s.Started.Add(-slack)) {
		return "", false
	}
	var document struct {
		SessionID string `json:"sessionId"`
	}
	if json.NewDecoder(io.LimitReader(file, maxSmallBytes)).Decode(&document) != nil {
		return "", false
	}
	return document.SessionID, sessionName.MatchString(document.SessionID)
}

// claudeFolder is the name that Claude Code gives to the logs of a folder.
func claudeFolder(cwd string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, cwd)
	return name
}

// named finds a session's log in its folder, or where else it is: an agent may
// have moved to another folder.
func (s *search) named(logs, here, session string) (Source, error) {
	root, err := os.OpenRoot(logs)
	if err != nil {
		return Source{}, err
	}
	defer root.Close()
	folders := []string{here}
	others, err := entries(root, ".")
	if err != nil {
		return Source{}, err
	}
	for _, entry := range others {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}
	for _, folder := range folders {
		at := path.Join(folder, session+".jsonl")
		if info, err := root.Stat(at); err == nil && info.Mode().IsRegular() {
			return Source{Harness: s.Harness, Root: logs, Path: at, Session: session}, nil
		}
	}
	return Source{}, ErrNone // nothing was said yet
}

// latest finds the log of a folder that was written to since the process began,
// if it can only be this process's.
func (s *search) latest(logs, here string, fits func(name string) bool) (Source, error) {
	root, err := os.OpenRoot(logs)
	if err != nil {
		return Source{}, err
	}
	defer root.Close()
	list, err := entries(root, here)
	if err != nil {
		return Source{}, err
	}
	var newest fs.FileInfo
	for _, entry := range list {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !fits(entry.Name()) || info.ModTime().Before(s.Started.Add(-slack)) {
			continue
		}
		if newest == nil || info.ModTime().After(newest.ModTime()) {
			newest = info
		}
	}
	if newest == nil {
		return Source{}, ErrNone
	}
	if err := s.alone(); err != nil {
		return Source{}, err
	}
	session := strings.TrimSuffix(newest.Name(), ".jsonl")
	return Source{Harness: s.Harness, Root: logs, Path: path.Join(here, newest.Name()), Session: session}, nil
}

// alone refuses when another process of the harness works in the same folder:
// the log could be its.
func (s *search) alone() error {
	if s.Rivals == nil || s.Rivals(s.cwd) > 0 {
		return ErrUnclear
	}
	return nil
}

// entries lists a folder, up to a bound.
func entries(root *os.Root, name string) ([]fs.DirEntry, error) {
	folder, err := root.OpenFile(name, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	list, err := folder.ReadDir(maxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return list, nil
}

// open opens a regular file without waiting: an agent may have put a pipe there
// that has nobody at its other end.
func open(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
