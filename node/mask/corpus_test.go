package mask

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files of the standard library in which something is hidden, and why that
// is right or will do.
var hiddenInStandardLibrary = map[string]string{
	"cmd/go/internal/auth/gitauth_test.go":          "made-up passwords",
	"cmd/go/internal/auth/userauth_test.go":         "made-up credentials",
	"crypto/ecdh/ecdh_test.go":                      "private keys and shared secrets",
	"crypto/rsa/rsa_test.go":                        "a private key",
	"crypto/tls/example_test.go":                    "private keys",
	"crypto/tls/handshake_test.go":                  "a private key in hex",
	"crypto/internal/fips140/mlkem/generate1024.go": "\"encryptionKey\": \"encryptionKey1024\": an identifier in quotes",
	"net/http/client_test.go":                       "passwords in URLs",
	"net/http/proxy_test.go":                        "passwords in URLs, basic credentials",
	"net/http/request.go":                           "basic credentials in a comment",
	"net/http/request_test.go":                      "basic credentials",
	"net/url/example_test.go":                       "passwords in URLs",
	"net/url/url.go":                                "a password in a URL in a comment",
	"net/url/url_test.go":                           "passwords in URLs",
}

// maxSourceFiles bounds how much of it the test reads.
const maxSourceFiles = 2500

func TestStandardLibraryStaysReadable(t *testing.T) {
	t.Parallel()
	root := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the source of the standard library is not here")
	}
	source := os.DirFS(root)
	var files []string
	for _, folder := range []string{"net", "crypto", "os", "encoding", "go", "text", "cmd/go/internal"} {
		err := fs.WalkDir(source, folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && strings.HasSuffix(path, ".go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	files = files[:min(len(files), maxSourceFiles)]
	m := New()
	for _, path := range files {
		data, err := fs.ReadFile(source, path)
		if err != nil {
			t.Fatal(err)
		}
		masked, found := m.Append(nil, data, Options{Surface: "file"})
		if _, explained := hiddenInStandardLibrary[path]; !found || explained {
			continue
		}
		before, after := strings.Split(string(data), "\n"), strings.Split(string(masked), "\n")
		for i := range before {
			if before[i] != after[i] {
				t.Errorf("%s:%d: %q became %q", path, i+1, before[i], after[i])
			}
		}
	}
}
