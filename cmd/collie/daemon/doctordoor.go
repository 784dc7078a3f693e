package daemon

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"collie/lead/frontdoor"
	"collie/node/api"
	"collie/node/config"
	"collie/node/control"
)

const startAgain = "stop the node and start it again: collie up"

// checkSettings compares what is set now with what the node runs with.
func (d *daemon) checkSettings() control.Check {
	const id = "settings"
	file := filepath.Join(d.options.Config.Dir, ".env")
	now, err := config.Load(d.options.Environ)
	if err != nil {
		return check(id, fail, "a node could not start with them: "+err.Error(), "mend "+file)
	}
	if unknown := unknownKeys(now); unknown != nil {
		return *unknown
	}
	var waiting []string
	for _, value := range now.Values() {
		if value.Shadowed {
			return check(id, warn, value.Name+" in .env is not in force, because the environment has another value", "unset "+value.Name)
		}
		if value.Text != d.options.Config.Get(value.Name) {
			waiting = append(waiting, value.Name)
		}
	}
	if len(waiting) > 0 {
		return check(id, warn, "changed since the node started, and not in force: "+strings.Join(waiting, ", "), startAgain)
	}
	return check(id, fine, "every key is known and in force", "")
}

func unknownKeys(c *config.Config) *control.Check {
	unknown := c.Unknown()
	if len(unknown) == 0 {
		return nil
	}
	warning := check("settings", warn, "unknown keys in .env: "+strings.Join(unknown, ", "), "collie config lists every key that there is")
	return &warning
}

// checkBind compares the real listener with the setting.
func (d *daemon) checkBind() control.Check {
	const id = "bind"
	c := d.options.Config
	bound, err := netip.ParseAddrPort(d.listener.Addr().String())
	if err != nil {
		return check(id, fail, "the front door listens on "+d.listener.Addr().String()+", which is no address", startAgain)
	}
	where := "the front door listens on " + bound.String()
	switch {
	case c.Port() != 0 && c.Port() != int(bound.Port()):
		return check(id, fail, where+" and COLLIE_PORT is "+strconv.Itoa(c.Port()), startAgain)
	case bound.Addr().Unmap().IsLoopback():
		return check(id, fine, where+", for this machine alone", "")
	case !c.On("COLLIE_ALLOW_NON_LOOPBACK_BIND"):
		return check(id, fail, where+" and COLLIE_ALLOW_NON_LOOPBACK_BIND is not set", "set COLLIE_HOST=127.0.0.1 and start the node again")
	case c.Get("COLLIE_PUBLIC_URL") == "":
		return check(id, warn, where+" and no COLLIE_PUBLIC_URL is set, so a phone's Host header may be refused", "set COLLIE_PUBLIC_URL in "+filepath.Join(c.Dir, ".env"))
	}
	return check(id, fine, where+", as COLLIE_ALLOW_NON_LOOPBACK_BIND asks", "")
}

// checkFrontDoor reads through the front door as this machine's own programs
// may, past any login that is asked of a phone.
func (d *daemon) checkFrontDoor(ctx context.Context) control.Check {
	const id = "front-door"
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	path := "/api/config"
	if d.mode().Name == "member" {
		path = "/api/health" // all that there is
	}
	address, scheme := d.ownDoor()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+address+path, nil)
	if err != nil {
		return check(id, fail, err.Error(), startAgain)
	}
	request.Header.Set(frontdoor.LocalHeader, d.local)
	transport := &http.Transport{
		DisableKeepAlives: true,
		// The socket is this process's own, and a certificate for the phone's
		// name does not have its address.
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true},
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return check(id, fail, "nothing answers on "+address+": "+err.Error(), startAgain)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return check(id, fine, "answers on "+address, "")
	}
	if d.mode().Unhealthy && response.StatusCode == http.StatusServiceUnavailable {
		return check(id, fine, "says on "+address+" who leads now", "")
	}
	refused := api.Error{Message: response.Status}
	if data, err := io.ReadAll(io.LimitReader(response.Body, api.MaxAnswerBytes)); err == nil {
		_ = json.Unmarshal(data, &refused) // the status stays when it is none
	}
	return check(id, warn, "runs on "+address+", and refuses this machine's own read: "+refused.Message, "see docs/errors.md, "+refused.Code)
}

// ownDoor is where this process reaches its own listener.
func (d *daemon) ownDoor() (address, scheme string) {
	scheme = "http"
	if d.options.Config.Get("COLLIE_TLS_CERT") != "" {
		scheme = "https"
	}
	bound := d.listener.Addr().String()
	if at, err := netip.ParseAddrPort(bound); err == nil && at.Addr().IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port()))), scheme
	}
	return bound, scheme
}
