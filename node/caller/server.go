package caller

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"collie/node/trust"
)

// A pane of another program's server, such as tmux, has no holder of ours, and
// what runs there is never the operator: through the server's own socket every
// program of this user opens such a pane, brings it to the front and types into
// it, as a person does. It is placed on the pane when its chain runs through the
// program that the server started for it, or when it still has the terminal. What
// has left both is known by the server's variables, but on no pane, because
// whoever starts a program chooses those.

// underServer places a caller in a pane that a server keeps.
func (r *Resolver) underServer(chain []Process, holders []Holder) (Caller, bool) {
	kept := slices.DeleteFunc(slices.Clone(holders), func(h Holder) bool { return h.ServerPID == 0 })
	if len(kept) == 0 {
		return Caller{}, false
	}
	participant := func(pane, why string) (Caller, bool) {
		return Caller{trust.Participant, pane, why + "; outside of tmux you are told from an agent: detach first, or come in over ssh"}, true
	}
	isServer := func(pid int) bool {
		return slices.ContainsFunc(kept, func(h Holder) bool { return h.ServerPID == pid })
	}
	below := false // what the server started, of a pane that may not be listed yet
	for _, p := range chain {
		below = below || isServer(p.Parent)
		for _, h := range kept {
			if h.ProgramPID != 0 && p.PID == h.ProgramPID && p.Parent == h.ServerPID {
				return participant(h.Pane, "is in a pane of tmux, where any program may type")
			}
		}
	}
	for _, p := range chain {
		if p.Device == 0 || below {
			continue
		}
		for _, h := range kept { // the number of an ended program's terminal may be another pane's
			if h.ProgramPID != 0 && p.Device == deviceOf(h.Terminal) {
				return participant(h.Pane, "has the terminal of a pane of tmux, where any program may type")
			}
		}
	}
	for _, p := range chain {
		if isServer(p.PID) {
			return participant("", "was started by tmux, which starts what any program asks for")
		}
		variable, err := r.Environ(p.PID)
		if err != nil {
			continue // it ended, or is another user's
		}
		if isServer(tmuxServer(variable)) {
			return participant("", "was started in a pane of tmux and has left it")
		}
	}
	return Caller{}, false
}

// tmuxServer returns the process of the server that an environment names, or 0.
func tmuxServer(variable func(name string) string) int {
	fields := strings.Split(variable("TMUX"), ",")
	if len(fields) < 3 {
		return 0
	}
	server, _ := strconv.Atoi(fields[len(fields)-2]) // what stands before is a path
	return server
}

// deviceOf returns a terminal's number in the form of /proc, 0 for none.
func deviceOf(path string) uint64 {
	if path == "" {
		return 0
	}
	var stat unix.Stat_t
	if unix.Stat(path, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFCHR {
		return 0
	}
	major, minor := uint64(unix.Major(stat.Rdev)), uint64(unix.Minor(stat.Rdev))
	return minor&0xff | major<<8 | minor&^0xff<<12
}
