package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"collie/node/audit"
	"collie/node/config"
	"collie/node/control"
	"collie/node/trust"
)

func (a *app) audit() *cobra.Command {
	return group("audit", "Look at what was done, and whether the record of it is whole",
		"  collie audit tail --follow\n  collie audit verify", a.auditTail(), a.auditVerify())
}

func (a *app) auditTail() *cobra.Command {
	count, follow := 20, false
	command := &cobra.Command{
		Use: "tail [-n N] [--follow]", Short: "Print the last lines of the audit log",
		Long: "Print the last lines of the audit log: who did what to which pane, from where, and what became of it.\n" +
			"With --follow go on with every line that is added, until Ctrl+C; with --json that is one document a line.",
		Example: "  collie audit tail -n 50\n  collie audit tail --follow", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := positive(command, "lines"); err != nil {
				return err
			}
			var tail control.AuditTail
			if err := a.call(command.Context(), http.MethodGet, fmt.Sprintf("/audit/tail?n=%d", count), nil, &tail); err != nil {
				return err
			}
			if follow {
				return a.followAudit(command.Context(), tail)
			}
			return a.print(tail.Lines, func(w io.Writer) { printAudit(w, tail.Lines) })
		},
	}
	command.Flags().IntVarP(&count, "lines", "n", count, fmt.Sprintf("how many lines, at most %d", audit.MaxTail))
	command.Flags().BoolVarP(&follow, "follow", "f", false, "go on with every line that is added")
	return command
}

// followAudit prints lines as they are added until it is stopped.
func (a *app) followAudit(ctx context.Context, tail control.AuditTail) error {
	ctx, stop := untilStopped(ctx)
	defer stop()
	for {
		if err := a.printAuditLines(tail.Lines); err != nil {
			return err
		}
		err := a.call(ctx, http.MethodGet, fmt.Sprintf("/audit/after/%d", tail.Last), nil, &tail)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (a *app) printAuditLines(lines []audit.Line) error {
	if !a.json {
		return a.print(lines, func(w io.Writer) { printAudit(w, lines) })
	}
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func printAudit(w io.Writer, lines []audit.Line) {
	for _, line := range lines {
		words := []string{line.At, line.Action, line.Outcome}
		for _, part := range []struct {
			name string
			text *string
		}{{"session", line.Session}, {"pane", line.Pane}, {"device", line.Device}, {"host", line.Host}, {"via", line.Via}, {"mark", line.Mark}, {"what", line.What}} {
			if part.text != nil {
				words = append(words, part.name+": "+oneOf(*part.text))
			}
		}
		fmt.Fprintln(w, strings.Join(words, "  "))
	}
}

// oneOf shows a text of several lines as one.
func oneOf(text string) string {
	return trust.Clean(strings.NewReplacer("\n", "⏎", "\t", " ").Replace(text), maxErrorBytes)
}

func (a *app) auditVerify() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Look for lines of the audit log that were removed or edited",
		Long: "Follow the chain of hashes through every file of the audit log, also of a node that does not run. It ends with 1 and names\n" +
			"the first line that does not stand as it was written, or before which lines may be gone because the record of the end was lost\n" +
			"(the log has a line audit.rebuilt then). Where that record was only behind, as after a crash, it says so and ends with 0.\n" +
			"It is no proof against somebody who recomputes all of it.",
		Example: "  collie audit verify", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			var chain control.AuditChain
			err := a.call(command.Context(), http.MethodGet, "/audit/verify", nil, &chain)
			if errors.Is(err, control.ErrNoNode) {
				chain, err = verifyAlone()
			}
			if err != nil {
				return err
			}
			if err := a.print(chain, func(w io.Writer) { printChain(w, chain) }); err != nil {
				return err
			}
			if !chain.Whole {
				return &stated{errors.New("the audit log does not stand as it was written"), exitFailed, "keep its files for whoever asks, and move them away"}
			}
			return nil
		},
	}
}

func printChain(w io.Writer, chain control.AuditChain) {
	switch {
	case !chain.Whole:
		fmt.Fprintf(w, "broken: %s line %d %s\n", chain.File, *chain.Line, chain.Reason)
	case chain.Lines == 0:
		fmt.Fprintln(w, "whole, and empty")
	default:
		fmt.Fprintf(w, "whole: %d lines since %s\n", chain.Lines, chain.Since)
	}
	if chain.Behind > 0 {
		fmt.Fprintf(w, "the record of its end was older than its lines %d times, last at %s: a crash does that, and so does whoever cuts lines off\n", chain.Behind, chain.BehindAt)
	}
	if chain.Unrecorded > 0 {
		fmt.Fprintf(w, "the record of its end is %d lines older: a crash does that, and so does whoever cuts lines off\n", chain.Unrecorded)
	}
}

// verifyAlone looks at the log of a node that does not run.
func verifyAlone() (control.AuditChain, error) {
	settings, err := config.Load(os.Environ())
	if err != nil {
		return control.AuditChain{}, err
	}
	chain, err := control.ChainOf(audit.Verify(filepath.Join(settings.Get("COLLIE_STATE_DIR"), "audit.log")))
	if errors.Is(err, fs.ErrNotExist) {
		return control.AuditChain{Whole: true}, nil // nothing was ever written
	}
	return chain, err
}
