package daemon

import (
	"context"
	"net"
	"os"
	"strconv"

	"collie/node/skill"
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

// refreshSkills brings the skill files that are there up to this program's.
func (d *daemon) refreshSkills() {
	for _, place := range skill.Places(os.Getenv) {
		if changed, err := place.Refresh(); err != nil {
			d.options.Log.Warn("a skill file could not be brought up to date", "file", place.Path, "error", err)
		} else if changed {
			d.options.Log.Info("a skill file was brought up to date", "file", place.Path)
		}
	}
}
