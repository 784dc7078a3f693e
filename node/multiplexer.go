package node

import (
	"context"

	"collie/node/control"
	"collie/node/pane"
	"collie/node/pane/tmux"
)

// openPanes opens the multiplexer that COLLIE_MUX names.
func (n *Node) openPanes(ctx context.Context, o Options) error {
	socket := n.Folder.Path(control.SocketName)
	if o.Config.Get("COLLIE_MUX") == "tmux" {
		mux, err := tmux.Open(ctx, tmux.Config{
			Socket: o.Config.Get("COLLIE_TMUX_SOCKET"), ControlSocket: socket, Environ: o.Environ, Origin: o.Origin, Log: o.Log,
		})
		if err == nil { // a nil *Mux would be a multiplexer
			n.Panes = mux
		}
		return err
	}
	builtin, err := pane.OpenBuiltin(ctx, pane.BuiltinConfig{
		Folder: n.Folder, Executable: o.Holder, Socket: socket,
		Environ: o.Environ, Origin: o.Origin, Rand: o.Rand, Log: o.Log,
	})
	if err == nil {
		n.Panes = builtin
	}
	return err
}
