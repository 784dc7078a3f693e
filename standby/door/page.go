package door

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"time"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.js
	script string
	//go:embed page.css
	style string
)

// pageTemplate escapes every value for the place that it stands in.
var pageTemplate = template.Must(template.New("standby").Parse(pageText))

// pagePolicy lets the browser run the one script and style that are on the page,
// by their hashes (CSP Level 3), and speak to this door alone.
var pagePolicy = "default-src 'none'; script-src " + pinned(script) + "; style-src " + pinned(style) +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func pinned(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page shows what is known, and one button while the door is armed.
func (d *Door) page(w http.ResponseWriter) {
	view := d.keeper.View()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	_ = pageTemplate.Execute(w, struct {
		View
		Silent string
		Style  template.CSS
		Script template.JS
	}{view, view.SilentFor.Round(time.Second).String(), template.CSS(style), template.JS(script)}) // a client that went away is nobody to tell
}
