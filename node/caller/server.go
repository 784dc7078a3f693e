package caller

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"collie/node/trust"
)

// A pane of another program's server, such as tmux, has no holder of ours. A
// caller is in it when its chain runs through the program that the server started
// for that pane. What left that chain is known by the terminal that it still has,
// or by what the server put into its environment; it is nobody's but the pane's
// agent's.

// underServer places a caller in a pane that a server keeps.
func (r *Resolver) underServer(chain []Process, holders []Holder) (Caller, bool) {
	kept := slices.DeleteFunc(slices.Clone(holders), func(h Holder) bool { return h.ServerPID == 0 })
	if len(kept) == 0 {
		return Caller{}, false
	}
	for i, p := range chain {
		for _, h := range kept {
			if h.ProgramPID != 0 && p.PID == h.ProgramPID && p.Parent == h.ServerPID {
				return r.belowProgram(chain, i, h), true
			}
		}
	}
	participant := func(pane, why string) (Caller, bool) { return Caller{trust.Participant, pane, why}, true }
	for _, p := range chain {
		if p.Device == 0 {
			continue
		}
		for _, h := range kept {
			if p.Device == deviceOf(h.Terminal) {
				return participant(h.Pane, "has the terminal of a pane and does not descend from its first program")
			}
		}
	}
	for _, p := range chain {
		variable, err := r.Environ(p.PID)
		if err != nil {
			continue // it ended, or is another user's
		}
		server, pane := tmuxIn(variable)
		if server == 0 || !slices.ContainsFunc(kept, func(h Holder) bool { return h.ServerPID == server }) {
			continue
		}
		if !slices.ContainsFunc(kept, func(h Holder) bool { return h.Pane == pane }) {
			pane = "" // it is gone
		}
		return participant(pane, "was started in a pane and has left it")
	}
	return Caller{}, false
}

// belowProgram places a caller that descends from the first program of a pane.
func (r *Resolver) belowProgram(chain []Process, at int, h Holder) Caller {
	participant := func(why string) Caller { return Caller{trust.Participant, h.Pane, why} }
	switch {
	case slices.ContainsFunc(chain[:at], Process.holder):
		return participant("is below a second holder inside its pane")
	case slices.ContainsFunc(chain, r.IsHarness):
		return participant("has an agent on its chain of processes")
	case h.Harness != "" && h.Harness != "shell", r.agentBelow(chain[at]):
		return participant("shares its pane with an agent")
	case h.OpenedByOperator:
		return Caller{trust.Operator, h.Pane, "descends from the shell of a pane that the operator opened"}
	case h.InFront:
		return Caller{trust.Operator, h.Pane, "descends from the shell of a pane that a person has in front of them"}
	}
	return participant("is in a pane that the operator neither opened nor has in front")
}

// tmuxIn returns the server's process and the pane that an environment names.
func tmuxIn(variable func(name string) string) (server int, pane string) {
	if fields := strings.Split(variable("TMUX"), ","); len(fields) >= 3 {
		server, _ = strconv.Atoi(fields[len(fields)-2]) // what stands before is a path
	}
	return server, variable("TMUX_PANE")
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
