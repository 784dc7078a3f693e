// Package cli is the command line. Its commands are thin: they speak to the
// running node over the control socket, print what it answers, and end with
// the exit codes of the contract. Results go to stdout; everything else is one
// line on stderr that says what happened, and a hint that says what to do.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"collie/node/api"
	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/origin"
	"collie/node/state"
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

// An app is one run of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
	origin         origin.Origin
}

// Main runs the program and returns its exit code.
func Main(args []string) int {
	began, err := origin.Take() // before anything makes a file
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, origin: began}
	if err != nil {
		return a.explain(err)
	}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.explain(root.ExecuteContext(ctx))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "collie",
		Short: "Look after terminal agents on all of your machines from one phone",
		Long: "Collie lets one person look after terminal AI agents on all of their machines from a phone.\n" +
			"Start with `collie up`, or look around first with `collie demo`.",
		Example:       "  collie up\n  collie pair\n  collie crew invite --address lead.example:8788",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON document")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(
		a.up(), a.demo(), a.status(), a.pair(), a.devices(), a.pane(), a.crew(), a.walky(),
		a.maskCommand(), a.doctor(), a.config(), a.version(), a.hold(),
	)
	return root
}

// A usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// arguments checks the number of arguments and calls it usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if err := check(command, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
}

// group is a command that only holds others.
func group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Example: example,
		Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			return &usageError{fmt.Errorf("collie %s needs a command; see collie %s --help", use, use)}
		},
	}
	command.AddCommand(commands...)
	return command
}

// explain prints what went wrong and returns the exit code.
func (a *app) explain(err error) int {
	if err == nil {
		return exitDone
	}
	code, hint := exitFailed, ""
	var usage *usageError
	var refused *api.Error
	var held *state.HeldError
	var stated *stated
	switch {
	case errors.As(err, &stated):
		code, hint = stated.code, stated.hint
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"):
		code, hint = exitUsage, "see collie --help"
	case errors.As(err, &refused):
		code, hint = refusalCode(refused), refusalHint(refused)
		err = errors.New(sentence(refused))
	case errors.As(err, &held):
		code, hint = exitWrongState, "stop that node, or give this one a COLLIE_STATE_DIR or COLLIE_INSTANCE of its own"
	case errors.Is(err, control.ErrNoNode):
		code, hint = exitUnreachable, "start it with collie up"
		err = control.ErrNoNode
	}
	fmt.Fprintf(a.stderr, "collie: %s\n", err)
	if hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
	return code
}

// stated is an error that knows its exit code and its hint.
type stated struct {
	error
	code int
	hint string
}

func (e *stated) Unwrap() error { return e.error }

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
	switch {
	case refused.Code == api.ErrWrongRole.Code:
		return exitWrongState
	case refused.Status == 403 || refused.Status == 409 || refused.Status == 429:
		return exitRefused
	case refused.Status >= 502:
		return exitUnreachable
	default:
		return exitFailed
	}
}

func refusalHint(refused *api.Error) string {
	switch refused.Code {
	case api.ErrNotAllowed.Code:
		return "run it yourself, in a terminal that no agent runs in"
	case api.ErrPaneNotFound.Code:
		return "collie pane list shows the panes of this machine"
	default:
		return ""
	}
}

// node returns the client of the running node: that of COLLIE_STATE_DIR, else,
// inside a pane, the node that the pane belongs to, else the default one.
func (a *app) node() (*control.Client, error) {
	if socket := os.Getenv("COLLIE_SOCKET"); socket != "" && os.Getenv("COLLIE_STATE_DIR") == "" {
		return control.Dial(filepath.Dir(socket)), nil
	}
	settings, err := config.Load(os.Environ())
	if err != nil {
		return nil, err
	}
	return control.Dial(settings.Get("COLLIE_STATE_DIR")), nil
}

// call asks the running node one thing.
func (a *app) call(ctx context.Context, method, path string, in, out any) error {
	client, err := a.node()
	if err != nil {
		return err
	}
	return client.Call(ctx, method, path, in, out)
}

// print writes a document: as JSON when that was asked for, else as text.
func (a *app) print(document any, text func(w io.Writer)) error {
	if !a.json {
		text(a.stdout)
		return nil
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}

// toTerminal reports whether a person reads stdout.
func (a *app) toTerminal() bool {
	file, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// secret reads a secret from stdin ("-"), from a file ("@file"), or takes the
// argument itself, with a warning, because a command line is not private.
func (a *app) secret(argument string) (string, error) {
	switch {
	case argument == "-":
		return a.readAll(a.stdin, 64<<10)
	case strings.HasPrefix(argument, "@"):
		file, err := os.Open(argument[1:])
		if err != nil {
			return "", err
		}
		defer file.Close()
		return a.readAll(file, 64<<10)
	default:
		fmt.Fprintln(a.stderr, "collie: a token on the command line can be seen by other programs; give it on stdin with -")
		return argument, nil
	}
}

// text reads what a command is to send: the argument, "-" for stdin, "@file".
func (a *app) text(argument string) (string, error) {
	if argument == "-" || strings.HasPrefix(argument, "@") {
		if argument != "-" {
			file, err := os.Open(argument[1:])
			if err != nil {
				return "", err
			}
			defer file.Close()
			data, err := io.ReadAll(io.LimitReader(file, api.MaxRequestBytes))
			return string(data), err
		}
		data, err := io.ReadAll(io.LimitReader(a.stdin, api.MaxRequestBytes))
		return string(data), err
	}
	return argument, nil
}

func (a *app) readAll(r io.Reader, limit int64) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit))
	return strings.TrimSpace(string(data)), err
}
