package daemon

import (
	"context"
	"errors"
	"os"

	"collie/node/config"
	"collie/node/control"
	"collie/node/pane/tmux"
)

// checkTmux asks the tmux that keeps the panes; there is no check where the panes
// are Collie's own.
func (d *daemon) checkTmux(ctx context.Context) []control.Check {
	mux, ok := d.node.Panes.(*tmux.Mux)
	if !ok {
		return nil
	}
	return []control.Check{judgeTmux(mux.Capabilities().Version, mux.Ask(ctx))}
}

// examineTmux looks at the tmux that a node would use.
func examineTmux(ctx context.Context, c *config.Config) []control.Check {
	if c.Get("COLLIE_MUX") != "tmux" {
		return nil
	}
	return []control.Check{judgeTmux(tmux.Examine(ctx, c.Get("COLLIE_TMUX_SOCKET"), os.Environ()))}
}

func judgeTmux(version string, err error) control.Check {
	const id = "tmux-server"
	switch {
	case err == nil:
		return check(id, fine, "tmux "+version+" answers", "")
	case errors.Is(err, tmux.ErrNoServer):
		return check(id, fine, "tmux "+version+" has no server yet; the first pane starts one", "")
	case errors.Is(err, tmux.ErrMissing), errors.Is(err, tmux.ErrVersion):
		return check(id, fail, err.Error(), tmuxFix)
	}
	return check(id, fail, err.Error(), "look whether tmux ls answers; a server that hangs has to be ended, and its panes with it")
}

const tmuxFix = "install tmux 3.3 or newer, or set COLLIE_MUX=builtin, and start the node again"
