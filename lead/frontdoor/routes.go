package frontdoor

import (
	"context"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/lead/pairing"
	"collie/node/api"
)

// deviceKey is the context key of the device that a request came from.
type deviceKey struct{}

func deviceOf(ctx context.Context) (pairing.Device, bool) {
	device, ok := ctx.Value(deviceKey{}).(pairing.Device)
	return device, ok
}

// route fills the table and the router. Two routes for one path end the
// program here, by the router's panic.
func (d *Door) route() {
	own := []api.Route{
		{Method: http.MethodGet, Path: "/health", Handle: d.health},
		{Method: http.MethodGet, Path: "/config", Handle: d.settings},
		{Method: http.MethodPost, Path: "/pair", Handle: d.pair},
		{Method: http.MethodGet, Path: "/devices", Handle: d.devices},
		{Method: http.MethodPost, Path: "/devices/:label/revoke", Handle: d.revoke},
		{Method: http.MethodPost, Path: "/token/renew", Handle: d.renew},
	}
	d.router = &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               http.HandlerFunc(d.notFound),
		MethodNotAllowed: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			api.WriteError(w, api.ErrMethodNotAllowed)
		}),
	}
	for i := range own {
		own[i].Handle = thisMachine(own[i].Handle)
	}
	for _, route := range append(own, d.parts.Routes...) {
		route.Path = "/api" + route.Path
		d.table = append(d.table, route)
		d.router.Handle(route.Method, route.Path, route.Handle)
	}
}

// thisMachine refuses to answer for another machine what only this one can.
func thisMachine(handle httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		if host := r.URL.Query().Get("host"); host != "" {
			api.WriteError(w, api.ErrRouteNotFederated.On(host))
			return
		}
		handle(w, r, params)
	}
}

// notFound serves the app, which is read and nothing else.
func (d *Door) notFound(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == standbyHealth {
		d.standby(w)
		return
	}
	if isAPI(r.URL.Path) || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		api.WriteError(w, api.ErrNotFound)
		return
	}
	d.parts.App.ServeHTTP(w, r)
}

func (d *Door) health(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	status := http.StatusOK
	if d.parts.Mode().Unhealthy {
		status = http.StatusServiceUnavailable
	}
	api.WriteStatus(w, status, d.parts.Health())
}

// standby answers 200 where a phone is served, and 503 anywhere else.
func (d *Door) standby(w http.ResponseWriter) {
	mode, status := d.parts.Mode(), http.StatusOK
	if mode.shut() {
		status = http.StatusServiceUnavailable
	}
	api.WriteStatus(w, status, struct {
		State string `json:"state"`
	}{mode.Name})
}

func (d *Door) settings(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
	api.WriteJSON(w, d.parts.Settings())
}

// deviceInfo is a device in an answer; times are epoch milliseconds.
type deviceInfo struct {
	Label      string `json:"label"`
	CreatedAt  int64  `json:"createdAt"`
	LastSeenAt *int64 `json:"lastSeenAt"`
	ExpiresAt  *int64 `json:"expiresAt"`
	Expired    bool   `json:"expired"`
	Current    bool   `json:"current"`
}

// millis is nil for the zero time.
func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func (d *Door) devices(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	devices, err := d.parts.Devices.Devices()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	caller := api.Device(r.Context())
	list := make([]deviceInfo, len(devices))
	for i, device := range devices {
		list[i] = deviceInfo{
			Label: device.Label, CreatedAt: device.CreatedAt.UnixMilli(), LastSeenAt: millis(device.LastSeenAt),
			ExpiresAt: millis(device.ExpiresAt), Expired: device.Expired, Current: caller != "" && device.Label == caller,
		}
	}
	api.WriteJSON(w, list)
}

func (d *Door) revoke(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
	err := api.ReadBody(r, &struct{}{})
	if err == nil {
		err = d.parts.Devices.Revoke(r.Context(), p.ByName("label"))
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	api.WriteJSON(w, api.Done{OK: true})
}

// tokenAnswer holds a token, which is answered once and never again.
type tokenAnswer struct {
	Token  string        `json:"token"`
	Device *pairedDevice `json:"device,omitempty"`
}

type pairedDevice struct {
	Label     string `json:"label"`
	CreatedAt int64  `json:"createdAt"`
	ExpiresAt *int64 `json:"expiresAt"`
}

func (d *Door) renew(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	var token string
	err := api.ReadBody(r, &struct{}{})
	if err == nil {
		device, _ := deviceOf(r.Context()) // the token gate saw to it
		token, err = d.parts.Devices.Renew(r.Context(), device)
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	api.WriteJSON(w, tokenAnswer{Token: token})
}

func (d *Door) pair(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	var claim struct {
		Code  string `json:"code"`
		Label string `json:"label"`
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxPairBytes)
	if err := api.ReadBody(r, &claim); err != nil {
		d.fail(w, r, err)
		return
	}
	token, device, err := d.parts.Devices.Claim(r.Context(), newCall(d, r).source(), claim.Code, claim.Label)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	api.WriteJSON(w, tokenAnswer{Token: token, Device: &pairedDevice{
		Label: device.Label, CreatedAt: device.CreatedAt.UnixMilli(), ExpiresAt: millis(device.ExpiresAt),
	}})
}

// fail answers a refusal, and logs what is nobody's refusal.
func (d *Door) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch refused := api.AsError(err); {
	case refused == api.ErrInternal && r.Context().Err() == nil:
		d.parts.Log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	case refused.Is(pairing.ErrRateLimited):
		w.Header().Set("Retry-After", "60")
	}
	api.WriteError(w, err)
}
