package state

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
)

// ErrInstance refuses a COLLIE_INSTANCE that could not be part of a folder's name.
var ErrInstance = errors.New("instance name is not valid: use 1 to 32 of a-z, 0-9 and -, not - first")

// ErrNoHome says that neither COLLIE_…_DIR, XDG_… nor HOME names a place.
var ErrNoHome = errors.New("no home folder is known: set HOME")

var instanceName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// StateDir returns the state folder that the environment asks for:
// COLLIE_STATE_DIR, else collie below XDG_STATE_HOME or ~/.local/state.
// COLLIE_INSTANCE makes it collie-NAME in the default places.
func StateDir(env func(string) string) (string, error) {
	return place(env, "COLLIE_STATE_DIR", "XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// ConfigDir returns the config folder that the environment asks for, by the
// same rules: COLLIE_CONFIG_DIR, XDG_CONFIG_HOME, ~/.config.
func ConfigDir(env func(string) string) (string, error) {
	return place(env, "COLLIE_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")
}

func place(env func(string) string, own, xdg, below string) (string, error) {
	name := "collie"
	if instance := env("COLLIE_INSTANCE"); instance != "" {
		if !instanceName.MatchString(instance) {
			return "", fmt.Errorf("COLLIE_INSTANCE=%q: %w", instance, ErrInstance)
		}
		name += "-" + instance
	}
	if dir := env(own); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s=%q: %w", own, dir, ErrNotAbsolute)
		}
		return filepath.Clean(dir), nil
	}
	// The XDG Base Directory Specification: a relative path there is ignored.
	if base := env(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, name), nil
	}
	home := env("HOME")
	if !filepath.IsAbs(home) {
		return "", ErrNoHome
	}
	return filepath.Join(home, below, name), nil
}
