package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"collie/lead/frontdoor"
	"collie/mesh/trust"
	"collie/node/audit"
	"collie/node/config"
	"collie/node/control"
)

// Examine looks at what is there of a node that does not run, and at what would
// keep it from starting. It writes nothing; absent is why nobody answered.
func Examine(ctx context.Context, c *config.Config, absent error) control.Doctor {
	dir := c.Get("COLLIE_STATE_DIR")
	checks := []control.Check{
		check("node", fail, absent.Error(), "collie up"),
		examineSettings(c),
		checkWalkyOn(c),
		checkLaunchers(c.Dir),
		examinePort(ctx, c),
	}
	checks = append(checks, examineTmux(ctx, c)...)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		checks = append(checks, check("state", fine, "nothing is stored yet", ""))
	} else {
		checks = append(checks, checkPrivate(dir, c.Dir), checkRoom(dir, mayWrite), examineCrew(dir), examineAudit(dir))
	}
	return control.Doctor{Verdict: worst(checks), Checks: checks}
}

func examineSettings(c *config.Config) control.Check {
	if unknown := unknownKeys(c); unknown != nil {
		return *unknown
	}
	return check("settings", fine, "every key is known", "")
}

// examinePort opens the front door's port for a moment.
func examinePort(ctx context.Context, c *config.Config) control.Check {
	const id = "bind"
	listener, err := frontdoor.Listen(ctx, frontdoor.Config{
		Host: c.Get("COLLIE_HOST"), Port: c.Port(), AllowNonLoopback: c.On("COLLIE_ALLOW_NON_LOOPBACK_BIND"),
	})
	if err != nil {
		return check(id, fail, err.Error(), "set COLLIE_PORT or COLLIE_HOST in "+filepath.Join(c.Dir, ".env"))
	}
	if err := listener.Close(); err != nil {
		return check(id, warn, err.Error(), "")
	}
	return check(id, fine, "port "+strconv.Itoa(c.Port())+" of the front door is free", "")
}

func examineCrew(dir string) control.Check {
	if _, err := trust.Open(filepath.Join(dir, trust.FileName), time.Now); err != nil {
		return refusedCrew(err)
	}
	return check("crew-file", fine, "the trust store is believed", "")
}

func examineAudit(dir string) control.Check {
	kept, err := audit.Verify(filepath.Join(dir, "audit.log"))
	if errors.Is(err, fs.ErrNotExist) { // nothing was ever written
		err = nil
	}
	return checkChain(kept, err)
}
