package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"collie/mesh/trust"
	"collie/node/control"
)

func (a *app) crewDeputy() *cobra.Command {
	var request control.DeputyRequest
	command := &cobra.Command{
		Use: "deputy MEMBER [--door URL] | --revoke", Short: "Name the member that may take over when the lead is gone",
		Long: "Name the one member that may lead in this machine's place once it is silent and you tap its standby door. It has to be as " +
			"trusted as this machine: checks stop mistakes, a failed network and every other member, but a hostile deputy can claim a " +
			"silence and a tap that never were. --revoke names nobody; until the deputy has heard of it, it could still take over.",
		Example: "  collie crew deputy desktop --door https://desktop.example.ts.net:8443\n  collie crew deputy --revoke",
		Args:    arguments(cobra.MaximumNArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case request.Revoke == (len(args) == 1), request.Revoke && request.Door != "":
				return usage(command, fmt.Errorf("want a member, or --revoke alone"))
			case trust.CheckDoor(request.Door) != nil:
				return usage(command, trust.CheckDoor(request.Door))
			}
			if len(args) == 1 {
				request.MemberID = args[0]
			}
			var named control.Deputy
			if err := a.call(command.Context(), http.MethodPost, "/crew/deputy", request, &named); err != nil {
				return err
			}
			return a.print(named, func(w io.Writer) {
				if named.Deputy == "" {
					fmt.Fprintf(w, "Nobody is deputy (generation %d).\n", named.Generation)
				} else {
					fmt.Fprintf(w, "%s is the deputy (generation %d). It must be as trusted as this machine: see collie crew deputy --help.\n", named.Deputy, named.Generation)
					if request.Door == "" {
						fmt.Fprintln(w, "No door is named, so no phone can offer to go there; name one with --door.")
					}
				}
				for _, m := range named.Members {
					if !m.Stored {
						fmt.Fprintf(w, "%s has not heard of it yet; it is told when it is reached.\n", m.MemberID)
					}
				}
			})
		},
	}
	command.Flags().StringVar(&request.Door, "door", "", "where the deputy's standby door is published: https, or http to this machine")
	command.Flags().BoolVar(&request.Revoke, "revoke", false, "name nobody")
	return command
}

// pending says that the deputy has yet to hear of what was taken away.
func pending(w io.Writer, ok control.OK) {
	if ok.Pending != "" {
		fmt.Fprintf(w, "%s, the deputy now or before, has not heard of it yet: a takeover before it does would bring it back (collie crew status)\n", ok.Pending)
	}
}

// standing says who may lead next, in crew status.
func standing(w io.Writer, s control.CrewStatus) {
	if d := s.Deputy; d != nil {
		fmt.Fprintf(w, "deputy: %s, generation %d, refreshed %s", d.MemberID, d.Generation, d.RefreshedAt)
		if d.Door != "" {
			fmt.Fprintf(w, ", door %s", d.Door)
		}
		fmt.Fprintln(w)
		if d.Owed {
			fmt.Fprintln(w, "it has yet to hear what stands now: a takeover at this moment would bring back who was removed or revoked since")
		}
		for _, m := range s.Members {
			if m.Role == "member" && (m.WarrantGeneration == nil || *m.WarrantGeneration < d.Generation) {
				fmt.Fprintf(w, "%s has not heard of the deputy: after a takeover it follows only through this machine\n", m.MemberID)
			}
		}
		fmt.Fprintln(w)
	}
	for _, e := range s.Unheard {
		fmt.Fprintf(w, "%s is deputy no more and has not heard of it: until %s it could take over where it reaches no machine that knows\n\n", e.MemberID, e.Until)
	}
	if h := s.Handover; h != nil {
		fmt.Fprintf(w, "%s may take the lead until %s\n\n", h.MemberID, h.ExpiresAt)
	}
}

func (a *app) crewApprovePromote() *cobra.Command {
	var request control.ApproveRequest
	command := &cobra.Command{
		Use: "approve-promote MEMBER | --cancel", Short: "Let one member take the lead, once, within ten minutes",
		Example: "  collie crew approve-promote desktop   # then, on desktop: collie promote\n  collie crew approve-promote --cancel",
		Args:    arguments(cobra.MaximumNArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			if !request.Cancel && len(args) == 0 {
				return usage(command, fmt.Errorf("want a member, or --cancel"))
			}
			if request.Cancel {
				var ok control.OK
				if err := a.call(command.Context(), http.MethodPost, "/crew/approve", control.ApproveRequest{Cancel: true}, &ok); err != nil {
					return err
				}
				return a.print(ok, func(w io.Writer) { fmt.Fprintln(w, "no member may take the lead") })
			}
			var approved control.Approved
			if err := a.call(command.Context(), http.MethodPost, "/crew/approve", control.ApproveRequest{MemberID: args[0]}, &approved); err != nil {
				return err
			}
			return a.print(approved, func(w io.Writer) {
				fmt.Fprintf(w, "%s may take the lead until %s, once: run there\n\n  collie promote\n", approved.MemberID, approved.ExpiresAt)
			})
		},
	}
	command.Flags().BoolVar(&request.Cancel, "cancel", false, "take the approval back")
	return command
}

func (a *app) promote() *cobra.Command {
	var request control.PromoteRequest
	command := &cobra.Command{
		Use: "promote [--force]", Short: "Make this member the lead, which the lead has approved",
		Long: "Make this member the lead of its crew. The lead has to have approved it (collie crew approve-promote) and becomes an " +
			"ordinary member; nobody has to join again.\n\nWith --force, where the lead is gone for good and no deputy can take over, this " +
			"machine founds a crew of its own: every other machine has to join again, every phone has to be paired again, and what the " +
			"old lead holds or signs counts no more. It refuses while the lead answers.",
		Example: "  collie promote\n  collie promote --force", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var promoted control.Promoted
			if err := a.call(command.Context(), http.MethodPost, "/promote", request, &promoted); err != nil {
				return err
			}
			return a.print(promoted, func(w io.Writer) {
				fmt.Fprintf(w, "This machine leads now (generation %d). Phones go to %s\n", promoted.Generation, promoted.URL)
				if len(promoted.Rejoin) == 0 {
					return
				}
				fmt.Fprintln(w, "It is a new crew. Run collie crew invite here for each other machine, and there")
				for _, line := range promoted.Rejoin {
					fmt.Fprintln(w, "  "+line)
				}
			})
		},
	}
	command.Flags().BoolVar(&request.Force, "force", false, "found a new crew: the lead is gone and no deputy can take over")
	return command
}
