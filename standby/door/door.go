// Package door is the standby door: the one way to a crew whose lead is gone. It
// is a plain HTTP listener of its own on the deputy, with a page that says what
// is known, and one button on it while the door is armed.
//
// It decides nothing. Whether it is armed, whose token counts and what a tap
// brings about is its Keeper's; the door is the gates before that, the page, and
// three routes. Everything else is a bare 404.
//
// Invariants: Host and Origin are judged as on the front door (node/site), before
// anything else; a closed door says so before it looks at a token, so that nobody
// can try tokens on it; a token counts in the Authorization header alone; nothing
// is stored by a cache, no address is sent on, nothing on the page comes from
// elsewhere, and its one script is pinned by its hash. Nobody is named to who has
// shown no token but the machine itself and its lead, as on any member's page.
package door

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"collie/node/api"
	"collie/node/site"
)

// ErrConfig is wrapped by a refusal to open on settings that are not valid.
var ErrConfig = errors.New("standby door settings are not valid")

// ErrCold is the refusal of a door that is closed; its detail says why it is.
var ErrCold = api.Refusal(http.StatusConflict, "standby_cold", "this door is closed, because there is no need for it now")

// A View is what there is to know about the door at a moment.
type View struct {
	// Armed says that a tap with a paired token may make this machine the lead,
	// or that one is doing so right now.
	Armed bool
	// SilentFor is how long the lead has been silent; it is of an armed door.
	SilentFor time.Duration
	// Reason says why the door is not armed, in a sentence.
	Reason string
	// Machine and Lead are what this machine and the lead are called.
	Machine, Lead string
	// Witnesses is how many other members could say whether the lead is silent.
	Witnesses int
	// URL is where this machine leads, once it does; it leads by this door.
	URL string
}

// A Keeper is who the door belongs to.
type Keeper interface {
	// View is what the door shows. It is quick.
	View() View
	// Authenticate returns the label of the paired device that holds a token. It
	// refuses with site.ErrNotPaired and site.ErrExpired.
	Authenticate(token string) (device string, err error)
	// TakeOver makes this machine the lead and returns where it serves; see
	// Takeover in package standby. alone goes on without a witness.
	TakeOver(ctx context.Context, device string, alone bool) (url string, err error)
}

// Config is what the operator set.
type Config struct {
	Host             string // COLLIE_STANDBY_HOST: an address, or localhost
	Port             int    // COLLIE_STANDBY_PORT
	AllowNonLoopback bool   // COLLIE_ALLOW_NON_LOOPBACK_BIND
	AllowAnyHost     bool   // COLLIE_ALLOW_ANY_HOST
	// Public returns the addresses under which the operator publishes the door;
	// they may change while it is open, when the lead says another one.
	Public func() []string
	Build  string
	Now    func() time.Time
	Log    *slog.Logger
}

// A Door is one standby door. It is safe for concurrent use.
type Door struct {
	config Config
	keeper Keeper
	tries  site.Tries
}

// New returns a door. Everything in config is needed but Public.
func New(config Config, keeper Keeper) (*Door, error) {
	if config.Now == nil || config.Log == nil || config.Build == "" || keeper == nil {
		return nil, fmt.Errorf("%w: a door needs a clock, a log, a build and a keeper", ErrConfig)
	}
	if config.Public == nil {
		config.Public = func() []string { return nil }
	}
	return &Door{config: config, keeper: keeper}, nil
}

// Listen opens the door's port; see site.Listen.
func Listen(ctx context.Context, config Config) (net.Listener, error) {
	listener, err := site.Listen(ctx, config.Host, config.Port, config.AllowNonLoopback)
	if err != nil {
		return nil, fmt.Errorf("the standby door does not open, COLLIE_STANDBY_HOST and COLLIE_STANDBY_PORT say where: %w", err)
	}
	return listener, nil
}

// Serve answers on a listener until ctx ends, and closes it.
func (d *Door) Serve(ctx context.Context, listener net.Listener) error {
	places := site.NewPlaces(listener, maxConnections)
	server := &http.Server{
		Handler:                      d,
		DisableGeneralOptionsHandler: true,
		MaxHeaderBytes:               maxHeaderBytes,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ConnState:                    places.State,
		ErrorLog:                     slog.NewLogLogger(d.config.Log.Handler(), slog.LevelDebug),
	}
	if err := site.Serve(ctx, server, places, stopTimeout); err != nil {
		return fmt.Errorf("standby door: %w", err)
	}
	return nil
}

