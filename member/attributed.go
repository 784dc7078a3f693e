package member

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/julienschmidt/httprouter"

	"collie/mesh"
	"collie/node"
	"collie/node/api"
	"collie/node/trust"
	"collie/node/walky"
)

// maxDeviceBytes bounds the label of a device as the lead sends it.
const maxDeviceBytes = 256

// attributed notes for the audit log that a request came over the link, and
// from which phone the lead says that it came. The link's grade has been
// checked: only the pinned lead gets here.
func attributed(handle httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		ctx := node.WithVia(r.Context(), "crew")
		if label, err := url.PathUnescape(r.Header.Get(api.DeviceHeader)); err == nil {
			ctx = api.WithDevice(ctx, trust.Clean(label, maxDeviceBytes))
		}
		handle(w, r.WithContext(ctx), params)
	}
}

// notSent tells a message that never left from one whose fate is unknown.
func notSent(err error) error {
	if errors.Is(err, mesh.ErrUnreachable) {
		return fmt.Errorf("%w: %w", walky.ErrNotSent, err)
	}
	return err
}
