package member

import (
	"net/http"
	"net/url"

	"github.com/julienschmidt/httprouter"

	"collie/node"
	"collie/node/api"
	"collie/node/trust"
)

// maxDeviceBytes bounds the label of a device as the lead sends it.
const maxDeviceBytes = 256

// attributed notes for the audit log that a request came over the link, and
// from which phone the lead says that it came. The link's grade has been
// checked: only the pinned lead gets here.
func attributed(handle httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		ctx := node.WithVia(r.Context(), "crew")
		label, err := url.PathUnescape(r.Header.Get(api.DeviceHeader))
		if err != nil { // a write whose origin cannot be written down is none
			api.WriteError(w, api.ErrBadRequest.With("the name of the device cannot be read"))
			return
		}
		ctx = api.WithDevice(ctx, trust.Clean(label, maxDeviceBytes))
		handle(w, r.WithContext(ctx), params)
	}
}
