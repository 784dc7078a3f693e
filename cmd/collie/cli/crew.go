package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"collie/mesh"
	"collie/mesh/trust"
	"collie/node/control"
)

func (a *app) crew() *cobra.Command {
	return group("crew", "Join machines into one crew", "  collie crew invite --address lead.example:8788\n  collie crew join lead.example:8788 -",
		a.crewInvite(), a.crewJoin(), a.crewAdd(), a.crewLeave(), a.crewStatus(), a.crewRotate(), a.crewRename(), a.crewSetAddress(), a.crewRemove(),
		a.crewDeputy(), a.crewApprovePromote())
}

func (a *app) crewInvite() *cobra.Command {
	var request control.InviteRequest
	command := &cobra.Command{
		Use: "invite", Short: "Let one machine join, within ten minutes",
		Long:    "Print a token that lets one machine join this crew, once, within ten minutes. A node in no crew becomes the lead of a new one.",
		Example: "  collie crew invite --address lead.example:8788", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			for _, address := range request.Addresses {
				if err := reachableAt(command, address); err != nil {
					return err
				}
			}
			var invite control.Invite
			if err := a.call(command.Context(), http.MethodPost, "/crew/invite", request, &invite); err != nil {
				return err
			}
			return a.print(invite, func(w io.Writer) {
				fmt.Fprintf(w, "On the other machine, run\n\n  %s\n\nand give it this token (until %s, once):\n\n  %s\n", invite.Join, invite.ExpiresAt, invite.Token)
			})
		},
	}
	command.Flags().StringArrayVar(&request.Addresses, "address", nil, "host:port under which members reach this machine; may be repeated")
	return command
}

func (a *app) crewJoin() *cobra.Command {
	var label string
	command := &cobra.Command{
		Use: "join HOST:PORT [-|@file|TOKEN]", Short: "Join the crew of a lead",
		Example: "  collie crew join lead.example:8788\n  pass show collie | collie crew join lead.example:8788 -",
		Args:    arguments(cobra.RangeArgs(1, 2)),
		RunE: func(command *cobra.Command, args []string) error {
			request := control.JoinRequest{Address: args[0], Label: label}
			err := reachableAt(command, args[0])
			if err != nil {
				return err
			}
			if len(args) == 2 {
				request.Token, err = a.secret(args[1])
			} else {
				request.Token, err = a.ask(command.Context(), "Token: ")
			}
			if err != nil {
				return err
			}
			var joined control.Joined
			if err := a.call(command.Context(), http.MethodPost, "/crew/join", request, &joined); err != nil {
				return err
			}
			return a.print(joined, func(w io.Writer) {
				fmt.Fprintf(w, "This machine is %s in the crew %s, led by %s.\n", joined.MemberID, joined.CrewName, joined.Lead)
			})
		},
	}
	command.Flags().StringVar(&label, "label", "", "what this machine is called in the crew; its host name without it")
	return command
}

// reachableAt refuses an address that nobody could be dialled at, and suggests
// the usual port when that is all that is missing.
func reachableAt(command *cobra.Command, address string) error {
	err := trust.CheckAddress(address)
	if err == nil {
		return nil
	}
	wrong := usage(command, err)
	for _, whole := range []string{address + mesh.DefaultAddress, "[" + address + "]" + mesh.DefaultAddress} {
		if trust.CheckAddress(whole) == nil {
			wrong.hint = "the port is missing; did you mean " + whole + "?"
			break
		}
	}
	return wrong
}

func (a *app) crewLeave() *cobra.Command {
	return &cobra.Command{
		Use: "leave", Short: "Leave the crew; this machine is on its own again", Example: "  collie crew leave", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var ok control.OK
			if err := a.call(command.Context(), http.MethodPost, "/crew/leave", struct{}{}, &ok); err != nil {
				return err
			}
			return a.print(ok, func(w io.Writer) { fmt.Fprintln(w, "left; this machine is on its own") })
		},
	}
}

func (a *app) crewRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove MEMBER", Short: "Take a member out of the crew, at once", Example: "  collie crew remove laptop", Args: arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			var ok control.OK
			if err := a.call(command.Context(), http.MethodPost, "/crew/members/"+url.PathEscape(args[0])+"/remove", struct{}{}, &ok); err != nil {
				return err
			}
			return a.print(ok, func(w io.Writer) {
				fmt.Fprintf(w, "%s is out of the crew\n", args[0])
				pending(w, ok)
			})
		},
	}
}

func (a *app) crewStatus() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say who is in the crew and how each can be reached", Example: "  collie crew status --json", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var s control.CrewStatus
			if err := a.call(command.Context(), http.MethodGet, "/crew/status", nil, &s); err != nil {
				return err
			}
			return a.print(s, func(w io.Writer) { printCrew(w, s) })
		},
	}
}

// printCrew shows a row for each node, and below them what there is to say of
// some.
func printCrew(w io.Writer, s control.CrewStatus) {
	fmt.Fprintf(w, "%s (%s), generation %d; this is %s, %s\n\n", s.Crew.Name, s.Crew.ID, s.Crew.Generation, s.Crew.MemberID, s.Crew.Role)
	standing(w, s)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MEMBER\tLABEL\tROLE\tSTATE\tROUND TRIP\tLAST SEEN\tBUILD")
	for _, m := range s.Members {
		state, build, roundTrip := m.State, string(m.Build), ""
		if m.Via != "" {
			state += " via " + string(m.Via)
		}
		if m.Hint != "" {
			state += ", " + string(m.Hint)
		}
		if m.BuildDiffers {
			build += " (another one)"
		}
		if m.RTTMs != nil {
			roundTrip = fmt.Sprintf("%d ms", *m.RTTMs)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.MemberID, m.Label, m.Role, state, roundTrip, or(m.LastSeenAt.String(), "never"), build)
	}
	_ = table.Flush()
	for _, m := range s.Members {
		if m.Reason != "" {
			reason := string(m.Reason)
			if reason == "repin_pending" {
				reason = "it has not followed this lead yet; it does by itself once it is reached"
			}
			fmt.Fprintf(w, "\n%s: %s\n", m.MemberID, reason)
		}
		if !m.SecretCurrent && m.State != "unenrolled" {
			fmt.Fprintf(w, "\n%s: it has not shown that it holds the current crew secret\n", m.MemberID)
		}
	}
}
