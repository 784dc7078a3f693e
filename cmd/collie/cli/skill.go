package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"collie/node/skill"
)

// A skillFile is a row of collie skill: the file of one harness.
type skillFile struct {
	Harness string `json:"harness"`
	File    string `json:"file"`
	State   string `json:"state"` // absent, current, outdated, edited
	Changed bool   `json:"changed"`
}

func (a *app) skill() *cobra.Command {
	return group("skill", "Teach agents to use walky messages", "  collie skill install\n  collie skill status",
		a.skillCommand("install", "Put the skill where the installed harnesses look for it",
			"Put a skill file where the installed harnesses look for it. It says how to list, send, read and reply, and how to weigh what a peer says. "+
				"collie up keeps it current; one that you have edited is left alone.", skill.Place.Install),
		a.skillCommand("uninstall", "Take the skill away", "Take the skill file away. One that you have edited is left alone.", skill.Place.Uninstall),
		a.skillCommand("status", "Say where the skill is", "Say where the skill is, for every harness that is installed.",
			func(skill.Place) (bool, error) { return false, nil }))
}

// skillCommand does one thing with the skill of the harnesses that are named, or
// of all. What one refuses does not keep the others from it.
func (a *app) skillCommand(verb, short, long string, do func(skill.Place) (bool, error)) *cobra.Command {
	return &cobra.Command{
		Use: verb + " [" + strings.Join(skill.Names(), "|") + "]…", Short: short, Long: long, Example: "  collie skill " + verb + "\n  collie skill " + verb + " claude",
		ValidArgs: skill.Names(), Args: arguments(cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			rows := []skillFile{}
			var failed error
			for _, place := range skill.Places(os.Getenv) {
				if len(args) > 0 && !slices.Contains(args, place.Harness) {
					continue
				}
				changed, err := do(place)
				state, errState := place.State()
				failed = errors.Join(failed, err, errState)
				rows = append(rows, skillFile{place.Harness, place.Path, string(state), changed})
			}
			if len(rows) == 0 {
				return &stated{errors.New("no such harness has settings here"), exitFailed, "start it once, so that its folder is there"}
			}
			if err := a.print(rows, func(w io.Writer) { printSkills(w, rows) }); err != nil {
				return err
			}
			return failed
		},
	}
}

func printSkills(w io.Writer, rows []skillFile) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "HARNESS\tSKILL\tFILE")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\n", row.Harness, row.State, row.File)
	}
	_ = table.Flush()
}
