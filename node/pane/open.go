package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"collie/node/grid"
	"collie/node/pane/holder"
)

var harnessForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// New opens a pane and returns once its program runs.
func (b *Builtin) New(ctx context.Context, spec Spec) (Info, error) {
	spec, err := Complete(spec, b.config.Environ)
	if err != nil {
		return Info{}, err
	}
	release, err := b.reserve(ctx)
	if err != nil {
		return Info{}, err
	}
	defer release()
	id, err := b.drawID()
	if err != nil {
		return Info{}, err
	}
	err = holder.Start(ctx, b.config.Executable, Inherited(b.config.Environ), holder.Spec{
		ID: string(id), Dir: b.dir, Label: spec.Label, Workspace: b.workspaceLabel(spec.Cwd), Harness: spec.Harness,
		OpenedByOperator: spec.OpenedByOperator, Command: spec.Command,
		Env: environment(b.config.Environ, id, b.config.Socket, spec.Cwd, spec.Env),
		Cwd: spec.Cwd, Cols: spec.Cols, Rows: spec.Rows,
		Scrollback: b.config.Scrollback, ExitKept: holder.MaxExitKept, Origin: b.config.Origin,
	})
	if err != nil && !errors.Is(err, ErrOutcomeUnknown) {
		return Info{}, fmt.Errorf("open a pane: %w", err)
	}
	var conn *holder.Conn
	var until time.Time // a holder that reported has its socket; any other may yet come
	if err != nil {
		until = time.Now().Add(slowStart)
	}
	if err == nil {
		if conn, err = b.dial(ctx, id, time.Time{}); errors.Is(err, ErrNotFound) {
			return Info{}, fmt.Errorf("open a pane: its holder ended at once: %w", err)
		}
	}
	// Also a pane of which nobody knows whether it is there: if it is, it is listed.
	if !b.follow(id, conn, until) {
		err = errors.Join(ErrDetached, err)
	}
	switch {
	case errors.Is(err, ErrOutcomeUnknown):
		return Info{}, fmt.Errorf("open pane %s: %w", id, err)
	case err != nil:
		return Info{}, fmt.Errorf("open pane %s: %w: %w", id, ErrOutcomeUnknown, err)
	}
	return b.Get(id)
}

// Complete checks a spec and fills in what it leaves out, for a node with this
// environment.
func Complete(spec Spec, environ []string) (Spec, error) {
	spec.Cols, spec.Rows = cmp.Or(spec.Cols, defaultCols), cmp.Or(spec.Rows, defaultRows)
	if spec.Cols < 1 || spec.Cols > grid.MaxCols || spec.Rows < 1 || spec.Rows > grid.MaxRows {
		return spec, fmt.Errorf("%w: %d by %d", ErrSize, spec.Cols, spec.Rows)
	}
	if err := holder.CheckLabel(spec.Label); err != nil {
		return spec, err
	}
	if spec.Harness != "" && !harnessForm.MatchString(spec.Harness) {
		return spec, fmt.Errorf("%q: %w", bounded(spec.Harness), ErrHarness)
	}
	if err := checkVariables(spec.Env); err != nil {
		return spec, err
	}
	if len(spec.Command) == 0 {
		spec.Command = []string{shell(environ)}
	}
	if err := checkCommand(spec.Command); err != nil {
		return spec, err
	}
	if spec.Cwd == "" {
		spec.Cwd = cmp.Or(variable(environ, "HOME"), "/")
	}
	if !filepath.IsAbs(spec.Cwd) {
		return spec, fmt.Errorf("%w: %q is not absolute", ErrCwd, spec.Cwd)
	}
	spec.Cwd = filepath.Clean(spec.Cwd)
	info, err := os.Stat(spec.Cwd)
	if err != nil {
		return spec, fmt.Errorf("%w: %w", ErrCwd, err)
	}
	if !info.IsDir() {
		return spec, fmt.Errorf("%w: %q is not a folder", ErrCwd, spec.Cwd)
	}
	return spec, nil
}

func checkCommand(command []string) error {
	size := 0
	for _, argument := range command {
		size += len(argument)
		if strings.ContainsRune(argument, 0) {
			return fmt.Errorf("%w: an argument holds a zero byte", ErrCommand)
		}
	}
	switch {
	case command[0] == "":
		return fmt.Errorf("%w: it has no name", ErrCommand)
	case len(command) > maxArguments || size > maxArgumentBytes:
		return fmt.Errorf("%w: more than %d arguments or %d bytes", ErrCommand, maxArguments, maxArgumentBytes)
	}
	return nil
}

// drawID returns an id that no pane has, attached or not.
func (b *Builtin) drawID() (ID, error) {
	for range maxDraws {
		id, err := newID(b.config.Rand)
		if err != nil {
			return "", err
		}
		_, err = os.Lstat(filepath.Join(b.dir, holder.SocketName(string(id))))
		if errors.Is(err, fs.ErrNotExist) {
			return id, nil
		}
	}
	return "", errors.New("draw a pane id: every one that was drawn is taken")
}
