package tmux

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"collie/node/pane"
)

// errNoRoom says why a pane's session is not followed.
var errNoRoom = fmt.Errorf("%w: tmux may open too few files for another client (ulimit -n)", pane.ErrAway)

// room returns how many of so many clients the server has open files for, and
// notes whether they are fewer.
func (m *Mux) room(wanted int) int {
	m.mu.Lock()
	pid := 0
	if len(m.order) > 0 {
		pid = m.order[0].row.serverPID
	}
	m.mu.Unlock()
	room := wanted
	if left, known := filesLeft(pid); known && wanted > 0 {
		room = min(wanted, max(0, left-spareFiles)/clientFiles)
	}
	m.mu.Lock()
	full := room < wanted
	news := full && !m.crowded
	m.crowded = full
	m.mu.Unlock()
	if news {
		m.config.Log.Warn("some sessions of tmux are not followed: its server may open too few files; start it with a higher ulimit -n", "sessions", wanted-room)
	}
	return room
}

// filesLeft is how many files a process may open beside those that it has open.
func filesLeft(pid int) (left int, known bool) {
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		return 0, false
	}
	limit, known := softLimit(limits)
	if !known {
		return 0, false
	}
	folder, err := os.Open(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, false
	}
	defer folder.Close()
	open, err := folder.Readdirnames(-1)
	return limit - len(open), err == nil
}

// softLimit reads the limit of open files as the kernel tells it.
func softLimit(limits []byte) (limit int, known bool) {
	for line := range bytes.Lines(limits) {
		rest, found := bytes.CutPrefix(line, []byte("Max open files"))
		if fields := bytes.Fields(rest); found && len(fields) > 0 {
			limit, err := strconv.Atoi(string(fields[0]))
			return limit, err == nil
		}
	}
	return 0, false
}
