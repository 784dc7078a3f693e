package frontdoor

import (
	"html/template"
	"net/http"

	"collie/node/api"
)

// leadPage is all that a shut door has besides health: it says where to go.
func leadPage(w http.ResponseWriter, c *call) {
	switch {
	case c.URL.Path != "/":
		api.WriteError(w, api.ErrNotFound)
		return
	case !c.read:
		w.Header().Set("Allow", "GET, HEAD")
		api.WriteError(w, api.ErrMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
	_ = leadTemplate.Execute(w, c.mode) // a client that went away is nobody to tell
}

var leadTemplate = template.Must(template.New("lead").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Collie</title>
{{if eq .Name "opening"}}<h1>This machine is about to lead</h1>
<p>Load this page again in a moment.</p>
{{else}}{{if or .Unhealthy (eq .Name "deposed")}}<h1>This machine leads no more</h1>
{{else}}<h1>This machine is a member of a crew</h1>
{{end}}<p>Its lead is {{if .Lead}}<strong>{{.Lead}}</strong>{{else}}another machine{{end}}. Open Collie there.</p>
{{end}}</html>
`))
