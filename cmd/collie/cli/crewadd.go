package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"collie/cmd/collie/remote"
	"collie/node/trust"
)

func (a *app) crewAdd() *cobra.Command {
	var options remote.Options
	var replace bool
	command := &cobra.Command{
		Use: "add SSH-TARGET", Short: "Bring a machine into the crew over ssh",
		Long: "Over your own ssh: copy this program to a machine that has none, start its node, and join it to this crew.\n" +
			"The node outlives the connection, but not a restart of that machine. What was done before is not done again,\n" +
			"so the same command mends what broke off, and starts a member's node.",
		Example: "  collie crew add juno\n  collie crew add dev@juno.example --label build --address atlas.example:8788",
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(command *cobra.Command, args []string) error {
			for _, address := range options.Addresses {
				if err := reachableAt(command, address); err != nil {
					return err
				}
			}
			node, err := a.node()
			if err != nil {
				return err
			}
			options.Target, options.Node, options.Version, options.Open = args[0], node, Build(), openSelf
			ctx, stop := untilStopped(command.Context())
			defer stop()
			options.Replace = func(question string) bool { return replace || a.confirm(ctx, question) }
			options.Step, options.Copied = a.progress(args[0])
			added, err := remote.Add(ctx, options)
			if err != nil {
				return addError(ctx, args[0], err)
			}
			return a.print(added, func(w io.Writer) {
				if added.Joined {
					fmt.Fprintf(w, "%s is %s in the crew %s, and reachable.\n", added.Target, added.MemberID, added.CrewName)
				} else {
					fmt.Fprintf(w, "%s was in the crew already, as %s, and is reachable.\n", added.Target, added.MemberID)
				}
			})
		},
	}
	command.Flags().StringVar(&options.Label, "label", "", "what that machine is called in the crew; its host name without it")
	command.Flags().StringArrayVar(&options.Addresses, "address", nil, "host:port under which that machine reaches this one; may be repeated")
	command.Flags().BoolVar(&replace, "replace", false, "put this version in the place of another one there")
	return command
}

// openSelf opens the program that runs, also when its file was replaced since.
func openSelf() (remote.Program, error) {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return remote.Program{}, fmt.Errorf("read this program: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return remote.Program{}, fmt.Errorf("read this program: %w", err)
	}
	return remote.Program{ReadCloser: file, Size: info.Size(), Version: Build()}, nil
}

// confirm asks a person; without one the answer is no.
func (a *app) confirm(ctx context.Context, question string) bool {
	if !toTerminal(a.stderr) || !fromTerminal(a.stdin) {
		return false
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", trust.Clean(question, maxErrorBytes))
	typed := make(chan string, 1)
	go func() { // on a signal it is left behind; the program ends then
		line, _ := bufio.NewReader(io.LimitReader(a.stdin, maxAnswerBytes)).ReadString('\n')
		typed <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-typed:
		return answer == "y" || answer == "yes"
	case <-ctx.Done():
		return false
	}
}

// maxAnswerBytes bounds the answer to a question.
const maxAnswerBytes = 64

// progress tells a person at a terminal what goes on, and nobody else.
func (a *app) progress(target string) (step func(string), copied func(bytes, of int64)) {
	if !toTerminal(a.stderr) {
		return func(string) {}, func(_, _ int64) {}
	}
	target = trust.Clean(target, maxErrorBytes)
	shown := int64(-1)
	step = func(text string) { fmt.Fprintf(a.stderr, "%s: %s\n", target, text) }
	copied = func(bytes, of int64) {
		if percent := bytes * 100 / max(of, 1); percent != shown {
			shown = percent
			fmt.Fprintf(a.stderr, "\r%s: copying, %d %% of %d MB", target, percent, of>>20)
		}
		if bytes == of {
			fmt.Fprintln(a.stderr)
		}
	}
	return step, copied
}

// addError gives what stopped an addition its exit code.
func addError(ctx context.Context, target string, err error) error {
	failed := (*remote.Failure)(nil)
	switch {
	case ctx.Err() != nil:
		return &stated{fmt.Errorf("%s: stopped on the way", trust.Clean(target, maxErrorBytes)), exitFailed, "the same command goes on from there"}
	case !errors.As(err, &failed):
		return err
	}
	code := exitFailed
	switch {
	case errors.Is(err, remote.ErrTarget):
		code = exitUsage
	case errors.Is(err, remote.ErrNotLead), errors.Is(err, remote.ErrOtherCrew), errors.Is(err, remote.ErrItself), errors.Is(err, remote.ErrRemoved):
		code = exitWrongState
	case errors.Is(err, remote.ErrForeign), errors.Is(err, remote.ErrVersion):
		code = exitRefused
	case errors.Is(err, remote.ErrUnreachable), errors.Is(err, remote.ErrSilent), errors.Is(err, remote.ErrNotReached):
		code = exitUnreachable
	case errors.Is(err, remote.ErrRefused) && failed.Exit <= exitUnreachable:
		code = max(failed.Exit, exitFailed) // what the command there ended with
	}
	return &stated{err, code, failed.Next}
}
