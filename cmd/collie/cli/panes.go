package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"collie/node/api"
	"collie/node/control"
	"collie/node/pane"
)

func (a *app) pane() *cobra.Command {
	return group("pane", "Look at this machine's panes and type into them",
		"  collie pane new --label build -- make\n  collie pane show p3",
		a.paneList(), a.paneNew(), a.paneShow(), a.paneSend(), a.paneKeys(), a.paneAttach(), a.paneRename(), a.paneClose())
}

func (a *app) paneList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the panes of this machine", Example: "  collie pane list --json", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var panes []control.Pane
			if err := a.call(command.Context(), http.MethodGet, "/panes", nil, &panes); err != nil {
				return err
			}
			return a.print(panes, func(w io.Writer) {
				table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "PANE\tLABEL\tHARNESS\tSTATUS\tSIZE\tCOMMAND\tFOLDER")
				for _, p := range panes {
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d×%d\t%s\t%s\n", p.ID, p.Label, p.Harness, statusOf(p), p.Cols, p.Rows, p.Command, p.Cwd)
				}
				_ = table.Flush()
			})
		},
	}
}

// statusOf is the status of a pane, with the exit code of a program that has ended.
func statusOf(p control.Pane) string {
	if p.ExitCode == nil || *p.ExitCode < 0 {
		return p.Status
	}
	return fmt.Sprintf("%s (exit %d)", p.Status, *p.ExitCode)
}

func (a *app) paneNew() *cobra.Command {
	var request control.PaneNew
	command := &cobra.Command{
		Use: "new [flags] [-- COMMAND…]", Short: "Open a pane, with a shell or with a command",
		Example: "  collie pane new --cwd ~/src/site -- npm test\n  collie pane new --harness agent --label reviewer -- ./my-agent",
		RunE: func(command *cobra.Command, args []string) error {
			if err := positive(command, "cols", "rows"); err != nil {
				return err
			}
			request.Command = args
			if request.Cwd != "" { // the node stands in another folder
				var err error
				if request.Cwd, err = filepath.Abs(request.Cwd); err != nil {
					return err
				}
			}
			var made control.ID
			if err := a.call(command.Context(), http.MethodPost, "/panes", request, &made); err != nil {
				return err
			}
			return a.print(made, func(w io.Writer) { fmt.Fprintln(w, made.ID) })
		},
	}
	flags := command.Flags()
	flags.StringVar(&request.Cwd, "cwd", "", "folder to start in; your home without it")
	flags.StringVar(&request.Label, "label", "", "your own word for the pane")
	flags.StringVar(&request.Harness, "harness", "", "say that the program is an agent, and which; agent is any that takes lines")
	flags.IntVar(&request.Cols, "cols", 0, "columns (80)")
	flags.IntVar(&request.Rows, "rows", 0, "rows (24)")
	return command
}

func (a *app) paneShow() *cobra.Command {
	return &cobra.Command{
		Use: "show PANE", Short: "Print a pane's screen", Example: "  collie pane show p3", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			var screen control.PaneScreen
			if err := aPane(args[0]); err != nil {
				return err
			}
			if err := a.call(command.Context(), http.MethodGet, panePath(args[0], "screen"), nil, &screen); err != nil {
				return err
			}
			return a.print(screen, func(w io.Writer) {
				fmt.Fprintln(w, strings.TrimRight(strings.Join(screen.Lines, "\n"), "\n"))
			})
		},
	}
}

func (a *app) paneSend() *cobra.Command {
	var request control.PaneSend
	command := &cobra.Command{
		Use: "send PANE TEXT|-|@file", Short: "Type a text into a pane",
		Example: "  collie pane send p3 'make test' --enter\n  collie pane send p3 @prompt.txt --enter", Args: arguments(cobra.ExactArgs(2)),
		RunE: func(command *cobra.Command, args []string) error {
			var err error
			if request.Text, err = a.text(args[1]); err != nil {
				return err
			}
			return a.paneWrite(command, args[0], "send", request, "sent")
		},
	}
	command.Flags().BoolVar(&request.Enter, "enter", false, "press Enter once the text is seen")
	return command
}

func (a *app) paneKeys() *cobra.Command {
	return &cobra.Command{
		Use: "keys PANE KEY…", Short: "Press keys in a pane", Long: "Press keys in order. A key is a single character, or one of\n  " + pane.KeyNames + "\n" +
			"and either with Ctrl+, Alt+ or Shift+ before it: Ctrl+C, Alt+x, Shift+Tab, Ctrl+Alt+Left. The case of names does not matter.",
		Example: "  collie pane keys p3 Ctrl+C\n  collie pane keys p3 Down Down Enter", Args: arguments(cobra.MinimumNArgs(2)),
		RunE: func(command *cobra.Command, args []string) error {
			return a.paneWrite(command, args[0], "keys", control.PaneKeys{Keys: args[1:]}, "pressed")
		},
	}
}

func (a *app) paneRename() *cobra.Command {
	return &cobra.Command{
		Use: "rename PANE LABEL", Short: "Give a pane your own word", Example: "  collie pane rename p3 reviewer", Args: arguments(cobra.ExactArgs(2)),
		RunE: func(command *cobra.Command, args []string) error {
			return a.paneWrite(command, args[0], "rename", control.PaneRename{Label: args[1]}, "renamed")
		},
	}
}

func (a *app) paneClose() *cobra.Command {
	var sure bool
	command := &cobra.Command{
		Use: "close PANE", Short: "End a pane and what runs in it",
		Long:    "End a pane and what runs in it. At a terminal it asks first when a program runs there; in a script, and with --json, it does not.",
		Example: "  collie pane close p3\n  collie pane close --yes p3", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			if sure || a.json || !fromTerminal(a.stdin) || !toTerminal(a.stderr) {
				return a.paneWrite(command, args[0], "close", control.PaneClose{}, "closed")
			}
			err := a.paneWrite(command, args[0], "close", control.PaneClose{Idle: true}, "closed")
			if !errors.Is(err, api.ErrProgramRuns) {
				return err
			}
			refusal := api.AsError(err)
			if !a.confirm(command.Context(), fmt.Sprintf("%v runs in %s. End it and close the pane?", refusal.Detail, args[0])) {
				return refusal
			}
			return a.paneWrite(command, args[0], "close", control.PaneClose{}, "closed")
		},
	}
	command.Flags().BoolVar(&sure, "yes", false, "do not ask")
	return command
}

func (a *app) paneWrite(command *cobra.Command, id, verb string, body any, done string) error {
	var ok control.OK
	if err := aPane(id); err != nil {
		return err
	}
	if err := a.call(command.Context(), http.MethodPost, panePath(id, verb), body, &ok); err != nil {
		return err
	}
	return a.print(ok, func(w io.Writer) { fmt.Fprintln(w, done) })
}

func panePath(id, verb string) string { return "/panes/" + url.PathEscape(id) + "/" + verb }

// aPane refuses what can be no pane's id, which would be no address either.
func aPane(id string) error {
	if _, err := pane.ParseID(id); err != nil {
		return api.ErrPaneNotFound
	}
	return nil
}
