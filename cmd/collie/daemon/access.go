package daemon

import (
	"context"
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"

	"collie/lead/pairing"
	"collie/mesh/trust"
	"collie/node"
	"collie/node/api"
	"collie/node/control"
)

// phoneRoutes are what a phone may ask besides the front door's own routes.
// Handlers and lead mask what they answer.
func (d *daemon) phoneRoutes() []api.Route {
	handlers := d.node.Handlers(func(r *http.Request) (api.Machine, error) {
		return d.lead.Machine(r.URL.Query().Get("host"))
	}, phoneBeat)
	handlers.Here = d.lead.Here
	return viaPhone(slices.Concat(handlers.Routes(), d.launcherRoutes(), d.lead.LoadRoutes()))
}

// viaPhone notes for the audit log that a request came from a phone.
func viaPhone(routes []api.Route) []api.Route {
	for i, route := range routes {
		routes[i].Handle = func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			route.Handle(w, r.WithContext(node.WithVia(r.Context(), "phone")), params)
		}
	}
	return routes
}

// routes are what this node answers on the control socket besides its panes and
// messages.
func (d *daemon) routes() []control.Route {
	return append([]control.Route{
		{Method: http.MethodGet, Path: "/status", Anyone: true, Handle: func(context.Context, *control.Call) (any, error) { return d.status(), nil }},
		{Method: http.MethodGet, Path: "/doctor", Anyone: true, Handle: d.doctor},
		{Method: http.MethodPost, Path: "/pair", Handle: d.pair},
		{Method: http.MethodGet, Path: "/devices", Handle: d.deviceList},
		{Method: http.MethodPost, Path: "/devices/:label/revoke", Handle: d.deviceChange(func(ctx context.Context, label string, _ control.PairRequest) error {
			return d.devices.Revoke(ctx, label)
		})},
		{Method: http.MethodPost, Path: "/devices/:label/set-expiry", Handle: d.deviceChange(func(ctx context.Context, label string, request control.PairRequest) error {
			lifetime, err := pairing.ParseLifetime(request.Lifetime)
			if err != nil {
				return err
			}
			return d.devices.SetExpiry(ctx, label, lifetime)
		})},
		{Method: http.MethodPost, Path: "/devices/:label/clear-expiry", Handle: d.deviceChange(func(ctx context.Context, label string, _ control.PairRequest) error {
			return d.devices.ClearExpiry(ctx, label)
		})},
	}, slices.Concat(d.crewRoutes(), d.successionRoutes())...)
}

func (d *daemon) pair(_ context.Context, call *control.Call) (any, error) {
	var request control.PairRequest
	if err := call.Body(&request); err != nil {
		return nil, err
	}
	if crew := d.crew(); crew != nil && crew.Role != trust.RoleLead {
		return nil, api.ErrWrongRole.With("phones pair with the lead, " + crew.Lead.Label)
	}
	code := pairing.Code{}
	lifetime, err := pairing.ParseLifetime(request.Lifetime)
	if request.Lifetime == "" {
		lifetime, err = 0, nil
	}
	if err == nil {
		code, err = d.devices.NewCode(lifetime, "cli: "+call.Caller.Why)
	}
	if err != nil {
		return nil, err
	}
	return d.codeDocument(code), nil
}

func (d *daemon) codeDocument(code pairing.Code) control.PairCode {
	return control.PairCode{Code: code.Code, URL: d.publicURL, ExpiresAt: control.Time(code.ExpiresAt)}
}

func (d *daemon) deviceList(context.Context, *control.Call) (any, error) {
	devices, err := d.devices.Devices()
	if err != nil {
		return nil, err
	}
	rows := []control.Device{}
	for _, device := range devices {
		rows = append(rows, control.Device{
			Label: device.Label, CreatedAt: control.Time(device.CreatedAt), LastSeenAt: control.Time(device.LastSeenAt),
			ExpiresAt: control.Time(device.ExpiresAt), Expired: device.Expired,
		})
	}
	return rows, nil
}

func (d *daemon) deviceChange(change func(context.Context, string, control.PairRequest) error) func(context.Context, *control.Call) (any, error) {
	return func(ctx context.Context, call *control.Call) (any, error) {
		var request control.PairRequest
		if err := call.Body(&request); err != nil {
			return nil, err
		}
		err := change(ctx, call.Param("label"), request)
		return control.OK{OK: err == nil, Pending: d.unheard(ctx)}, err
	}
}
