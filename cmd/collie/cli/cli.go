// Package cli is the command line. Its commands are thin: they speak to the
// running node over the control socket, print what it answers, and end with
// the exit codes of the contract.
//
// Results go to stdout: with --json one document, without it text in which no
// control character is left that came from a pane or another machine. All else
// goes to stderr, a failure as one line that says what happened and a hint that
// says what to do. Input is bounded, and what is longer is refused, never cut.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/origin"
)

// An app is one run of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
	origin         origin.Origin
	args           []string
}

// Main runs the program and returns its exit code.
func Main(args []string) int {
	began, err := origin.Take() // before anything makes a file
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, origin: began, args: args}
	if err != nil {
		return a.explain(err)
	}
	root := a.root()
	if i := slices.IndexFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }); i >= 0 {
		return a.explain(usage(root, fmt.Errorf("argument %d: %w", i+1, errNotText)))
	}
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.explain(root.ExecuteContext(context.Background()))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "collie",
		Short: "Look after terminal agents on all of your machines from one phone",
		Long: "Collie lets one person look after terminal AI agents on all of their machines from a phone.\n" +
			"Start with `collie up`, or look around first with `collie demo`.",
		Example:           "  collie up\n  collie pair\n  collie crew invite --address lead.example:8788",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              known,
	}
	version := root.Flags().Bool("version", false, "print the version, as collie version does")
	root.RunE = func(command *cobra.Command, _ []string) error {
		if *version {
			return a.printVersion()
		}
		return command.Help()
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON document")
	root.PersistentPreRunE = a.admit
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.up(), a.demo(), a.status(), a.pair(), a.devices(), a.pane(), a.crew(), a.promote(), a.reconnect(), a.walky(),
		a.channel(), a.schedule(), a.wake(), a.skill(), a.sent(), a.audit(),
		a.hooks(), a.maskCommand(), a.backup(), a.restore(), a.doctor(), a.config(), a.version(), a.completion(), a.hold(), a.hook(),
	)
	root.SetHelpCommand(help())
	return root
}

// known refuses a command that is none, and says which one may be meant.
func known(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usage(command, fmt.Errorf("%s has no command %q", command.CommandPath(), args[0]))
	for distance := 1; distance <= 2; distance++ { // the nearest first
		command.SuggestionsMinimumDistance = distance
		if near := command.SuggestionsFor(args[0]); len(near) > 0 {
			err.hint = "did you mean " + command.CommandPath() + " " + near[0] + "?"
			break
		}
	}
	return err
}

// group is a command that only holds others.
func group(use, short, example string, commands ...*cobra.Command) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: short, Example: example, Args: known,
		RunE: func(command *cobra.Command, _ []string) error {
			return usage(command, fmt.Errorf("%s needs a command", command.CommandPath()))
		},
	}
	command.AddCommand(commands...)
	return command
}

func help() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Say what a command does", Example: "  collie help crew invite",
		RunE: func(command *cobra.Command, args []string) error {
			about, rest, err := command.Root().Find(args)
			if err == nil {
				err = known(about, rest)
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func (a *app) completion() *cobra.Command {
	scripts := map[string]func(*cobra.Command) error{
		"bash":       func(root *cobra.Command) error { return root.GenBashCompletionV2(a.stdout, true) },
		"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(a.stdout) },
		"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(a.stdout, true) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(a.stdout) },
	}
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "Print a completion script for a shell",
		Example:   "  source <(collie completion bash)\n  collie completion fish > ~/.config/fish/completions/collie.fish",
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		Args:      arguments(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE:      func(command *cobra.Command, args []string) error { return scripts[args[0]](command.Root()) },
	}
}

// untilStopped ends with the signals that ask a command to stop. Only what has
// to clean up waits for them; other commands are ended by the signal itself.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
}

// node returns the client of the running node: that of the settings, or inside
// a pane, where none of them names a node, the one that the pane belongs to.
func (a *app) node() (*control.Client, error) {
	if socket := os.Getenv("COLLIE_SOCKET"); socket != "" && !namesNode() {
		return control.Dial(filepath.Dir(socket)), nil
	}
	settings, err := config.Load(os.Environ())
	if err != nil {
		return nil, err
	}
	return control.Dial(settings.Get("COLLIE_STATE_DIR")), nil
}

// namesNode reports whether the environment says which node is meant. Panes get
// none of these variables, so whoever set one there meant it.
func namesNode() bool {
	for _, name := range []string{"COLLIE_STATE_DIR", "COLLIE_CONFIG_DIR", "COLLIE_INSTANCE"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// call asks the running node one thing.
func (a *app) call(ctx context.Context, method, path string, in, out any) error {
	client, err := a.node()
	if err != nil {
		return err
	}
	return client.Call(ctx, method, path, in, out)
}
