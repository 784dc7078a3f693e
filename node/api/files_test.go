package api_test

import (
	"strings"
	"testing"

	"collie/node/api"
)

func TestWhatStandsBeforeAPageIsForTheLeadAlone(t *testing.T) {
	t.Parallel()
	m := &machine{files: api.Files{File: &api.FileView{Text: "page", Above: "before\n"}}}
	if body := ask(handlers(m, false), "/pane/p1/files", "").Body.String(); strings.Contains(body, "before") || !strings.Contains(body, "page") {
		t.Errorf("a phone gets %s", body)
	}
	if body := ask(handlers(m, true), "/pane/p1/files", "").Body.String(); !strings.Contains(body, "before") {
		t.Errorf("a lead gets %s", body)
	}
}
