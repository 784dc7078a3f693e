package chat

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// opencode looks into the database that the process has open, for the session
// that its plugin told or else for the one of its folder that was changed last.
func (s *search) opencode() (Source, error) {
	source, err := s.opencodeFile()
	if err != nil {
		return Source{}, err
	}
	if s.told.Session != "" && !sessionName.MatchString(s.told.Session) {
		return Source{}, ErrNone
	}
	err = read(context.Background(), source, func(ctx context.Context, tx *sql.Tx) error {
		if s.told.Session != "" {
			return scanSession(tx.QueryRowContext(ctx, `SELECT id FROM session WHERE id = ? AND directory = ?`, s.told.Session, s.cwd), &source.Session)
		}
		// Agents that it started have sessions with a parent.
		return scanSession(tx.QueryRowContext(ctx, `
			SELECT id FROM session WHERE directory = ? AND parent_id IS NULL AND time_updated >= ? ORDER BY time_updated DESC LIMIT 1`,
			s.cwd, s.Started.Add(-slack).UnixMilli()), &source.Session)
	})
	if err != nil {
		return Source{}, err
	}
	if s.told.Session == "" {
		err = s.alone()
	}
	return source, err
}

func scanSession(row *sql.Row, session *string) error {
	if err := row.Scan(session); errors.Is(err, sql.ErrNoRows) {
		return ErrNone
	} else if err != nil {
		return err
	}
	if !sessionName.MatchString(*session) {
		return ErrNone
	}
	return nil
}

// opencodeFile is where the process keeps its sessions.
func (s *search) opencodeFile() (Source, error) {
	if own := s.env("OPENCODE_DB"); filepath.IsAbs(own) {
		root, err := filepath.EvalSymlinks(filepath.Dir(own))
		return Source{Harness: s.Harness, Root: root, Path: filepath.Base(own)}, err
	}
	data, err := place(func(name string) string {
		if own := s.env(name); name == "XDG_DATA_HOME" && own != "" {
			return filepath.Join(own, "opencode")
		}
		return s.env(name)
	}, "XDG_DATA_HOME", ".local/share/opencode")
	if err != nil {
		return Source{}, err
	}
	source := Source{Harness: s.Harness, Root: data, Path: "opencode.db"}
	for _, pid := range append(slices.Clone(s.Wrapped), s.PID) {
		for _, file := range openFiles(pid, data) { // a version that is no release has another name
			if strings.HasPrefix(file, "opencode") && strings.HasSuffix(file, ".db") && !strings.Contains(file, "/") {
				source.Path = file
				return source, nil
			}
		}
	}
	return source, nil
}
