// Package frontdoor is the HTTP listener that a phone talks to: the gates, the
// routes below /api, and the web app.
//
// The gates stand before the router, so no handler can forget one; they are
// one list, in gates.go, in the order in which they are asked. Every answer
// that a request gets past the parser carries the headers of headers.go,
// refusals and panics included.
//
// Invariants: only the token in the Authorization header lets a request to
// /api through, but for health and pair; what a proxy says counts only when it
// comes from loopback; what is absent never grants; no token and no query is
// logged; a stream ends when its device does, and when the door closes. On a
// member the door has health and one page, which names its lead. Health is
// answered with 503 by a lead that was deposed, also below /standby, where a
// proxy asks the deputy's door the same question.
package frontdoor

import (
	"compress/gzip"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"collie/crypto/secret"
	"collie/lead/pairing"
	"collie/node/api"
	"collie/node/site"
)

// Config is what the operator set.
type Config struct {
	Host             string // COLLIE_HOST: an address, or localhost
	Port             int    // COLLIE_PORT; 0 takes any that is free
	PublicURL        string // COLLIE_PUBLIC_URL, or ""
	AllowNonLoopback bool   // COLLIE_ALLOW_NON_LOOPBACK_BIND
	AllowAnyHost     bool   // COLLIE_ALLOW_ANY_HOST

	TrustedUser     string   // COLLIE_TRUSTED_USER: the one Tailscale login, or ""
	DeviceHeader    string   // COLLIE_DEVICE_HEADER, or ""
	DeviceAllowlist []string // COLLIE_DEVICE_ALLOWLIST

	TLSCert, TLSKey string // COLLIE_TLS_CERT, COLLIE_TLS_KEY: files, or both ""

	AccessTeam string // COLLIE_ACCESS_TEAM: the name before .cloudflareaccess.com
	AccessAUD  string // COLLIE_ACCESS_AUD
}

// Mode is what this node is now: solo, lead, member or deposed. The latter two
// have a lead, whose name the page shows. Opening is a lead that does not serve
// yet, because the devices that came with its crew are not on its list.
type Mode struct {
	Name string
	Lead string
	// Unhealthy says that no proxy is to send a phone here: this machine was the
	// lead of the crew and is no more.
	Unhealthy bool
}

// Opening is the name of that mode.
const Opening = "opening"

// shut says that there is no API here now, and on a member and a deposed lead
// never: the phone belongs elsewhere.
func (m Mode) shut() bool { return m.Name == "member" || m.Name == "deposed" || m.Name == Opening }

// Parts are what the door opens on. Devices, App, Mode, Health and Settings
// are needed.
type Parts struct {
	Devices  *pairing.Store
	Routes   []api.Route  // below /api
	App      http.Handler // everything else, for GET and HEAD
	Mode     func() Mode
	Health   func() any // GET /api/health, which anybody may read
	Settings func() any // GET /api/config

	// LocalSecret lets this machine's own command line read; "" does not.
	LocalSecret string
	// Fetch gets the keys of the Cloudflare Access team; nil asks Cloudflare.
	Fetch func(ctx context.Context, address string) ([]byte, error)
	Now   func() time.Time
	Log   *slog.Logger
}

// A Door is the front door of one node. It is safe for concurrent use.
type Door struct {
	config Config
	parts  Parts
	site   *site.Site
	local  secret.Digest
	keys   *accessKeys // nil without Cloudflare Access
	table  []api.Route
	router *httprouter.Router
	gzip   gzipWriters
}

var teamName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// New returns the front door for a configuration, or an error that wraps
// ErrConfig and says which setting is wrong.
func New(config Config, parts Parts) (*Door, error) {
	if parts.Now == nil {
		parts.Now = time.Now
	}
	if parts.Log == nil {
		parts.Log = slog.New(slog.DiscardHandler)
	}
	if parts.Fetch == nil {
		parts.Fetch = fetch
	}
	d := &Door{config: config, parts: parts, local: secret.Hash(parts.LocalSecret)}
	d.gzip.idle = make(chan *gzip.Writer, maxIdleGzip)
	switch {
	case (config.TLSCert == "") != (config.TLSKey == ""):
		return nil, fmt.Errorf("%w: COLLIE_TLS_CERT and COLLIE_TLS_KEY go together", ErrConfig)
	case (config.AccessTeam == "") != (config.AccessAUD == ""):
		return nil, fmt.Errorf("%w: COLLIE_ACCESS_TEAM and COLLIE_ACCESS_AUD go together", ErrConfig)
	case (config.DeviceHeader == "") != (len(config.DeviceAllowlist) == 0):
		return nil, fmt.Errorf("%w: COLLIE_DEVICE_HEADER and COLLIE_DEVICE_ALLOWLIST go together", ErrConfig)
	case config.AccessTeam != "" && !teamName.MatchString(config.AccessTeam):
		return nil, fmt.Errorf("%w: COLLIE_ACCESS_TEAM is the name before .cloudflareaccess.com", ErrConfig)
	}
	if config.AccessTeam != "" {
		d.keys = newAccessKeys(config.AccessTeam, config.AccessAUD, parts)
	}
	var err error
	if d.site, err = site.New(config.Host, config.AllowAnyHost, config.PublicURL); err != nil {
		return nil, fmt.Errorf("%w: COLLIE_PUBLIC_URL: %w", ErrConfig, err)
	}
	d.route()
	return d, nil
}

// Routes is the table of everything that is served below /api, whole paths, in
// httprouter's form.
func (d *Door) Routes() []api.Route { return slices.Clone(d.table) }

// Handler serves one request at a time: headers, gates, routes.
func (d *Door) Handler() http.Handler { return http.HandlerFunc(d.serve) }

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	c := newCall(d, r)
	answer := &answer{ResponseWriter: w}
	setHeaders(answer.Header(), c.secure)
	defer d.recoverPanic(answer, r)
	bound(answer, r)
	for _, gate := range gates {
		if gate.exempt(c) {
			continue
		}
		if err := gate.check(d, c); err != nil {
			d.parts.Log.Debug("a request was refused", "gate", gate.name, "method", r.Method, "path", r.URL.Path, "peer", c.peer, "code", api.AsError(err).Code)
			api.WriteError(answer, err)
			return
		}
	}
	if c.mode.shut() && !c.health {
		leadPage(answer, c)
		return
	}
	out := d.compress(answer, c)
	d.follow(out, c, d.router)
	out.finish()
}

func isAPI(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }
