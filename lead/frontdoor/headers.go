package frontdoor

import "net/http"

// setHeaders sets what every answer carries. HSTS is for this host name alone,
// since the domain above it is often shared.
func setHeaders(h http.Header, secure bool) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(self), payment=(), usb=()")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}
