package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"collie/node/api"
	"collie/node/grid"
	"collie/node/mask"
)

// planted is a made-up secret, in parts so that this file holds none.
var planted = "ghp" + "_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

// plant puts the secret into every text of a value. Frames are left out: a mirror
// masks them before they get here.
func plant(v reflect.Value, depth int) {
	switch {
	case depth > 12 || v.Type() == reflect.TypeFor[grid.Frame](): // a tree holds others of its kind
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(fmt.Sprintf("[%q]", planted)))
	case v.Type() == reflect.TypeFor[grid.Row]():
		v.Set(reflect.ValueOf(row(planted)))
	case v.Kind() == reflect.String:
		v.SetString(planted)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(planted))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), depth+1)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), depth+1)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				plant(v.Field(i), depth+1)
			}
		}
	}
}

// plantedMachine answers everything with the secret, whatever its fields are. Of
// an event one part is set.
func plantedMachine() *machine {
	m := &machine{}
	fields := reflect.ValueOf(m).Elem()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; name == "err" || name == "mu" || name == "calls" || name == "events" {
			continue
		}
		f := fields.Field(i)
		plant(reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), 0)
	}
	for i := range reflect.TypeFor[api.Event]().NumField() {
		var e api.Event
		plant(reflect.ValueOf(&e).Elem().Field(i), 0)
		m.events = append(m.events, e)
	}
	return m
}

// showsNothing are the routes whose answer holds no text of a machine, or none
// that a mask reads.
var showsNothing = map[string]string{
	"/pane/:id":      "a mirror masks it",
	"/pane/:id/live": "a mirror masks it",
	"/blobs/:hash":   "a picture",
	"/load":          "numbers",
}

// Every registered route is asked, so that one that comes is held by this test
// without a line here.
func TestNoRouteAnswersASecret(t *testing.T) {
	t.Parallel()
	refusals := map[string]error{
		"":        nil,
		"refuses": api.ErrBadRequest.With("no such thing: " + planted),
		"fails":   errors.New("open " + planted),
	}
	for name, err := range refusals {
		m := plantedMachine()
		m.err = err
		h := handlers(m, false)
		h.Mask = mask.New()
		for _, route := range h.Routes() {
			path := strings.NewReplacer(":id", "p1", ":hash", pngHash).Replace(route.Path)
			request := httptest.NewRequest(route.Method, "/crew/v1"+path, strings.NewReader("{}"))
			w := httptest.NewRecorder()
			router(h).ServeHTTP(w, request)
			body := w.Body.String()
			if strings.Contains(body, planted[8:]) {
				t.Errorf("%s %s %s: %.300s", route.Method, route.Path, name, body)
			}
			if err == nil && route.Method == http.MethodGet && (w.Code != http.StatusOK || !strings.Contains(body, "ghp_••••")) && showsNothing[route.Path] == "" {
				t.Errorf("%s %s shows nothing: %d %.300s", route.Method, route.Path, w.Code, body)
			}
			if name == "refuses" && route.Method == http.MethodGet && !strings.Contains(body, "no such thing: ghp_••••") {
				t.Errorf("%s %s does not say why: %.300s", route.Method, route.Path, body)
			}
		}
	}
}
