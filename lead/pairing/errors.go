package pairing

import (
	"net/http"

	"collie/node/api"
	"collie/node/site"
)

// The refusals of this package, besides api.ErrPairingUnavailable and
// api.ErrAuditUnavailable.
var (
	ErrNotPaired      = site.ErrNotPaired
	ErrExpired        = site.ErrExpired
	ErrCodeRefused    = api.Refusal(http.StatusForbidden, "code_refused", "the pairing code is wrong, used or too old; collie pair shows a new one")
	ErrCodeInvalid    = api.Refusal(http.StatusBadRequest, "code_invalid", "that is no pairing code; it has 8 letters and digits")
	ErrLabelInvalid   = api.Refusal(http.StatusBadRequest, "label_invalid", "that cannot be the label of a device")
	ErrLabelInUse     = api.Refusal(http.StatusConflict, "label_in_use", "another paired device has that label")
	ErrRateLimited    = site.ErrRateLimited
	ErrTooManyDevices = api.Refusal(http.StatusConflict, "too_many_devices", "as many devices are paired as can be; revoke one first")
	ErrDeviceNotFound = api.Refusal(http.StatusNotFound, "device_not_found", "no paired device has that label")
	ErrLifetime       = api.Refusal(http.StatusBadRequest, "lifetime_invalid", "a lifetime is a number of h, d or w, such as 12h, 30d or 2w, and at most 3650d")
)

// Codes lists every refusal of this package, for the documentation.
func Codes() []*api.Error {
	return []*api.Error{
		ErrNotPaired, ErrExpired, ErrCodeRefused, ErrCodeInvalid, ErrLabelInvalid, ErrLabelInUse,
		ErrRateLimited, ErrTooManyDevices, ErrDeviceNotFound, ErrLifetime,
	}
}
