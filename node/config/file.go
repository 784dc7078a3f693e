package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"

	"github.com/joho/godotenv"

	"collie/crypto/atomicfile"
)

const (
	// maxFileBytes bounds the .env file.
	maxFileBytes = 1 << 20
	fileName     = ".env"
)

// ErrOwner refuses settings that somebody else could have written.
var ErrOwner = errors.New("it belongs to somebody else")

// readFile reads the .env of a folder. What is not there is empty.
func readFile(dir string) (map[string]string, error) {
	path := filepath.Join(dir, fileName)
	for _, part := range []string{dir, path} {
		if err := ours(part); err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
	}
	data, err := atomicfile.Read(path, maxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	values, err := godotenv.UnmarshalBytes(data)
	// A last line that is no more than a word is to the parser a value without a
	// name. Its own words are not passed on: they may quote a secret line.
	if _, nameless := values[""]; err != nil || nameless {
		return nil, fmt.Errorf("read settings: %s is not in the form NAME=value", path)
	}
	return values, nil
}

// ours refuses what is there and belongs to another account.
func ours(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: %w", path, ErrOwner)
	}
	return nil
}

// Narrow takes every right of group and others away from the config folder and
// the files in it, with a line in log for each. A folder that is not there stays
// so. Links are left alone: they have no rights of their own.
func (c *Config) Narrow(log *slog.Logger) error {
	root, err := os.OpenRoot(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("narrow the config folder: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("narrow the config folder: %w", err)
	}
	names := []string{"."}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	for _, name := range names {
		info, err := root.Lstat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			log.Warn("narrowed", "path", filepath.Join(c.Dir, name), "from", info.Mode().Perm().String())
			err = root.Chmod(name, info.Mode().Perm()&0o700)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("narrow the config folder: %w", err)
		}
	}
	return nil
}
