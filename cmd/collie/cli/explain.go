package cli

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"collie/lead/frontdoor"
	"collie/node/api"
	"collie/node/control"
	"collie/node/pane/tmux"
	"collie/node/shell"
	"collie/node/state"
	"collie/node/trust"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWrongState  = 3
	exitRefused     = 4
	exitUnreachable = 5
)

// maxErrorBytes bounds the line of a failure.
const maxErrorBytes = 2000

// A stated error knows its exit code and its hint.
type stated struct {
	error
	code int
	hint string
}

func (e *stated) Unwrap() error { return e.error }

// usage is a command line that cannot be understood.
func usage(command *cobra.Command, err error) *stated {
	return &stated{err, exitUsage, "see " + command.CommandPath() + " --help"}
}

// arguments checks the number of arguments and calls it usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if err := check(command, args); err != nil {
			return usage(command, err)
		}
		return nil
	}
}

// explain prints what went wrong and returns the exit code.
func (a *app) explain(err error) int {
	if err == nil {
		return exitDone
	}
	code, hint := judge(err)
	var refused *api.Error
	text := err.Error()
	if errors.As(err, &refused) {
		text = sentence(refused)
		if refused.Code == api.ErrNotAllowed.Code {
			hint += ": " + typed(a.args)
		}
	}
	fmt.Fprintf(a.stderr, "collie: %s\n", oneLine(text))
	if hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
	return code
}

// maxTypedBytes bounds the command that a hint repeats.
const maxTypedBytes = 400

// typed is a command as a person types it into a shell. A token that may stand
// in one is left out.
func typed(args []string) string {
	line := "collie"
	for i, arg := range args {
		if i > 2 && slices.Equal(args[:2], []string{"crew", "join"}) {
			return line + " …"
		}
		line += " " + shell.Word(arg)
	}
	return trust.Clean(line, maxTypedBytes)
}

// judge returns the exit code and the hint of an error.
func judge(err error) (code int, hint string) {
	var known *stated
	var refused *api.Error
	var held *state.HeldError
	switch {
	case errors.As(err, &known):
		return known.code, known.hint
	case errors.As(err, &refused):
		return refusalCode(refused), refusalHint(refused)
	case errors.As(err, &held):
		return exitWrongState, "stop that node, or give this one a COLLIE_STATE_DIR or COLLIE_INSTANCE of its own"
	case errors.Is(err, syscall.EROFS):
		return exitFailed, "make that disk writable, and start the node again; panes go on meanwhile"
	case errors.Is(err, syscall.ENOSPC):
		return exitFailed, "free space on that disk"
	case errors.Is(err, control.ErrNoNode):
		return exitUnreachable, "start it with collie up"
	case errors.Is(err, control.ErrNoAnswer):
		return exitUnreachable, "look whether it was done before you do it again"
	case errors.Is(err, tmux.ErrMissing), errors.Is(err, tmux.ErrVersion):
		return exitWrongState, "install tmux 3.3 or newer, or set COLLIE_MUX=builtin"
	case errors.Is(err, frontdoor.ErrNotLoopback):
		return exitRefused, "leave COLLIE_HOST at 127.0.0.1 and let a proxy such as tailscale serve lead to it"
	}
	return exitFailed, ""
}

// oneLine makes one line of a text that other programs may have worded.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return trust.Clean(strings.Join(lines, "; "), maxErrorBytes)
}

func sentence(refused *api.Error) string {
	text := refused.Message
	if refused.Host != "" {
		text += " (" + refused.Host + ")"
	}
	if detail, ok := refused.Detail.(string); ok && detail != "" {
		text += ": " + detail
	}
	return text
}

func refusalCode(refused *api.Error) int {
	if refused.Status == http.StatusBadRequest { // what was asked for can be nobody's
		return exitUsage
	}
	switch refused.Code {
	case api.ErrWrongRole.Code, api.ErrCrewUnavailable.Code, "walky_not_held":
		return exitWrongState
	case api.ErrHostUnreachable.Code, api.ErrLeadUnreachable.Code, api.ErrOutcomeUnknown.Code, api.ErrPaneAway.Code, "walky_not_reached":
		return exitUnreachable
	}
	// A walky code says more than its status: only some are a "no".
	if strings.HasPrefix(refused.Code, "walky_") {
		if strings.HasPrefix(refused.Code, "walky_refused") || refused.Code == "walky_not_yours" || refused.Code == "walky_not_sender" {
			return exitRefused
		}
		return exitFailed
	}
	switch refused.Status {
	case http.StatusForbidden, http.StatusConflict, http.StatusTooManyRequests:
		return exitRefused
	}
	return exitFailed
}

func refusalHint(refused *api.Error) string {
	switch refused.Code {
	case api.ErrNotAllowed.Code:
		return "run it yourself, in a terminal that no agent runs in"
	case api.ErrPaneNotFound.Code:
		return "collie pane list shows the panes of this machine"
	case api.ErrUnknownKey.Code:
		return "collie pane keys --help lists the names of keys"
	case "device_not_found":
		return "collie devices list shows the paired devices"
	case api.ErrCannotStore.Code:
		return "free space on the disk of the state folder"
	case api.ErrHostUnknown.Code:
		return "collie crew status shows the machines of the crew"
	case api.ErrLeadUnreachable.Code:
		return "look at address, port and firewall; the crew link is UDP"
	case api.ErrCrewUnavailable.Code:
		return "collie doctor says how to mend it"
	case "walky_bad_address":
		return "collie walky who lists the addresses"
	case "walky_not_sender":
		return "cancel it there; collie walky log shows where it is from"
	case "walky_refused_no_session", "walky_refused_gone":
		return "start an agent in the pane first; collie walky who lists the sessions"
	case "walky_refused_off":
		return "remove COLLIE_WALKY=off and start the node again"
	case "walky_bad_id", "walky_not_found":
		return "collie walky inbox and collie walky log list the messages"
	}
	return ""
}
