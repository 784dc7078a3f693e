package daemon

import (
	"context"
	"net"
	"strconv"

	"collie/node/webhook"
)

// openHooks opens the port on which webhooks are heard: nil without a port.
func (d *daemon) openHooks(ctx context.Context) (net.Listener, error) {
	c := d.options.Config
	port, err := strconv.Atoi(c.Get("COLLIE_HOOKS_PORT"))
	if err != nil { // the setting is empty; anything else was refused with the settings
		return nil, nil
	}
	return webhook.Listen(ctx, c.Get("COLLIE_HOOKS_HOST"), port, c.On("COLLIE_ALLOW_NON_LOOPBACK_BIND"))
}
