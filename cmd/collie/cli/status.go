package cli

import (
	"fmt"
	"io"
	"net/http"
	"runtime/debug"

	"github.com/spf13/cobra"

	"collie/node/control"
)

// build is the version of this program; releases set it with -ldflags -X.
var build = ""

// Build returns the version of this program.
func Build() string {
	if build != "" {
		return build
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
				return "dev-" + setting.Value[:12]
			}
		}
	}
	return "dev"
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this program", Example: "  collie version",
		Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	return a.print(map[string]string{"version": Build()}, func(w io.Writer) { fmt.Fprintln(w, Build()) })
}

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Say what runs here", Example: "  collie status --json",
		Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var s control.Status
			if err := a.call(command.Context(), http.MethodGet, "/status", nil, &s); err != nil {
				return err
			}
			return a.print(s, func(w io.Writer) {
				fmt.Fprintf(w, "collie %s, %s, process %d, since %s\n", s.Version, s.Mode, s.PID, s.StartedAt)
				fmt.Fprintf(w, "state       %s\n", s.StateDir)
				if s.HTTP.URL != "" {
					fmt.Fprintf(w, "front door  %s\n", s.HTTP.URL)
				}
				if s.Mesh.Listen != "" {
					fmt.Fprintf(w, "crew link   udp %s\n", s.Mesh.Listen)
				}
				if s.Standby.URL != "" {
					fmt.Fprintf(w, "standby     %s, %s\n", s.Standby.State, s.Standby.URL)
				}
				if c := s.Crew; c != nil {
					fmt.Fprintf(w, "crew        %s, this is %s, led by %s\n", c.Name, c.MemberID, c.Lead)
				}
				if !s.Masking {
					fmt.Fprintln(w, "mask        off: secrets leave this machine as they are")
				}
				for _, notice := range s.Trouble {
					fmt.Fprintf(w, "trouble     %s; %s\n", notice.What, notice.Fix)
				}
			})
		},
	}
}
