package node

import (
	"context"
	"strings"
	"time"

	"collie/node/caller"
	"collie/node/pane/tmux"
)

// seats tells who sits at a program in a pane of a tmux that is not Collie's. Its
// socket is named by the variables that the server gave to the program.
func (n *Node) seats(server, program int) []caller.Seat {
	variable, err := caller.Proc{}.Environ(program)
	if err != nil {
		return nil
	}
	fields := strings.Split(variable("TMUX"), ",")
	if len(fields) < 3 {
		return nil
	}
	sat, err := tmux.Seats(context.Background(), strings.Join(fields[:len(fields)-2], ","), server, program)
	if err != nil {
		n.log.Debug("it is not known who sits at a tmux", "error", err)
	}
	now := time.Now()
	all := make([]caller.Seat, len(sat))
	for i, s := range sat {
		all[i] = caller.Seat{PID: s.PID, Typed: caller.TicksAt(s.Typed, now)}
	}
	return all
}
