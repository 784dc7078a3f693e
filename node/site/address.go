package site

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// HostName returns the name or address in a Host header, in lower case and
// without port, brackets and the dot at the end, or "" for what is none.
func HostName(host string) string {
	name, bracketed := host, strings.HasPrefix(host, "[")
	if bracketed || strings.Count(host, ":") == 1 {
		split, port, err := net.SplitHostPort(host)
		switch {
		case err == nil && digits(port):
			name = split
		case err == nil || !strings.HasSuffix(host, "]"):
			return ""
		default:
			name = host[1 : len(host)-1]
		}
	}
	address, err := netip.ParseAddr(name)
	switch {
	case bracketed && (err != nil || !address.Is6()), err == nil && address.Zone() != "":
		return ""
	case err == nil:
		return address.Unmap().String()
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if len(name) > 253 || slices.Contains(strings.Split(name, "."), "") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
		return ""
	}
	return name
}

func digits(port string) bool {
	return port != "" && len(port) <= 5 && strings.Trim(port, "0123456789") == ""
}

// parseOrigin returns an Origin header in one spelling: scheme, "://", name,
// and the port unless it is the scheme's own.
func parseOrigin(text string) (origin, scheme string) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") {
		return "", ""
	}
	site := siteOf(u.Host, u.Scheme)
	if site == "" {
		return "", ""
	}
	return u.Scheme + "://" + site, u.Scheme
}

// siteOf returns a Host header in the spelling of parseOrigin, as seen from a
// page of that scheme.
func siteOf(host, scheme string) string {
	name := HostName(host)
	if name == "" {
		return ""
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	_, port, err := net.SplitHostPort(host)
	if err != nil || (scheme == "http" && port == "80") || (scheme == "https" && port == "443") {
		return name
	}
	return name + ":" + port
}

// AddressOf returns the IP address in "address:port" or in an address alone;
// the zero one for what is neither.
func AddressOf(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap()
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap()
}

// HostOf returns what stands for one host when tries are counted: an IPv4
// address, or the /64 of an IPv6 address, which is what one subscriber has.
func HostOf(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}

// Last returns the last entry of a header that proxies append to.
func Last(h http.Header, name string) string {
	values := h.Values(name)
	if len(values) == 0 {
		return ""
	}
	entries := values[len(values)-1]
	return strings.TrimSpace(entries[strings.LastIndexByte(entries, ',')+1:])
}

// Single returns the value of a header that came exactly once.
func Single(h http.Header, name string) (string, bool) {
	values := h.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}
