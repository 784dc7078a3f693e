package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"collie/cmd/collie/daemon"
	"collie/node/config"
	"collie/node/control"
)

func (a *app) doctor() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Look for what is wrong, and say how to mend it", Example: "  collie doctor --json", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var report control.Doctor
			err := a.call(command.Context(), http.MethodGet, "/doctor", nil, &report)
			if errors.Is(err, control.ErrNoNode) {
				settings, loadErr := config.Load(os.Environ())
				if loadErr != nil {
					return loadErr
				}
				report, err = daemon.Examine(command.Context(), settings, err), nil
			}
			if err != nil {
				return err
			}
			if err := a.print(report, func(w io.Writer) { printReport(w, report) }); err != nil {
				return err
			}
			if report.Verdict == "fail" {
				return &stated{errors.New("something needs mending"), exitFailed, "do what stands behind mend, then run collie doctor again"}
			}
			return nil
		},
	}
}

func printReport(w io.Writer, report control.Doctor) {
	for _, c := range report.Checks {
		fmt.Fprintf(w, "%-5s %-16s %s\n", c.Verdict, c.ID, c.Reason)
		if c.Fix != "" {
			fmt.Fprintf(w, "      %-16s mend: %s\n", "", c.Fix)
		}
	}
}
