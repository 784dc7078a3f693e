// Package site is what the HTTP listeners of a node have in common: where one may
// be bound, how it serves and ends, and what the front door and the standby door
// ask of a request before they look at anything else in it: that its Host header is
// a name of ours, that the page that sends it is our own, and where it came from.
//
// Nothing here is a credential. The checks keep a page of somebody else, also
// one behind a name that points at this machine, from using a listener through a
// browser; what is absent grants nothing.
package site

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"collie/node/api"
)

// The refusals that both listeners give.
var (
	ErrNotPaired     = api.Refusal(http.StatusForbidden, "device_not_paired", "device not paired")
	ErrExpired       = api.Refusal(http.StatusForbidden, "device_expired", "device expired")
	ErrRateLimited   = api.Refusal(http.StatusTooManyRequests, "rate_limited", "too many tries from this address; wait a minute")
	ErrHostRefused   = api.Refusal(http.StatusForbidden, "host_refused", "this address is not one that Collie answers to; COLLIE_PUBLIC_URL names it")
	ErrOriginRefused = api.Refusal(http.StatusForbidden, "origin_refused", "that did not come from Collie's own page")
)

// ErrURL says that a public address is no web address.
var ErrURL = errors.New("it is no web address")

// A Site is the names of one listener. The zero value knows the names and
// addresses of loopback alone.
type Site struct {
	names   []string // host names that are ours besides loopback, lower case
	origins []string // of the public addresses
	any     bool
}

// New returns the site of a listener bound to a host and published under
// addresses, of which the empty ones are left out; anyHost makes every Host
// header known. An address that is none is ErrURL.
func New(host string, anyHost bool, public ...string) (*Site, error) {
	s := &Site{any: anyHost}
	if name := HostName(host); name != "" && !unspecified(name) {
		s.names = append(s.names, name)
	}
	for _, address := range public {
		if address == "" {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || HostName(u.Host) == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, ErrURL
		}
		s.names = append(s.names, HostName(u.Host))
		if origin, _ := parseOrigin(u.Scheme + "://" + u.Host); origin != "" {
			s.origins = append(s.origins, origin)
		}
	}
	return s, nil
}

func unspecified(name string) bool {
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsUnspecified()
}

// CheckHost keeps a name that an attacker points at this machine (DNS
// rebinding) from being one of ours; at is our end of the connection. The port
// does not matter for that. It refuses with ErrHostRefused.
func (s *Site) CheckHost(host string, at netip.Addr) error {
	name := HostName(host)
	if s.any || name == "localhost" || name != "" && slices.Contains(s.names, name) {
		return nil
	}
	if address, err := netip.ParseAddr(name); err == nil && (address.IsLoopback() || address == at) {
		return nil
	}
	return ErrHostRefused
}

// A Kind is what a request is to CheckOrigin.
type Kind int

// The kinds of requests.
const (
	// Write is whatever is not a read.
	Write Kind = iota
	// Read is a GET or a HEAD of something that a page fetches.
	Read
	// Page is a GET or a HEAD of what people follow links to.
	Page
)

// CheckOrigin asks that a page that calls is our own. A write needs a browser's
// word for it, Origin or Sec-Fetch-Site, and passes neither without it. A read
// may come without a word, since a token is in no cookie; but not with a bad
// one, unless somebody follows a link to a page. It refuses with
// ErrOriginRefused.
func (s *Site) CheckOrigin(r *http.Request, secure bool, kind Kind) error {
	origins, sites := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(origins) > 1 || len(sites) > 1 {
		return ErrOriginRefused
	}
	if len(origins) == 1 && !s.Same(origins[0], r.Host, secure) {
		return ErrOriginRefused
	}
	site := ""
	if len(sites) == 1 {
		site = sites[0]
	}
	switch {
	case site == "same-origin":
		return nil
	case kind != Write && (site == "" || site == "none" || kind == Page):
		return nil
	case kind == Write && site == "" && len(origins) == 1:
		return nil
	}
	return ErrOriginRefused
}

// Same compares an Origin header with the public addresses and with the Host
// header. Behind a proxy that does not say how it was reached, a page over HTTPS
// may call a listener that believes in HTTP, never the reverse.
func (s *Site) Same(text, host string, secure bool) bool {
	origin, scheme := parseOrigin(text)
	if origin == "" {
		return false
	}
	if slices.Contains(s.origins, origin) {
		return true
	}
	return origin == scheme+"://"+siteOf(host, scheme) && (scheme == "https" || !secure)
}
