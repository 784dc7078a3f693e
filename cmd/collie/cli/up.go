package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"collie/cmd/collie/daemon"
	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/holder"
)

// holdCommand is the hidden command that is a pane's holder.
const holdCommand = "_hold"

func (a *app) up() *cobra.Command {
	var readyFD int
	command := &cobra.Command{
		Use: "up", Short: "Run the node of this machine",
		Long: "Run the node in the foreground until it is told to stop (Ctrl+C or SIGTERM). Panes go on after it, and are\n" +
			"found again by the next one. When no phone is paired yet it shows a pairing code.",
		Example: "  collie up\n  COLLIE_PORT=9000 collie up", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			ctx, stop := untilStopped(command.Context())
			defer stop()
			settings, err := config.Load(os.Environ())
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return daemon.Run(ctx, daemon.Options{
				Config: settings, Holder: []string{self, holdCommand}, Environ: findable(os.Environ(), filepath.Dir(self)), Origin: a.origin,
				Build: Build(), Log: a.logger(),
				Ready:   func(s control.Status) { a.ready(s, readyFD) },
				Welcome: a.welcome(),
			})
		},
	}
	command.Flags().IntVar(&readyFD, "ready-fd", 0, "write one JSON line with the status to this descriptor once the node serves")
	return command
}

// welcome shows a first pairing code to a person. Without one at the other end
// of stdout there is no code: it would stand in a log.
func (a *app) welcome() func(control.PairCode) {
	if !toTerminal(a.stdout) {
		return nil
	}
	return func(code control.PairCode) {
		a.printCode(code)
		fmt.Fprintln(a.stdout, "\nLater, collie pair shows a new code. Keep this running; collie status tells more.")
	}
}

// ready says that the node serves, to a person and to whoever started it.
func (a *app) ready(s control.Status, fd int) {
	url := string(s.HTTP.URL)
	if s.Mode == "member" && s.Mesh.Listen != "" { // a former lead may still be opening its link
		url = "udp://" + string(s.Mesh.Listen)
	}
	fmt.Fprintf(a.stderr, "ready %s\n", url)
	if fd == 0 {
		return
	}
	file := os.NewFile(uintptr(fd), "ready-fd")
	if file == nil {
		return
	}
	defer file.Close()
	if err := daemon.WriteReady(file, s); err != nil {
		fmt.Fprintf(a.stderr, "collie: the status could not be written to descriptor %d\n", fd)
	}
}

// logger writes text for a person and JSON for a service.
func (a *app) logger() *slog.Logger {
	if toTerminal(a.stderr) {
		return slog.New(slog.NewTextHandler(a.stderr, nil))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, nil))
}

func (a *app) hold() *cobra.Command {
	return &cobra.Command{
		Use: holdCommand, Hidden: true, Short: "Hold a pane; the node runs it", Example: "  collie _hold", Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if code := holder.Main(a.stdin, a.stdout); code != 0 {
				return &stated{fmt.Errorf("the holder of a pane ended with %d", code), code, ""}
			}
			return nil
		},
	}
}

func (a *app) config() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "List every setting, its value and where that comes from", Example: "  collie config --json", Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			settings, err := config.Load(os.Environ())
			if err != nil {
				return err
			}
			type row struct {
				Name    string        `json:"name"`
				Value   string        `json:"value"`
				Source  config.Source `json:"source"`
				Default string        `json:"default"`
				About   string        `json:"about"`
			}
			var rows []row
			for _, v := range settings.Values() {
				rows = append(rows, row{v.Name, v.Text, v.Source, v.Default, v.About})
			}
			return a.print(rows, func(w io.Writer) {
				for _, r := range rows {
					fmt.Fprintf(w, "%s=%s\n    %s (%s)\n", r.Name, r.Value, r.About, r.Source)
				}
			})
		},
	}
}

// findable puts the folder of this program behind the others of the PATH, so
// that an agent in a pane finds the collie that it is told to run.
func findable(environ []string, folder string) []string {
	found := slices.Clone(environ)
	for i, pair := range found {
		if path, ok := strings.CutPrefix(pair, "PATH="); ok {
			if !slices.Contains(filepath.SplitList(path), folder) {
				found[i] = pair + string(filepath.ListSeparator) + folder
			}
			return found
		}
	}
	return append(found, "PATH="+folder)
}
