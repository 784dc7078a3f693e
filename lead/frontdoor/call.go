package frontdoor

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"collie/lead/pairing"
	"collie/node/site"
)

// LocalHeader carries the local secret.
const LocalHeader = "Collie-Local"

// standbyHealth is where a proxy asks this door and the standby door of the
// deputy which of them is to be used.
const standbyHealth = "/standby/health"

// A call is one request as the gates see it.
type call struct {
	*http.Request
	peer    netip.Addr // at the other end of the connection
	at      netip.Addr // our end
	proxied bool       // the peer is a proxy on this machine, or could be one
	secure  bool       // it came over HTTPS

	api       bool // below /api
	health    bool
	pair      bool
	read      bool // GET or HEAD
	sensitive bool // Files or Browse: a read that the device header guards
	local     bool // this machine's command line
	mode      Mode

	device *pairing.Device // set by the token gate
}

func newCall(d *Door, r *http.Request) *call {
	c := &call{Request: r, peer: site.AddressOf(r.RemoteAddr)}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		c.at = site.AddressOf(at.String())
	}
	c.proxied = c.peer.IsLoopback()
	c.secure = r.TLS != nil || strings.EqualFold(c.fromProxy("X-Forwarded-Proto"), "https")
	path := r.URL.Path
	c.api = isAPI(path)
	c.read = r.Method == http.MethodGet || r.Method == http.MethodHead
	c.health = (path == "/api/health" || path == standbyHealth) && c.read
	c.pair = path == "/api/pair" && r.Method == http.MethodPost
	c.sensitive = path == "/api/folders" || strings.HasPrefix(path, "/api/pane/") && strings.HasSuffix(path, "/files")
	c.mode = d.parts.Mode()
	c.local = d.isLocal(c)
	return c
}

// fromProxy returns the last entry of a header that a proxy on this machine
// set; from any other peer it is as absent.
func (c *call) fromProxy(name string) string {
	if !c.proxied {
		return ""
	}
	return site.Last(c.Header, name)
}

// source is the host that the request came from.
func (c *call) source() string {
	if forwarded := site.AddressOf(c.fromProxy("X-Forwarded-For")); forwarded.IsValid() {
		return site.HostOf(forwarded)
	}
	return site.HostOf(c.peer)
}

// isLocal says whether the command line of this machine may read. The own
// addresses of this machine are known by both ends being the same one.
func (d *Door) isLocal(c *call) bool {
	given, ok := site.Single(c.Header, LocalHeader)
	return ok && d.parts.LocalSecret != "" && d.local.Matches(given) &&
		c.Method == http.MethodGet && c.api && !c.sensitive && !throughProxy(c.Header) &&
		(c.peer.IsLoopback() || c.peer.IsValid() && c.peer == c.at)
}

// throughProxy says whether a proxy has touched the request.
func throughProxy(h http.Header) bool {
	for name := range h {
		switch {
		case strings.HasPrefix(name, "X-Forwarded-"), strings.HasPrefix(name, "Tailscale-"), strings.HasPrefix(name, "Cf-"):
			return true
		case name == "Forwarded", name == "Via", name == "X-Real-Ip":
			return true
		}
	}
	return false
}
