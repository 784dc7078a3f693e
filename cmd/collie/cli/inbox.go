package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"collie/node/control"
)

func (a *app) walkyInbox() *cobra.Command {
	var wait bool
	var after string
	timeout := time.Minute
	command := &cobra.Command{
		Use: "inbox [ID]", Short: "List messages, read one, or wait for the next",
		Long: "List the messages to this session, or for the operator to any; read the one with an ID; or with --wait read the\n" +
			"oldest that was not read yet, once there is one.",
		Example: "  collie walky inbox\n  collie walky inbox 01JD0000000000000000000000\n  collie walky inbox --wait --timeout 5m",
		Args:    arguments(cobra.MaximumNArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case wait && len(args) == 1:
				return usage(command, errors.New("--wait is for the next message, not for one with an ID"))
			case command.Flags().Changed("timeout") && !wait:
				return usage(command, errors.New("--timeout belongs to --wait"))
			case after != "" && !wait:
				return usage(command, errors.New("--after belongs to --wait"))
			case timeout <= 0:
				return usage(command, errors.New("--timeout is a time to wait, such as 60s"))
			case wait:
				id, err := a.nextMessage(command.Context(), after, timeout)
				if err != nil {
					return err
				}
				return a.printMessage(command.Context(), id)
			case len(args) == 1:
				return a.printMessage(command.Context(), args[0])
			}
			return a.printInbox(command.Context())
		},
	}
	command.Flags().BoolVar(&wait, "wait", false, "wait for the next message that was not read, and read it")
	command.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait")
	command.Flags().StringVar(&after, "after", "", "only what came after the message with this ID; for the operator, who reads for no session")
	return command
}

// nextMessage waits for a message that was not read and returns its id. The
// node waits for a while only, so it is asked again.
func (a *app) nextMessage(ctx context.Context, after string, timeout time.Duration) (string, error) {
	for until := time.Now().Add(timeout); ; {
		left := max(time.Until(until), 0)
		query := url.Values{"waitMs": {fmt.Sprint(min(left, control.MaxInboxWait).Milliseconds())}, "after": {after}}
		var next control.WalkyNext
		if err := a.call(ctx, http.MethodGet, "/walky/next?"+query.Encode(), nil, &next); err != nil {
			return "", err
		}
		if next.ID != "" {
			return string(next.ID), nil
		}
		if time.Now().After(until) {
			return "", fmt.Errorf("no message came within %v", timeout)
		}
	}
}

func (a *app) printMessage(ctx context.Context, id string) error {
	var message control.WalkyMessage
	if err := a.call(ctx, http.MethodPost, "/walky/read/"+url.PathEscape(id), struct{}{}, &message); err != nil {
		return err
	}
	rendered := message.Rendered
	message.Rendered = ""
	return a.print(message, func(w io.Writer) { fmt.Fprintln(w, rendered) })
}

func (a *app) printInbox(ctx context.Context) error {
	var items []control.WalkyItem
	if err := a.call(ctx, http.MethodGet, "/walky/inbox", nil, &items); err != nil {
		return err
	}
	var marks []string
	for _, item := range items {
		marks = append(marks, item.Mark)
	}
	return a.print(items, func(w io.Writer) {
		a.markedTable(w, marks, func(table io.Writer) {
			fmt.Fprintln(table, "ID\tFROM\tAT\tBYTES\t")
			for _, item := range items {
				unread := "unread"
				if item.Read {
					unread = ""
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", item.ID, item.From, item.At, item.Bytes, unread)
			}
		})
	})
}
