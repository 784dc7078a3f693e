package hooks

import (
	"path/filepath"
	"slices"

	"collie/node/caller"
	"collie/node/harness"
)

// Running are the folders of settings that the processes of a harness name which
// run now: a profile that only one terminal uses is in no other environment.
func (h *Harness) Running() []string {
	if h.Variable == "" {
		return nil
	}
	var proc caller.Proc
	all, err := proc.All()
	if err != nil {
		return nil
	}
	looks := harness.Builtin().Named(h.Name).Looks
	var folders []string
	for _, pid := range all {
		p, err := proc.Process(pid)
		if err != nil || !looks.Match(p.Name, p.Args) {
			continue
		}
		env, err := proc.Environ(pid) // another account's cannot be read
		if err != nil {
			continue
		}
		for _, folder := range []string{env(h.Variable), h.based(env)} {
			if filepath.IsAbs(folder) && !slices.Contains(folders, filepath.Clean(folder)) {
				folders = append(folders, filepath.Clean(folder))
			}
		}
	}
	return folders
}