// ServeHTTP is the one way in: headers, gates, routes.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Collie-Version", d.config.Build)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	secure := r.TLS != nil || peerOf(r).IsLoopback() && strings.EqualFold(site.Last(r.Header, "X-Forwarded-Proto"), "https")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	ours, err := site.New(d.config.Host, d.config.AllowAnyHost, d.config.Public()...)
	if err == nil {
		err = ours.CheckHost(r.Host, atOf(r))
	}
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case read && r.URL.Path == "/standby/health":
		d.health(w)
	case read && r.URL.Path == "/standby":
		if err := ours.CheckOrigin(r, secure, site.Page); err != nil {
			d.refuse(w, r, err)
			return
		}
		d.page(w)
	case r.Method == http.MethodPost && r.URL.Path == "/standby/takeover":
		if err := ours.CheckOrigin(r, secure, site.Write); err != nil {
			d.refuse(w, r, err)
			return
		}
		d.takeOver(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// health says whether there is a need for the door, to whoever asks.
func (d *Door) health(w http.ResponseWriter) {
	type cold struct {
		State string `json:"state"`
	}
	type armed struct {
		State       string `json:"state"`
		SilentForMs int64  `json:"silentForMs"`
	}
	if view := d.keeper.View(); view.Armed {
		api.WriteJSON(w, armed{"armed", view.SilentFor.Milliseconds()})
		return
	}
	api.WriteStatus(w, http.StatusServiceUnavailable, cold{"cold"})
}

// A tap is the body of a takeover.
type tap struct {
	// Alone goes on though no other member could be asked.
	Alone bool `json:"alone"`
}

// A moved is the answer to a tap: where the lead serves now.
type moved struct {
	URL string `json:"url"`
}

// takeOver carries out a tap. Whether the door is open is asked before the token
// is looked at, and again by the keeper.
func (d *Door) takeOver(w http.ResponseWriter, r *http.Request) {
	view := d.keeper.View()
	if !view.Armed && view.URL == "" {
		d.refuse(w, r, ErrCold.With(view.Reason))
		return
	}
	if !d.tries.Allow(sourceOf(r), d.config.Now()) {
		w.Header().Set("Retry-After", "60")
		d.refuse(w, r, site.ErrRateLimited)
		return
	}
	device, err := d.keeper.Authenticate(bearer(r))
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	var wish tap
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	if err := api.ReadBody(r, &wish); err != nil {
		d.refuse(w, r, err)
		return
	}
	// A phone that loses its way to the door does not stop what it began.
	url, err := d.keeper.TakeOver(context.WithoutCancel(r.Context()), device, wish.Alone)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	api.WriteJSON(w, moved{url})
}

// refuse answers a refusal, and logs what is nobody's refusal.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	refused := api.AsError(err)
	if refused == api.ErrInternal {
		d.config.Log.Error("a request at the standby door failed", "path", r.URL.Path, "error", err)
	}
	d.config.Log.Debug("the standby door refused a request", "method", r.Method, "path", r.URL.Path, "code", refused.Code)
	api.WriteError(w, refused)
}

// bearer returns the token of a request, or one that is nobody's.
func bearer(r *http.Request) string {
	value, ok := site.Single(r.Header, "Authorization")
	scheme, token, found := strings.Cut(value, " ")
	if !ok || !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// peerOf is the address at the other end, atOf that at ours.
func peerOf(r *http.Request) netip.Addr { return site.AddressOf(r.RemoteAddr) }

func atOf(r *http.Request) netip.Addr {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return site.AddressOf(at.String())
	}
	return netip.Addr{}
}

// sourceOf is the host that a request came from; what a proxy says counts
// when it is on this machine.
func sourceOf(r *http.Request) string {
	peer := peerOf(r)
	if forwarded := site.AddressOf(site.Last(r.Header, "X-Forwarded-For")); peer.IsLoopback() && forwarded.IsValid() {
		return site.HostOf(forwarded)
	}
	return site.HostOf(peer)
}
