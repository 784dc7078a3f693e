package state

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"collie/crypto/atomicfile"
)

// maxLeftovers bounds what one start removes from one folder.
const maxLeftovers = 1000

// removeLeftovers removes what a replacement of a file left in a folder when
// its process died: it may hold a secret that is nowhere else any more. The
// lock is held, so nothing is being replaced. It goes on over what it cannot
// remove, which it logs: that is no reason not to start.
func removeLeftovers(root *os.Root, dir string, entries []fs.DirEntry, log *slog.Logger) {
	removed := 0
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if removed == maxLeftovers || !entry.Type().IsRegular() || !atomicfile.IsTemporary(entry.Name()) {
			continue
		}
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || !ours(info) {
			continue // narrow says what is wrong with it
		}
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("what a write left behind cannot be removed", "path", name, "error", err)
			continue
		}
		removed++
		log.Info("removed what a write left behind", "path", name)
	}
}
