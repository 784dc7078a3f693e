package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// KeptAside is how many files that were set aside stay beside the one that took
// their place.
const KeptAside = 3

const asideForm = ".refused-20060102T150405.000Z"

var asideSuffix = regexp.MustCompile(`^\.refused-[0-9]{8}T[0-9]{6}\.[0-9]{3}Z$`)

// SetAside gives a file that cannot be believed another name, with its bytes, for
// whoever asks later: the same one and the time. Of those that were set aside before
// it keeps the newest, KeptAside in all, so that a file which is spoilt again and
// again fills no disk, and returns how many it removed.
func SetAside(path string, now time.Time) (aside string, removed int, err error) {
	aside = path + now.UTC().Format(asideForm)
	if err := os.Rename(path, aside); err != nil {
		return "", 0, err
	}
	earlier, err := setAside(path)
	if err != nil {
		return aside, 0, err
	}
	earlier = slices.DeleteFunc(earlier, func(other string) bool { return other == aside })
	for _, old := range earlier[:max(0, len(earlier)-(KeptAside-1))] {
		if err := ignoreMissing(os.Remove(old)); err != nil {
			return aside, removed, err
		}
		removed++
	}
	return aside, removed, OS{}.SyncFolder(filepath.Dir(path))
}

// setAside lists what was set aside of a file, the oldest first by its name.
func setAside(path string) ([]string, error) {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return nil, fmt.Errorf("look for what was set aside of %s: %w", path, err)
	}
	var all []string
	for _, entry := range entries {
		name := entry.Name()
		if len(name) > len(base) && name[:len(base)] == base && asideSuffix.MatchString(name[len(base):]) && entry.Type().IsRegular() {
			all = append(all, folder+name)
		}
	}
	return all, nil // ReadDir sorts
}
