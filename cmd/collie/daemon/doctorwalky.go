package daemon

import (
	"fmt"

	"collie/node/config"
	"collie/node/control"
	"collie/node/schedule"
)

// checkWalky says what of the journal was damaged at the start.
func (d *daemon) checkWalky() control.Check {
	const id = "walky-journal"
	if damage := d.node.Walky.Damaged(); len(damage) > 0 {
		return check(id, warn, fmt.Sprintf("%d lines are damaged and not believed, the first in %s", len(damage), damage[0].Where),
			"look at the disk; the file goes by itself within a week")
	}
	return check(id, fine, "every line held its sum at the start", "")
}

// checkWalkyOn says whether this machine takes messages.
func checkWalkyOn(c *config.Config) control.Check {
	const id = "walky"
	if !c.On("COLLIE_WALKY") {
		return check(id, warn, "walky is off (COLLIE_WALKY=off), so no message, schedule, wake or webhook reaches a session here", "remove COLLIE_WALKY=off and start the node again")
	}
	return check(id, fine, "messages are taken", "")
}

// checkDoors says whether webhooks and schedules can be read, and are heard.
func (d *daemon) checkDoors() control.Check {
	const id = "doors"
	channels, err := d.node.Hooks.List()
	if err != nil {
		return check(id, fail, err.Error(), "bring back, or move away, "+d.node.Folder.Path("channels.json")+", and start the node again")
	}
	if _, err := d.node.Agenda.List(schedule.Schedule); err != nil {
		return check(id, fail, err.Error(), "bring back, or move away, "+d.node.Folder.Path("schedules.json")+" and schedules.key beside it, and start the node again")
	}
	if len(channels) > 0 && d.options.Config.Get("COLLIE_HOOKS_PORT") == "" {
		return check(id, warn, fmt.Sprintf("%d channels, and no port on which they are heard", len(channels)), "set COLLIE_HOOKS_PORT and start the node again")
	}
	return check(id, fine, "webhooks and schedules can be read", "")
}
