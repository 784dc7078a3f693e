package frontdoor

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
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
	{"token", func(c *call) bool { return c.health || c.local || c.pair || c.mode.hasLead() || !c.api }, (*Door).checkToken},
	{"device", func(c *call) bool { return !c.api || c.mode.hasLead() || c.read && !c.sensitive }, (*Door).checkDevice},
}

func never(*call) bool { return false }

// checkHost keeps a name that an attacker points at this machine (DNS
// rebinding) from being one of ours. The port does not matter for that.
func (d *Door) checkHost(c *call) error {
	if d.config.AllowAnyHost {
		return nil
	}
	name := hostName(c.Host)
	if slices.Contains(d.names, name) {
		return nil
	}
	if address, err := netip.ParseAddr(name); err == nil && (address.IsLoopback() || address == c.at) {
		return nil
	}
	return ErrHostRefused
}

// checkOrigin asks that a page that calls is our own. A write needs a browser's
// word for it, Origin or Sec-Fetch-Site, and passes neither without it. A read
// may come without a word, since a token is in no cookie; but not with a bad
// one, unless somebody follows a link to the app.
func (d *Door) checkOrigin(c *call) error {
	origins, sites := c.Header.Values("Origin"), c.Header.Values("Sec-Fetch-Site")
	if len(origins) > 1 || len(sites) > 1 {
		return ErrOriginRefused
	}
	if len(origins) == 1 && !d.sameOrigin(c, origins[0]) {
		return ErrOriginRefused
	}
	site := ""
	if len(sites) == 1 {
		site = sites[0]
	}
	switch {
	case site == "same-origin":
		return nil
	case c.read && (site == "" || site == "none" || !c.api):
		return nil
	case !c.read && site == "" && len(origins) == 1:
		return nil
	}
	return ErrOriginRefused
}

// sameOrigin compares with the public address and with the Host header. Behind
// a proxy that does not say how it was reached, a page over HTTPS may call a
// door that believes in HTTP, never the reverse.
func (d *Door) sameOrigin(c *call, text string) bool {
	origin, scheme := parseOrigin(text)
	if origin == "" {
		return false
	}
	if origin == d.public {
		return true
	}
	return origin == scheme+"://"+siteOf(c.Host, scheme) && (scheme == "https" || !c.secure)
}

func (d *Door) checkAccess(c *call) error {
	if d.keys == nil {
		return nil
	}
	assertion, ok := single(c.Header, assertionHeader)
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
	login, ok := single(c.Header, "Tailscale-User-Login")
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
	value, ok := single(c.Header, "Authorization")
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
	device, ok := single(c.Header, http.CanonicalHeaderKey(d.config.DeviceHeader))
	if !ok || !c.proxied || !slices.Contains(d.config.DeviceAllowlist, device) {
		return ErrDeviceRefused
	}
	return nil
}
