package frontdoor

import (
	"errors"
	"net/http"

	"collie/node/api"
	"collie/node/site"
)

// The refusals of the gates. What pairing and the API refuse is listed by
// their packages.
var (
	ErrHostRefused       = site.ErrHostRefused
	ErrOriginRefused     = site.ErrOriginRefused
	ErrAccessUnavailable = api.Refusal(http.StatusServiceUnavailable, "access_unavailable", "the keys of the Cloudflare Access team have not been fetched yet")
	ErrAccessRefused     = api.Refusal(http.StatusForbidden, "access_refused", "Cloudflare Access did not vouch for this request")
	ErrUserRefused       = api.Refusal(http.StatusForbidden, "user_refused", "this Tailscale login may not come in")
	ErrTokenInURL        = api.Refusal(http.StatusBadRequest, "token_in_url", "a token belongs in the Authorization header, never in the address")
	ErrDeviceRefused     = api.Refusal(http.StatusForbidden, "device_refused", "the proxy does not vouch for this device")
)

// Codes lists every refusal of this package, for the documentation.
func Codes() []*api.Error {
	return []*api.Error{
		ErrHostRefused, ErrOriginRefused, ErrAccessUnavailable, ErrAccessRefused, ErrUserRefused, ErrTokenInURL, ErrDeviceRefused,
	}
}

// What keeps a front door from opening.
var (
	ErrConfig      = errors.New("front door settings are not valid")
	ErrNotLoopback = errors.New("the front door listens on loopback alone unless COLLIE_ALLOW_NON_LOOPBACK_BIND=1")
	ErrPortInUse   = errors.New("the port is in use; COLLIE_PORT chooses another, COLLIE_INSTANCE names a further node on this machine")
)
