// Package web holds the web app that a phone runs, and serves it.
//
// The app is plain ES modules: what is in the folder app is what the browser
// gets. There is no build step, so one trick takes the place of hashed file
// names: everything but the page itself is served below a folder that is named
// after the hash of the whole app ("/a/<hash>/"), and the page is pointed at
// that folder once, when the handler is made. Relative imports stay inside it,
// so a phone that has this build asks for none of its files again, and two
// builds never mix.
//
// The page, the service worker and the manifest have fixed addresses; they are
// revalidated each time against a strong ETag.
//
// The package knows nothing of sessions, tokens or the API. The headers that
// belong on every answer are the front door's; the content security policy of
// the app is here, beside the files that it speaks of.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// app holds the files that browsers get. The type declarations beside the
// vendored modules are for the type checker alone and stay out.
//
//go:embed app/*.html app/*.js app/*.svg app/*.png app/*.webmanifest
//go:embed app/css/*.css app/i18n/*.js app/vendor/*.js app/vendor/LICENSE.*
var app embed.FS

// Policy is the content security policy of the app: its own files and nothing
// else, no inline script and no inline style. An image may be a blob, because
// an <img> cannot send a token.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; object-src 'none'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const (
	revalidate = "no-cache"
	forever    = "public, max-age=31536000, immutable"

	// assets is the folder in the page's source that stands for "/a/<hash>/".
	assets = "/a/"

	// minGzipBytes is the size under which compressing does not pay.
	minGzipBytes = 512
)

// types names the media type of every kind of file in the app. It is spelled
// out, because the system's table differs from machine to machine.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".webmanifest": "application/manifest+json",
}

// rooted names the files that have a fixed address of their own.
var rooted = map[string]string{
	"index.html":           "/",
	"sw.js":                "/sw.js",
	"manifest.webmanifest": "/manifest.webmanifest",
	"icon.svg":             "/icon.svg",
	"icon-180.png":         "/icon-180.png",
	"icon-512.png":         "/icon-512.png",
}

// A file is one answer, made once.
type file struct {
	mediaType string
	cache     string
	etag      string
	plain     []byte
	gzipped   []byte // nil when it is no smaller
}

var load = sync.OnceValue(func() map[string]file {
	files, err := build(app)
	if err != nil {
		panic(fmt.Sprintf("web: the embedded app is broken: %v", err)) // a test builds it
	}
	return files
})

// Handler serves the app: GET and HEAD of its files, 404 for any other path
// and 405 for any other method. It ignores Range, as the files are small.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		switch {
		case !ok:
			http.Error(w, "not found", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		default:
			f.serve(w, r)
		}
	})
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Security-Policy", Policy)
	body, etag := f.plain, f.etag
	if f.gzipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			body, etag = f.gzipped, f.etag[:len(f.etag)-1]+`-gzip"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	h.Set("ETag", etag)
	if matches(r.Header.Values("If-None-Match"), f.etag, etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.mediaType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(body) // a client that went away is nobody to tell
}

// build makes the answers from the files below app.
func build(source fs.FS) (map[string]file, error) {
	contents := map[string][]byte{}
	whole := sha256.New()
	err := fs.WalkDir(source, "app", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		contents[strings.TrimPrefix(name, "app/")] = content
		fmt.Fprintf(whole, "%d %s %d ", len(name), name, len(content)) // WalkDir goes in lexical order
		whole.Write(content)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the app: %w", err)
	}

	base := assets + hex.EncodeToString(whole.Sum(nil)[:8]) + "/"
	files := map[string]file{}
	var shell []string // what the service worker keeps
	for name, content := range contents {
		address, cache := base+name, forever
		if fixed, ok := rooted[name]; ok {
			address, cache = fixed, revalidate
		}
		if name == "index.html" {
			content = bytes.ReplaceAll(content, []byte(`"`+assets), []byte(`"`+base))
		}
		if files[address], err = prepare(name, content, cache); err != nil {
			return nil, err
		}
		if name != "sw.js" && !strings.HasPrefix(path.Base(name), "LICENSE.") {
			shell = append(shell, address)
		}
	}
	slices.Sort(shell) // one build, one list
	list, err := json.Marshal(shell)
	if err != nil {
		return nil, fmt.Errorf("list the app's files: %w", err)
	}
	if files[base+"shell.json"], err = prepare("shell.json", list, forever); err != nil {
		return nil, err
	}
	return files, nil
}

func prepare(name string, content []byte, cache string) (file, error) {
	sum := sha256.Sum256(content)
	f := file{
		mediaType: types[path.Ext(name)],
		cache:     cache,
		etag:      `"` + hex.EncodeToString(sum[:16]) + `"`,
		plain:     content,
	}
	if strings.HasPrefix(path.Base(name), "LICENSE.") {
		f.mediaType = "text/plain; charset=utf-8"
	}
	if f.mediaType == "" {
		return file{}, fmt.Errorf("%s: no media type is known for it", name)
	}
	if len(content) < minGzipBytes {
		return f, nil
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return file{}, fmt.Errorf("compress %s: %w", name, err)
	}
	if _, err := z.Write(content); err != nil {
		return file{}, fmt.Errorf("compress %s: %w", name, err)
	}
	if err := z.Close(); err != nil {
		return file{}, fmt.Errorf("compress %s: %w", name, err)
	}
	if out.Len() < len(content) {
		f.gzipped = out.Bytes()
	}
	return f, nil
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3) as far as one answer
// needs it: gzip or * is named and not refused with q=0.
func acceptsGzip(headers []string) bool {
	accepted := false
	for _, part := range strings.Split(strings.Join(headers, ","), ",") {
		coding, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding != "gzip" && coding != "*" {
			continue
		}
		quality, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
		refused := ok && strings.Trim(quality, "0.") == ""
		if coding == "gzip" {
			return !refused
		}
		accepted = !refused
	}
	return accepted
}

// matches compares If-None-Match weakly (RFC 9110, 13.1.2) with the tags of
// both codings, so that a proxy which unpacks an answer still saves one.
func matches(headers []string, tags ...string) bool {
	for _, part := range strings.Split(strings.Join(headers, ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == "*" {
			return true
		}
		for _, tag := range tags {
			if part == tag {
				return true
			}
		}
	}
	return false
}
