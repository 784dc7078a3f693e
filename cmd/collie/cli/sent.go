package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"collie/node/api"
	"collie/node/control"
)

func (a *app) sent() *cobra.Command {
	return group("sent", "Look at the lines that were sent to this machine's shells, and forget them",
		"  collie sent list\n  collie sent forget 01JD0000000000000000000000", a.sentList(), a.sentForget(), a.sentClear())
}

func (a *app) sentList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the lines that were sent, newest first", Example: "  collie sent list --json", Args: arguments(cobra.NoArgs),
		Long: "List the lines that were sent to this machine's shells through Collie, newest first. Lines that begin with a blank, set a\n" +
			"variable, or look as if they held a secret are not kept.",
		RunE: func(command *cobra.Command, _ []string) error {
			var lines []control.SentLine
			if err := a.call(command.Context(), http.MethodGet, "/sent", nil, &lines); err != nil {
				return err
			}
			return a.print(lines, func(w io.Writer) {
				for _, line := range lines {
					fmt.Fprintf(w, "%s  %s  %s  %s\n", line.ID, line.At, line.Pane, oneOf(line.Line))
				}
			})
		},
	}
}

func (a *app) sentForget() *cobra.Command {
	return &cobra.Command{
		Use: "forget ID", Short: "Forget one line", Example: "  collie sent forget 01JD0000000000000000000000", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			return a.sentWrite(command, "forget", api.SentForget{ID: args[0]})
		},
	}
}

func (a *app) sentClear() *cobra.Command {
	return &cobra.Command{
		Use: "clear", Short: "Forget every line of this machine", Example: "  collie sent clear", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			return a.sentWrite(command, "clear", struct{}{})
		},
	}
}

func (a *app) sentWrite(command *cobra.Command, verb string, body any) error {
	var gone api.SentGone
	if err := a.call(command.Context(), http.MethodPost, "/sent/"+verb, body, &gone); err != nil {
		return err
	}
	return a.print(gone, func(w io.Writer) { fmt.Fprintln(w, counted(gone.Count, "line"), "forgotten") })
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}
