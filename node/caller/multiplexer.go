package caller

import "slices"

// A terminal multiplexer of the person's own is outside of Collie, and still its
// server opens a terminal for whatever program of this user asks for one, like
// init or a user manager: it is no ancestor that proves anything. In tmux a person
// is told by what only a person at a terminal does: they have the pane before them
// on a terminal that is not the multiplexer's own, and the command came right
// after a key that they pressed there. The others do not tell.

// A Seat is a terminal at which a person has a pane of a multiplexer before them:
// its client process, and when a key was pressed there last, in clock ticks after
// the system's start.
type Seat struct {
	PID   int
	Typed uint64
}

// multiplexers are their servers, by the name of the process.
var multiplexers = []string{"tmux", "tmux: server", "screen", "zellij", "dtach", "abduco"}

func (p Process) multiplexer() bool { return slices.Contains(multiplexers, p.Name) }

// inMultiplexer places a caller below the server at chain[at].
func (r *Resolver) inMultiplexer(chain []Process, at int) Caller {
	const leave = "; outside of it you are told from an agent: detach first, or come in over ssh"
	server, program := chain[at], chain[at-1]
	switch {
	case sharesAncestor(chain[:at], r.nodeChain()):
		return operator(fromNodesStart)
	case !chain[0].Terminal:
		return outsider(noTerminal)
	case at < 2 || r.Seats == nil:
		return outsider("was started by " + server.Name + ", which any program may ask to" + leave)
	}
	job := chain[at-2] // what the shell of the pane started
	seats := r.Seats(server.PID, program.PID)
	for _, seat := range seats {
		if program.StartTime < seat.Typed && job.StartTime <= seat.Typed+typedBefore && r.isPersons(seat) {
			return operator("was typed at a terminal that shows it")
		}
	}
	if len(seats) > 0 {
		return outsider("was not started by a key that you pressed at a terminal that shows it: run it again by hand")
	}
	return outsider("is in a " + server.Name + " that shows it at no terminal, or does not tell" + leave)
}

// isPersons reports whether the client of a seat is at a terminal which is itself
// the operator's, and no multiplexer's.
func (r *Resolver) isPersons(seat Seat) bool {
	client, err := r.Processes.Process(seat.PID)
	if err != nil || !client.Terminal {
		return false
	}
	chain, err := readChain(r.Processes, client.PID, client.StartTime)
	if err != nil || slices.ContainsFunc(chain[1:], Process.multiplexer) {
		return false
	}
	return r.place(chain, r.holders.Holders()).Level.MayInstruct()
}
