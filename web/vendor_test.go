package web

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
	"testing"
)

// pinned holds the SHA-256 of each vendored module, as app/vendor/README.md says
// how to make it. Whoever changes one has read the difference.
var pinned = map[string]string{
	"htm.js":          "ab33dd3f38059b9be4d5f5350128eefb2356639c4e0bbe9d9e8b3ba75847e9e4",
	"preact-hooks.js": "5c65ab263688d0805862fd0807c779af02c2799c44fda0873dfcb870d0da70a0",
	"preact.js":       "225d7a773766e6fb2cfcc45274fe41d2059f5782f3f2c4569aa5132a2d3a2902",
	"signals-core.js": "147cdbe5e0e6e9cb35a27f2d4f496f8ba0fbd6beedf9e683e0297a976773b724",
	"signals.js":      "69f82deb41df25eaf5466981535f517f58f8e4ffff57f456bf16ae9914f9ed2b",
}

func TestVendoredModulesAreThePinnedOnes(t *testing.T) {
	t.Parallel()
	entries, err := fs.ReadDir(app, "app/vendor")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, "LICENSE.") {
			continue
		}
		found++
		content, err := fs.ReadFile(app, "app/vendor/"+name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); got != pinned[name] {
			t.Errorf("%s has SHA-256 %s, want %q", name, got, pinned[name])
		}
	}
	if found != len(pinned) {
		t.Errorf("%d vendored modules, %d are pinned", found, len(pinned))
	}
}

// Text becomes text nodes: no module of ours names a way around it.
func TestNoModuleWritesMarkup(t *testing.T) {
	t.Parallel()
	err := fs.WalkDir(app, "app", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".js") || strings.HasPrefix(name, "app/vendor/") {
			return err
		}
		content, err := fs.ReadFile(app, name)
		if err != nil {
			return err
		}
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval(", "new Function"} {
			if strings.Contains(string(content), forbidden) {
				t.Errorf("%s holds %s", name, forbidden)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
