package daemon

import (
	"context"
	"path/filepath"
	"time"

	"collie/node/api"
	"collie/node/control"
	"collie/node/launch"
)

// addedLaunchersName is the file of the rows that phones added.
const addedLaunchersName = "launchers-phone.json"

// launcherRoutes let a phone change its launchers, which belong to its pairing.
func (d *daemon) launcherRoutes() []api.Route {
	return d.lead.KeepLaunchers(d.node.Folder.Path(addedLaunchersName), func(label string) (since time.Time, paired bool, err error) {
		devices, err := d.devices.Devices()
		if err != nil {
			return time.Time{}, false, err
		}
		for _, device := range devices {
			if device.Label == label {
				return device.CreatedAt, true, nil
			}
		}
		return time.Time{}, false, nil
	})
}

// devicesChanged hears that a device was paired, revoked or changed.
func (d *daemon) devicesChanged() {
	d.standby.Wake()
	d.launchers.Signal()
}

// keepLaunchers drops the launchers of devices that are revoked, until ctx ends.
func (d *daemon) keepLaunchers(ctx context.Context) {
	changed, stop := d.launchers.Watch()
	defer stop()
	for {
		d.lead.PruneLaunchers()
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// checkLaunchers reads the operator's file of what a phone may start.
func checkLaunchers(dir string) control.Check {
	path := filepath.Join(dir, launch.TableName)
	if _, err := launch.Load(path); err != nil {
		return check("launchers", fail, "no phone can start anything: "+err.Error(), "mend "+path+"; it is read anew each time")
	}
	return check("launchers", fine, "what a phone may start can be read", "")
}
