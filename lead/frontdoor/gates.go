package frontdoor

import (
	"net/http"
	"slices"
	"strings"

	"collie/node/site"
)

// A gate lets a call through or says why not.
type gate struct {
	name   string
	exempt func(*call) bool
	check  func(*Door, *call) error
}

// gates are asked in this order, before the router. Health skips all but the
// first; pairing skips the token alone; the command line of this machine, which
// no proxy vouches for, skips those that ask who it is.
var gates = [...]gate{
	{"host", never, (*Door).checkHost},
	{"origin", func(c *call) bool { return c.health }, (*Door).checkOrigin},
	{"access", func(c *call) bool { return c.health || c.local }, (*Door).checkAccess},
	{"user", func(c *call) bool { return c.health || c.local }, (*Door).checkUser},
	{"token", func(c *call) bool { return c.health || c.local || c.pair || c.mode.shut() || !c.api }, (*Door).checkToken},
	{"device", func(c *call) bool { return !c.api || c.mode.shut() || c.read && !c.sensitive }, (*Door).checkDevice},
}

func never(*call) bool { return false }

func (d *Door) checkHost(c *call) error { return d.site.CheckHost(c.Host, c.at) }

func (d *Door) checkOrigin(c *call) error {
	kind := site.Write
	switch {
	case c.read && c.api:
		kind = site.Read
	case c.read:
		kind = site.Page
	}
	return d.site.CheckOrigin(c.Request, c.secure, kind)
}

func (d *Door) checkAccess(c *call) error {
	if d.keys == nil {
		return nil
	}
	assertion, ok := site.Single(c.Header, assertionHeader)
	if !ok {
		assertion = ""
	}
	return d.keys.verify(assertion)
}

// checkUser compares the login that tailscale serve vouches for.
func (d *Door) checkUser(c *call) error {
	if d.config.TrustedUser == "" {
		return nil
	}
	login, ok := site.Single(c.Header, "Tailscale-User-Login")
	if !ok || !c.proxied || !strings.EqualFold(login, d.config.TrustedUser) {
		return ErrUserRefused
	}
	return nil
}

// checkToken asks for the token of a paired device, in the header alone: an
// address ends up in logs and histories.
func (d *Door) checkToken(c *call) error {
	if c.URL.Query().Has("token") {
		return ErrTokenInURL
	}
	value, ok := site.Single(c.Header, "Authorization")
	scheme, token, found := strings.Cut(value, " ")
	if !ok || !found || !strings.EqualFold(scheme, "Bearer") {
		token = "" // nobody's
	}
	device, err := d.parts.Devices.Authenticate(token)
	if err != nil {
		return err
	}
	c.device = &device
	return nil
}

// checkDevice compares the device that a proxy vouches for.
func (d *Door) checkDevice(c *call) error {
	if d.config.DeviceHeader == "" {
		return nil
	}
	device, ok := site.Single(c.Header, http.CanonicalHeaderKey(d.config.DeviceHeader))
	if !ok || !c.proxied || !slices.Contains(d.config.DeviceAllowlist, device) {
		return ErrDeviceRefused
	}
	return nil
}
