package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"collie/node/hooks"
)

// A hookFile is a row of collie hooks: one settings file of a harness.
type hookFile struct {
	Harness string `json:"harness"`
	File    string `json:"file"`
	State   string `json:"state"` // absent, installed, outdated
	Holds   bool   `json:"holds"`
	Changed bool   `json:"changed"`
}

func (a *app) hooks() *cobra.Command {
	return group("hooks", "Let agents say by themselves what they do and what they ask",
		"  collie hooks install claude\n  collie hooks status", a.hooksInstall(), a.hooksUninstall(), a.hooksStatus())
}

const aboutFolders = "Settings are looked for in the harness's folder below your home, in the one that its variable names, in those of\n" +
	"its processes that run now, and in each --folder."

func (a *app) hooksInstall() *cobra.Command {
	var hold bool
	return a.hooksCommand(
		&cobra.Command{
			Use: "install " + harnessNames(), Short: "Put Collie's hooks into a harness's settings",
			Long: "Put Collie's hooks into a harness's own settings, beside those that are there. A copy of the file is kept\n" +
				"beside it. " + aboutFolders + "\nWith --hold-permissions a permission waits for a tap on the phone, too: whoever answers first, here or there,\n" +
				"has answered it.",
			Example: "  collie hooks install claude\n  collie hooks install claude --hold-permissions --folder ~/office/.claude", Args: arguments(cobra.ExactArgs(1)),
		},
		func(command *cobra.Command) {
			command.Flags().BoolVar(&hold, "hold-permissions", false, "let a permission wait for a tap on the phone")
		},
		func(f hooks.File, program string) (hooks.Report, error) { return f.Install(program, hold) },
		func(w io.Writer, rows []hookFile) {
			for _, row := range rows {
				verb := "has them already"
				if row.Changed {
					verb = "has Collie's hooks now"
				}
				fmt.Fprintf(w, "%s %s\n", row.File, verb)
			}
			fmt.Fprintln(w, hooks.Named(rows[0].Harness).Advice)
		})
}

func (a *app) hooksUninstall() *cobra.Command {
	return a.hooksCommand(
		&cobra.Command{
			Use: "uninstall " + harnessNames(), Short: "Take Collie's hooks out of a harness's settings",
			Long:    "Take Collie's hooks out. What else is in the file stays as it is. " + aboutFolders,
			Example: "  collie hooks uninstall claude", Args: arguments(cobra.ExactArgs(1)),
		},
		func(*cobra.Command) {},
		func(f hooks.File, _ string) (hooks.Report, error) { return f.Uninstall() },
		func(w io.Writer, rows []hookFile) {
			for _, row := range rows {
				verb := "had none"
				if row.Changed {
					verb = "has none any more"
				}
				fmt.Fprintf(w, "%s %s\n", row.File, verb)
			}
		})
}

func (a *app) hooksStatus() *cobra.Command {
	return a.hooksCommand(
		&cobra.Command{
			Use: "status [" + harnessNames() + "]", Short: "Say where Collie's hooks are", Long: "Say which settings have Collie's hooks. " + aboutFolders,
			Example: "  collie hooks status --json", Args: arguments(cobra.MaximumNArgs(1)),
		},
		func(*cobra.Command) {},
		func(f hooks.File, program string) (hooks.Report, error) { return f.Status(program) },
		func(w io.Writer, rows []hookFile) {
			table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "HARNESS\tHOOKS\tHOLDS PERMISSIONS\tFILE")
			for _, row := range rows {
				holds := "no"
				if row.Holds {
					holds = "yes"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.Harness, row.State, holds, row.File)
			}
			_ = table.Flush()
		})
}

func harnessNames() string { return strings.Join(hooks.Names(), "|") }

// hooksCommand does one thing with each settings file of a harness, or of all.
// What one file refuses does not keep the others from it.
func (a *app) hooksCommand(command *cobra.Command, flags func(*cobra.Command), do func(f hooks.File, program string) (hooks.Report, error), text func(io.Writer, []hookFile)) *cobra.Command {
	var folders []string
	command.ValidArgs = hooks.Names()
	command.RunE = func(command *cobra.Command, args []string) error {
		names := hooks.Names()
		if len(args) > 0 {
			if names = args; hooks.Named(args[0]) == nil {
				return usage(command, fmt.Errorf("there are no hooks for %q: use %s", args[0], harnessNames()))
			}
		} else if len(folders) > 0 {
			return usage(command, errors.New("--folder needs the harness that it is of"))
		}
		program, err := os.Executable()
		if err != nil {
			return err
		}
		var rows []hookFile
		var failed error
		for _, name := range names {
			h := hooks.Named(name)
			places, err := settingsFolders(h, folders)
			if err != nil {
				return err
			}
			for _, folder := range places {
				f := h.File(folder)
				report, err := do(f, program)
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				rows = append(rows, hookFile{Harness: name, File: f.Path, State: string(report.State), Holds: report.Holds, Changed: report.Changed})
			}
		}
		if len(rows) > 0 {
			if err := a.print(rows, func(w io.Writer) { text(w, rows) }); err != nil {
				return err
			}
		}
		return failed
	}
	command.Flags().StringArrayVar(&folders, "folder", nil, "a folder of settings besides those that are found; may be repeated")
	flags(command)
	return command
}

// settingsFolders are the folders of a harness's settings, each once.
func settingsFolders(h *hooks.Harness, more []string) ([]string, error) {
	folders := h.Folders(os.Getenv)
	for _, folder := range h.Running() {
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range more {
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		// One that is named and is not there is a typing error, and none is made.
		if info, err := os.Stat(absolute); err != nil || !info.IsDir() {
			return nil, &stated{fmt.Errorf("there is no folder %s", absolute), exitUsage, "--folder names a folder of settings that is there"}
		}
		if !slices.Contains(folders, absolute) {
			folders = append(folders, absolute)
		}
	}
	if len(folders) == 0 {
		return nil, errors.New("HOME is not set, so no settings are found; name their folder with --folder")
	}
	return folders, nil
}
