package state_test

import (
	"errors"
	"testing"

	"collie/node/state"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		env           map[string]string
		state, config string
	}{
		{
			"home",
			map[string]string{"HOME": "/home/a"},
			"/home/a/.local/state/collie", "/home/a/.config/collie",
		},
		{
			"xdg",
			map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"},
			"/s/collie", "/c/collie",
		},
		{
			"relative xdg is ignored",
			map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c"},
			"/home/a/.local/state/collie", "/home/a/.config/collie",
		},
		{
			"own",
			map[string]string{"COLLIE_STATE_DIR": "/x/", "COLLIE_CONFIG_DIR": "/y/../z"},
			"/x", "/z",
		},
		{
			"instance",
			map[string]string{"HOME": "/home/a", "COLLIE_INSTANCE": "lab-2"},
			"/home/a/.local/state/collie-lab-2", "/home/a/.config/collie-lab-2",
		},
		{
			"own place wins over instance",
			map[string]string{"COLLIE_STATE_DIR": "/x", "COLLIE_CONFIG_DIR": "/y", "COLLIE_INSTANCE": "lab"},
			"/x", "/y",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			env := func(key string) string { return tc.env[key] }
			if got, err := state.StateDir(env); err != nil || got != tc.state {
				t.Errorf("StateDir: %q, %v, want %q", got, err, tc.state)
			}
			if got, err := state.ConfigDir(env); err != nil || got != tc.config {
				t.Errorf("ConfigDir: %q, %v, want %q", got, err, tc.config)
			}
		})
	}
}

func TestPlacesRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key, value string
		want       error
	}{
		{"COLLIE_STATE_DIR", "state", state.ErrNotAbsolute},
		{"COLLIE_INSTANCE", "../x", state.ErrInstance},
		{"COLLIE_INSTANCE", "-x", state.ErrInstance},
		{"HOME", "", state.ErrNoHome},
	} {
		env := func(key string) string {
			if key == tc.key {
				return tc.value
			}
			return ""
		}
		if got, err := state.StateDir(env); !errors.Is(err, tc.want) {
			t.Errorf("%s=%q: %q, %v, want %v", tc.key, tc.value, got, err, tc.want)
		}
	}
}
