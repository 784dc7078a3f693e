package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"collie/node/control"
)

func (a *app) crewRename() *cobra.Command {
	return &cobra.Command{
		Use: "rename [MEMBER] LABEL", Short: "Give a member, or the crew, another name",
		Long:    "Give a member or the lead another label, or with one argument the crew another name. Ids never change. Run it on the lead; the others hear of it within seconds.",
		Example: "  collie crew rename juno 'Juno, in the attic'\n  collie crew rename home", Args: arguments(cobra.RangeArgs(1, 2)),
		RunE: func(command *cobra.Command, args []string) error {
			request := control.Rename{Label: args[len(args)-1]}
			if len(args) == 2 {
				request.MemberID = args[0]
			}
			var ok control.OK
			if err := a.call(command.Context(), http.MethodPost, "/crew/rename", request, &ok); err != nil {
				return err
			}
			return a.print(ok, func(w io.Writer) {
				what := "the crew"
				if request.MemberID != "" {
					what = request.MemberID
				}
				fmt.Fprintf(w, "%s is called %s now\n", what, request.Label)
			})
		},
	}
}

func (a *app) crewSetAddress() *cobra.Command {
	return &cobra.Command{
		Use: "set-address MEMBER [HOST:PORT]…", Short: "Say where a machine of the crew is found",
		Long: "Say where a machine of the crew is found: this one itself, which then tells the others, or from here another one.\n" +
			"Without an address, what was said before is forgotten. An address is where a machine is looked for; who is there is another question.",
		Example: "  collie crew set-address juno juno.example:8788 10.0.0.7:8788\n  collie crew set-address juno", Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			for _, address := range args[1:] {
				if err := reachableAt(command, address); err != nil {
					return err
				}
			}
			var all control.Addresses
			path := "/crew/members/" + url.PathEscape(args[0]) + "/addresses"
			if err := a.call(command.Context(), http.MethodPost, path, control.Addresses{Addresses: args[1:]}, &all); err != nil {
				return err
			}
			return a.print(all, func(w io.Writer) {
				fmt.Fprintf(w, "%s is looked for at %s\n", all.MemberID, or(strings.Join(all.Addresses, ", "), "no address; it has to dial in"))
			})
		},
	}
}

func (a *app) reconnect() *cobra.Command {
	return &cobra.Command{
		Use: "reconnect [HOST:PORT]…", Short: "Look for the lead at once, also at new addresses",
		Long:    "On a member: look for the lead at once instead of at the next try, also at addresses that are given, and wait until it answers.",
		Example: "  collie reconnect\n  collie reconnect lead.example:8788", Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			for _, address := range args {
				if err := reachableAt(command, address); err != nil {
					return err
				}
			}
			var found control.Reconnected
			if err := a.call(command.Context(), http.MethodPost, "/crew/reconnect", control.Addresses{Addresses: args}, &found); err != nil {
				return err
			}
			return a.print(found, func(w io.Writer) { fmt.Fprintf(w, "the lead, %s, answers\n", found.Lead) })
		},
	}
}
