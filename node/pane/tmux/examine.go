package tmux

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"collie/node/pane"
	"collie/node/pane/origin"
)

// Examine looks at the tmux of this machine and asks its server, as a person would
// with tmux ls. It is for a node that does not run.
func Examine(ctx context.Context, socket string, environ []string) (version string, err error) {
	s, err := newServer(ctx, socket, pane.Inherited(environ), origin.Origin{})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	command := s.command("list-sessions", "-F", "")
	var said bounded
	command.Stdout, command.Stderr, command.WaitDelay = &said, &said, closeTimeout
	if err := command.Start(); err != nil {
		return s.version.String(), fmt.Errorf("start tmux: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = command.Process.Kill()
		<-ended
		return s.version.String(), fmt.Errorf("tmux does not answer on %s: %w", s.socket, ctx.Err())
	}
	if err != nil {
		return s.version.String(), fmt.Errorf("%w: %w", ErrNoServer, refusal(firstLine(strings.TrimSpace(said.text()))))
	}
	return s.version.String(), nil
}

// Ask has the server answer by way of a control client that there is already: an
// error says that it does not, or that there is no server.
func (m *Mux) Ask(ctx context.Context) error {
	c, err := m.anyone()
	if errors.Is(err, pane.ErrAway) {
		return fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	if err != nil {
		return err
	}
	if _, err := c.ask(ctx, "show-options -gwv window-size"); err != nil {
		return fmt.Errorf("tmux does not answer on %s: %w", m.server.socket, err)
	}
	return nil
}
