package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// reference finds what the page loads from its own machine.
var reference = regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)

func TestPageLoadsOnlyFilesThatExist(t *testing.T) {
	t.Parallel()
	found := reference.FindAllStringSubmatch(body(t, get(t, "/")), -1)
	if len(found) < 10 {
		t.Fatalf("the page names %d files, want its styles and modules", len(found))
	}
	for _, match := range found {
		if r := get(t, match[1]); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", match[1], r.StatusCode)
		}
	}
}

func TestBuildFilesAreKeptForeverAndFixedOnesRevalidated(t *testing.T) {
	t.Parallel()
	module := regexp.MustCompile(`"(/a/[0-9a-f]{16}/main\.js)"`).FindStringSubmatch(body(t, get(t, "/")))
	if module == nil {
		t.Fatal("the page does not load main.js from its build's folder")
	}
	for path, want := range map[string][2]string{
		"/":                     {"no-cache", "text/html; charset=utf-8"},
		"/sw.js":                {"no-cache", "text/javascript; charset=utf-8"},
		"/manifest.webmanifest": {"no-cache", "application/manifest+json"},
		"/icon.svg":             {"no-cache", "image/svg+xml"},
		module[1]:               {"public, max-age=31536000, immutable", "text/javascript; charset=utf-8"},
	} {
		r := get(t, path)
		if got := [2]string{r.Header.Get("Cache-Control"), r.Header.Get("Content-Type")}; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestPolicyIsOnEveryFile(t *testing.T) {
	t.Parallel()
	const want = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; worker-src 'self'; object-src 'none'; form-action 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'"
	for path := range load() {
		if got := get(t, path).Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: policy %q", path, got)
		}
	}
}

func TestTagSparesTheBody(t *testing.T) {
	t.Parallel()
	tag := get(t, "/").Header.Get("ETag")
	if !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(tag) {
		t.Fatalf("tag %q is not a strong hash", tag)
	}
	for _, held := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		r := get(t, "/", "If-None-Match", held)
		if r.StatusCode != http.StatusNotModified || body(t, r) != "" {
			t.Errorf("If-None-Match %s: status %d, want 304 without a body", held, r.StatusCode)
		}
	}
	if r := get(t, "/", "If-None-Match", `"other"`); r.StatusCode != http.StatusOK {
		t.Errorf("another tag: status %d, want 200", r.StatusCode)
	}
}

func TestGzipIsServedOnlyToThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	plain := body(t, get(t, "/"))
	for header, want := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "*": true, "GZIP": true,
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "gzip;q=0, *": false, "identity": false,
	} {
		r := get(t, "/", "Accept-Encoding", header)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("Accept-Encoding %q: gzip %v, want %v", header, got, want)
			continue
		}
		if r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: Vary is %q", header, r.Header.Get("Vary"))
		}
		if !want {
			continue
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(z)
		if err != nil || string(unpacked) != plain {
			t.Errorf("Accept-Encoding %q: the packed page is another one (%v)", header, err)
		}
		if tag := r.Header.Get("ETag"); !strings.HasSuffix(tag, `-gzip"`) {
			t.Errorf("both codings share the strong tag %s", tag)
		}
	}
}

func TestUnknownPathsAndMethodsAreRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/index.html", "/main.js", "/a/", "/a/0000000000000000/main.js", "/../web.go", "/api/snapshot", "/vendor/preact.d.ts"} {
		if r := get(t, path); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, r.StatusCode)
		}
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestRangeIsIgnored(t *testing.T) {
	t.Parallel()
	whole := body(t, get(t, "/"))
	r := get(t, "/", "Range", "bytes=0-9")
	if r.StatusCode != http.StatusOK || body(t, r) != whole {
		t.Errorf("a range was served: status %d", r.StatusCode)
	}
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/", nil))
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("HEAD: status %d, %d bytes, Content-Length %s", w.Code, w.Body.Len(), w.Header().Get("Content-Length"))
	}
}

func TestAnotherContentIsAnotherBuild(t *testing.T) {
	t.Parallel()
	page := &fstest.MapFile{Data: []byte(`<script src="/a/main.js"></script>`)}
	address := func(script string) string {
		files, err := build(fstest.MapFS{"app/index.html": page, "app/main.js": {Data: []byte(script)}})
		if err != nil {
			t.Fatal(err)
		}
		return string(files["/"].plain)
	}
	if one, other := address("1"), address("2"); one == other {
		t.Errorf("two builds share the folder in %s", one)
	}
	if one, again := address("1"), address("1"); one != again {
		t.Errorf("one build has two folders: %s, %s", one, again)
	}
}

func TestFileOfUnknownKindIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := build(fstest.MapFS{"app/data.bin": {Data: []byte("x")}}); err == nil {
		t.Error("a file without a media type was taken")
	}
}

// The policy refuses inline script and style; a page that has any is broken
// without a word.
func TestPageHasNothingInline(t *testing.T) {
	t.Parallel()
	page := load()["/"].plain
	for _, inline := range []string{"<style", " style=", " onclick=", " onload=", "javascript:"} {
		if bytes.Contains(page, []byte(inline)) {
			t.Errorf("the page holds %q", inline)
		}
	}
	if n := bytes.Count(page, []byte("<script")); n != bytes.Count(page, []byte("<script type=\"module\" src=")) {
		t.Errorf("one of %d scripts has no address", n)
	}
}
