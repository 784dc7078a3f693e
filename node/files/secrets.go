package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"collie/mesh/trust"
)

// Secrets are the names of those of Collie's files that hold one. A file of
// such a name is not shown anywhere: it may be a copy.
func Secrets() []string {
	return []string{
		trust.IdentityFileName, trust.FileName, string(trust.DevicesOwn), string(trust.DevicesCrew),
		"age.key", "mesh-reset.key", "local-secret", "schedules.key", "channels.json", "vapid.json", "sources.json",
	}
}

var secretNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range Secrets() {
		names[name] = true
	}
	return names
}()

// hiddenName reports a name that is never shown: that of git's own folder, and
// that of a secret, also of one that is being written (.NAME.123.tmp).
func hiddenName(name string) bool {
	if strings.EqualFold(name, ".git") {
		return true
	}
	lower := strings.ToLower(name)
	if secretNames[lower] {
		return true
	}
	if rest, ok := strings.CutSuffix(lower, ".tmp"); ok {
		rest = strings.TrimPrefix(rest, ".")
		return secretNames[strings.TrimRight(strings.TrimRight(rest, "0123456789"), ".")]
	}
	return false
}

// showsName refuses a name that is never shown.
func showsName(name string) error {
	switch {
	case strings.EqualFold(name, ".git"):
		return hiddenGit
	case hiddenName(name):
		return hiddenSecret
	}
	return nil
}

// foreign refuses a regular file that is one of Collie's own by another name.
func (d *descent) foreign(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Nlink < 2 {
		return nil
	}
	looked := 0
	for _, folder := range d.viewer.own {
		err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
			if looked++; looked > maxOwn {
				return hiddenLinked // nobody can tell
			}
			if err != nil || entry.IsDir() {
				return nil // what cannot be looked at is nobody's second name
			}
			own, err := entry.Info()
			if err == nil && os.SameFile(own, info) {
				return hiddenSecond
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
