package cli

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"collie/node/control"
)

func (a *app) crewRotate() *cobra.Command {
	return &cobra.Command{
		Use: "rotate", Short: "Replace the crew secret", Example: "  collie crew rotate", Args: arguments(cobra.NoArgs),
		Long: "Replace the crew secret, for when somebody may have read it, and tell it to every member that is connected.\n" +
			"There is no grace: a member that is away now has to join again, with a new token; it keeps its id.",
		RunE: func(command *cobra.Command, _ []string) error {
			var rotated control.Rotated
			if err := a.call(command.Context(), http.MethodPost, "/crew/rotate", struct{}{}, &rotated); err != nil {
				return err
			}
			return a.print(rotated, func(w io.Writer) { printRotated(w, rotated) })
		},
	}
}

func printRotated(w io.Writer, rotated control.Rotated) {
	fmt.Fprintf(w, "The crew secret is number %d now.\n", rotated.SecretGeneration)
	left := false
	for _, m := range rotated.Members {
		if m.Delivered {
			fmt.Fprintf(w, "  %s holds it\n", m.MemberID)
			continue
		}
		left = true
		fmt.Fprintf(w, "  %s does not: %s\n", m.MemberID, m.Reason)
	}
	if left {
		fmt.Fprintln(w, "Who does not hold it joins again: collie crew invite here, collie crew join there.")
	}
}
