package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"collie/node/control"
)

func (a *app) walky() *cobra.Command {
	return group("walky", "Exchange short messages between agent sessions",
		"  collie walky who\n  collie walky send atlas:p3#k3f9 'the build is green'",
		a.walkyWho(), a.walkySend(), a.walkyReply(), a.walkyInbox(), a.walkyCancel(), a.walkyLog())
}

func (a *app) walkyWho() *cobra.Command {
	return &cobra.Command{
		Use: "who", Short: "List the sessions that this machine may write to", Example: "  collie walky who", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var sessions []control.WalkySession
			if err := a.call(command.Context(), http.MethodGet, "/walky/who", nil, &sessions); err != nil {
				return err
			}
			return a.print(sessions, func(w io.Writer) {
				table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(table, "ADDRESS\tHARNESS\tSTATUS\tLABEL\t")
				for _, s := range sessions {
					you := ""
					if s.You {
						you = "you"
					}
					fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.Address, s.Harness, s.Status, s.Label, you)
				}
				_ = table.Flush()
			})
		},
	}
}

func (a *app) walkySend() *cobra.Command {
	request, wait := control.WalkySend{}, 10*time.Second
	command := &cobra.Command{
		Use: "send ADDRESS [TEXT|-|@file]", Short: "Send a message to a session",
		Long:    "Send a message to the session at an address (see collie walky who) and wait a while for its receipt. Put no secrets into it: every machine on the way keeps it.",
		Example: "  collie walky send atlas:p3#k3f9 'the build is green'\n  git diff | collie walky send p2#m4w7 -", Args: arguments(cobra.RangeArgs(1, 2)),
		RunE: func(command *cobra.Command, args []string) error {
			request.To = args[0]
			return a.walkyPost(command, "/walky/send", args[1:], &request, wait)
		},
	}
	command.Flags().StringVar(&request.ReplyTo, "reply-to", "", "the message that this one answers")
	command.Flags().DurationVar(&wait, "wait", wait, "how long to wait for the receipt")
	return command
}

func (a *app) walkyReply() *cobra.Command {
	request, wait := control.WalkySend{}, 10*time.Second
	command := &cobra.Command{
		Use: "reply ID [TEXT|-|@file]", Short: "Answer a message", Example: "  collie walky reply 01JD0000000000000000000000 'thank you'",
		Args: arguments(cobra.RangeArgs(1, 2)),
		RunE: func(command *cobra.Command, args []string) error {
			request.ReplyTo = args[0]
			return a.walkyPost(command, "/walky/reply", args[1:], &request, wait)
		},
	}
	command.Flags().DurationVar(&wait, "wait", wait, "how long to wait for the receipt")
	return command
}

// walkyPost sends a message; without a text argument it is read from stdin.
func (a *app) walkyPost(command *cobra.Command, path string, text []string, request *control.WalkySend, wait time.Duration) error {
	from := "-"
	if len(text) == 1 {
		from = text[0]
	}
	var err error
	if request.Body, err = a.text(from); err != nil {
		return err
	}
	request.WaitMs = wait.Milliseconds()
	var receipt control.WalkyReceipt
	if err := a.call(command.Context(), http.MethodPost, path, request, &receipt); err != nil {
		return err
	}
	if err := a.print(receipt, func(w io.Writer) { printReceipt(w, receipt) }); err != nil {
		return err
	}
	if receipt.State == "refused" {
		return &stated{fmt.Errorf("the message was refused: %s", receipt.Reason), exitRefused, ""}
	}
	return nil
}

func printReceipt(w io.Writer, r control.WalkyReceipt) {
	fmt.Fprintf(w, "%s %s", r.ID, r.State)
	if r.Reason != "" {
		fmt.Fprintf(w, " (%s)", r.Reason)
	}
	fmt.Fprintln(w)
}

func (a *app) walkyCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "Take back a message that is still held", Example: "  collie walky cancel 01JD0000000000000000000000", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			var receipt control.WalkyReceipt
			if err := a.call(command.Context(), http.MethodPost, "/walky/cancel/"+url.PathEscape(args[0]), struct{}{}, &receipt); err != nil {
				return err
			}
			return a.print(receipt, func(w io.Writer) { printReceipt(w, receipt) })
		},
	}
}

func (a *app) walkyLog() *cobra.Command {
	return &cobra.Command{
		Use: "log", Short: "List the messages that crossed this machine", Example: "  collie walky log", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var entries []control.WalkyEntry
			if err := a.call(command.Context(), http.MethodGet, "/walky/log", nil, &entries); err != nil {
				return err
			}
			var marks []string
			for _, e := range entries {
				marks = append(marks, e.Mark)
			}
			return a.print(entries, func(w io.Writer) {
				a.markedTable(w, marks, func(table io.Writer) {
					fmt.Fprintln(table, "AT\tID\t\tFROM\tTO\tSTATE")
					for _, e := range entries {
						fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s %s\n", e.At, e.ID, e.Direction, e.From, e.To, e.State, e.Reason)
					}
				})
			})
		},
	}
}
