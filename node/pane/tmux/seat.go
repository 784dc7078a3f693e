package tmux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"collie/node/caller"
)

// A Seat is a terminal at which a person has a pane before them: its tmux client,
// and when a key was pressed there last, in whole seconds.
type Seat struct {
	PID   int
	Typed time.Time
}

// errServer says that a socket is another server's.
var errServer = errors.New("the socket of tmux belongs to another process")

// Seats asks the tmux server on a socket, which is process serverPID, who has the
// pane before them in which programPID was started.
func Seats(ctx context.Context, socket string, serverPID, programPID int) ([]Seat, error) {
	ctx, cancel := context.WithTimeout(ctx, seatTimeout)
	defer cancel()
	if !filepath.IsAbs(socket) {
		return nil, errServer
	}
	// Whoever named the socket may have named one of its own.
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("ask tmux who sits there: %w", err)
	}
	peer, err := caller.FromConn(conn.(*net.UnixConn))
	conn.Close()
	if err != nil {
		return nil, fmt.Errorf("ask tmux who sits there: %w", err)
	}
	if peer.PID != serverPID {
		return nil, errServer
	}
	var said bounded
	cmd := exec.CommandContext(ctx, "tmux", "-u", "-S", socket, "list-clients", "-F", "#{client_control_mode}|#{client_pid}|#{client_activity}|#{pane_pid}")
	cmd.Dir, cmd.Env, cmd.Stdout = "/", []string{}, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ask tmux who sits there: %w", err)
	}
	return readSeats(said.text(), programPID), nil
}

// readSeats keeps those with the program's pane in front; a control client has no
// keys.
func readSeats(text string, programPID int) []Seat {
	var seats []Seat
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 || fields[0] != "0" || fields[3] != strconv.Itoa(programPID) {
			continue
		}
		pid, pidErr := strconv.Atoi(fields[1])
		typed, typedErr := strconv.ParseInt(fields[2], 10, 64)
		if errors.Join(pidErr, typedErr) == nil && pid > 0 {
			seats = append(seats, Seat{pid, time.Unix(typed, 0)})
		}
	}
	return seats
}
