package integration_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"collie/integration/harness"
	"collie/node/api"
	"collie/node/link"
)

func TestNoCrewRouteExistsOnTheFrontDoor(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "solo").Start()
	phone := m.Pair("pixel")
	for _, route := range (&api.Handlers{}).Routes() {
		path := link.Prefix + strings.ReplaceAll(route.Path, ":id", "p1")
		if status, data := phone.Do(route.Method, path, nil); status != http.StatusNotFound {
			t.Errorf("%s %s on the front door is answered %d %s", route.Method, path, status, data)
		}
	}
	for _, path := range []string{"/walky/deliver", "/walky/result", "/walky/send", "/walky/who", "/walky/recall", "/leave", "/hello", "/secret"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if status, data := phone.Do(method, link.Prefix+path, nil); status != http.StatusNotFound {
				t.Errorf("%s %s on the front door is answered %d %s", method, path, status, data)
			}
		}
	}
}

func TestNoPhoneRouteExistsOnTheLinkAndWhatAGradeMayNotCallIsTheBare401(t *testing.T) {
	t.Parallel()
	m := harness.New(t, "juno", "COLLIE_LABEL=juno").Start()
	lead := harness.LeadFor(t, m)
	ask := func(method, path string) (int, string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, method, "http://crew"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := lead.Transport().RoundTrip(request)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(data)
	}
	if status, data := ask(http.MethodGet, link.Prefix+"/snapshot"); status != http.StatusOK {
		t.Fatalf("the lead's own read is answered %d %s", status, data)
	}
	paths := []string{link.Prefix + "/walky/send", link.Prefix + "/walky/who", link.Prefix + "/leave", link.Prefix + "/nothing", "/"}
	for _, route := range (&api.Handlers{}).Routes() {
		paths = append(paths, "/api"+strings.ReplaceAll(route.Path, ":id", "p1"))
	}
	for _, path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			status, data := ask(method, path)
			if got := fmt.Sprint(status, data); got != `401{"error":"unauthorized"}` && got != `401 {"error":"unauthorized"}` {
				t.Errorf("%s %s on the link is answered %s, want the bare 401", method, path, got)
			}
		}
	}
}
