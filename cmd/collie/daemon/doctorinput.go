package daemon

import (
	"os"
	"strings"

	"collie/node/control"
)

// tiocstiSwitch is the kernel's switch for TIOCSTI (tty_ioctl(4)), 6.2 and newer;
// before that it was always on.
const tiocstiSwitch = "/proc/sys/dev/tty/legacy_tiocsti"

// checkInput says who can type into panes past Collie.
func (d *daemon) checkInput() []control.Check {
	said, err := os.ReadFile(tiocstiSwitch)
	checks := []control.Check{judgeTIOCSTI(strings.TrimSpace(string(said)), err, os.Geteuid() == 0)}
	if d.options.Config.Get("COLLIE_MUX") == "tmux" {
		checks = append(checks, check("tmux", warn, "in tmux every agent can type into every pane, past Collie and its audit log, so nobody is the operator there",
			"keep agents in builtin panes (COLLIE_MUX=builtin), or give tmux an account of its own"))
	}
	return checks
}

// judgeTIOCSTI judges what the switch says. Without root's rights a program
// reaches its own terminal alone: there its characters are read by the shell that
// it was started from, once it has ended.
func judgeTIOCSTI(said string, err error, root bool) control.Check {
	const id = "terminal-input"
	if err == nil && said == "0" {
		return check(id, fine, "no program pushes characters into a terminal", "")
	}
	reach := "its own terminal, where the shell takes them for yours once it has ended"
	if root {
		reach = "every pane, because it runs as root like this node"
	}
	mend := "sudo sysctl -w dev.tty.legacy_tiocsti=0"
	if err != nil {
		mend = "a Linux of 6.2 or newer has a switch for it"
	}
	if root {
		mend += "; run Collie as a user that is not root"
	}
	return check(id, warn, "an agent can push characters into "+reach, mend)
}
