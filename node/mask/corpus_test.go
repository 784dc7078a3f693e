package mask

import (
	"bytes"
	"compress/gzip"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"collie/crypto/need"
)

// wrong are the lines of ordinary text in which something is hidden that is no
// secret, and why that will do.
var wrong = []struct{ part, why string }{
	{`user=foo&password=bar\*(Aq`, "wget: bar in the markup of a manual, which makes it long"},
	{"Token=prefixstable", "systemd.network: a mode of choosing addresses; written like any Token=VALUE"},
}

// mostWrong bounds that list.
const mostWrong = 10

// madeUp are the credentials in ordinary text that people made up to write about
// one. That they are hidden is right.
var madeUp = []string{
	"123", "123Abpassdord", "123Abpassword", "hunter2", "My%20Pass", "pwd2", "pwd3", "gopher@golang.org", "ignored", "asdf", "hello", "too-late-in-file", "ala9glealanal908", "bar", "debian", "fakesecuritytoken", "fredpassword",
	"key_1234", "longpasswordwithmanycharacters123456789", "opensesame", "p%40ssword", "p4ssw0rd", "p@ssword", "pa%2Fssword", "pa%3Fsword",
	"pass:1234\\-5678\\-1234\\-567", "passwo^rd", "password123", "postgres", "secr3t\\fR\\&.", "top secret", "wachtwoord", "xyz",
	// The same in base64, and keys.
	"1lYWxhZGRplW1lYWxhZGRpbs", "AVuc2VzYW1lYWxhZGRpbjpvc", "GVuc2VzYW1lYWxhZGRpbjpvc", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "YWxhZGRpbjpvcGVuc2VzYW1l",
	"Zm9vOg==", "Zm9vOmJhcg==", "aXNhYWNzOm5vdCBteSByZWFsIHBhc3N3b3Jk", "bm90IG15IHJlYWwgcGFzc3dvcmQ=", "dGhpc2lzYWxvbmdzdHJpbmc=",
	"jpvcGVuc2VzYW1lYWxhZGRpb", "4uHgMPm-1o7Sk-geV6Cu5clXFsxl", "63a7029f46f74265981b7e005e0f69f8", "EEGlnEPYJV//kbvvIqxKkQwOiS+UENyPncC4bF46ong=",
}

// keyFiles are the files that hold keys for tests, whole or in hexadecimal.
var keyFiles = []string{
	"crypto/hpke/testdata/hpke-pq.json", "crypto/ecdh/ecdh_test.go", "crypto/rsa/rsa_test.go", "crypto/tls/example_test.go",
	"example-key.pem", "platform_root_key.pem",
}

// aboutSecrets are the files of this repository that have made-up secrets in
// them, to try something: tests.
var aboutSecrets = []string{"node/mask/", "_test.go", "/testdata/", "/test/", ".test.js", "integration/peers/"}

func TestTheListOfWhatIsWronglyHiddenStaysShort(t *testing.T) {
	if len(wrong) > mostWrong {
		t.Errorf("%d lines", len(wrong))
	}
}

// mostRead bounds the bytes of one corpus that are read. The race detector makes
// reading ten times as long.
func mostRead() int {
	if raceEnabled {
		return 16 << 20
	}
	return 1 << 30
}

func TestTheStandardLibraryStaysReadable(t *testing.T) {
	t.Parallel()
	staysReadable(t, filepath.Join(build.Default.GOROOT, "src"))
}

func TestThisRepositoryStaysReadable(t *testing.T) {
	t.Parallel()
	staysReadable(t, "../..")
}

func TestPackagesOfNpmStayReadable(t *testing.T) {
	t.Parallel()
	staysReadable(t, "../../web/node_modules")
}

func TestManualsStayReadable(t *testing.T) {
	t.Parallel()
	staysReadable(t, "/usr/share/man")
}

// TestGivenTextStaysReadable is for runs by hand over more text.
func TestGivenTextStaysReadable(t *testing.T) {
	t.Parallel()
	for _, root := range filepath.SplitList(os.Getenv("COLLIE_MASK_TEXT")) {
		staysReadable(t, root)
	}
}

// staysReadable masks every text file below a folder, and fails for what is
// hidden in it and neither made up nor in the list of what is wrong.
func staysReadable(t *testing.T, root string) {
	t.Helper()
	m, left, files := New(), mostRead(), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && root == "../.." && (entry.Name() == ".git" || entry.Name() == "node_modules" || entry.Name() == "fuzz"):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		case left <= 0:
			return fs.SkipAll
		}
		text, err := readText(path)
		if err != nil || !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
			return err
		}
		left -= len(text)
		files++
		masked, found := m.Append(nil, text, Options{Surface: "file"})
		if !found || root == "../.." && isIn(filepath.ToSlash(path), aboutSecrets) || isIn(filepath.ToSlash(path), keyFiles) {
			return nil
		}
		before, after := strings.Split(string(text), "\n"), strings.Split(string(masked), "\n")
		for i := range before {
			if before[i] != after[i] && !expected(before[i], after[i]) {
				t.Errorf("%s:%d: %.300q became %.300q", path, i+1, before[i], after[i])
			}
		}
		return nil
	})
	if os.IsNotExist(err) || err == nil && files == 0 {
		need.Missing(t, "text in "+root+", which .ci/run brings,")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d files, %d bytes", root, files, mostRead()-left)
}

func readText(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return data, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil // not text
	}
	if data, err = io.ReadAll(packed); err != nil {
		return nil, nil // broken on purpose
	}
	return data, nil
}

func isIn(path string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

// expected reports whether every stretch that is hidden in a line is made up, or
// the line is in the list of what is wrong.
func expected(before, after string) bool {
	for _, line := range wrong {
		if strings.Contains(before, line.part) {
			return true
		}
	}
	original, shown := []rune(before), []rune(after)
	if len(original) != len(shown) {
		return false
	}
	for i := 0; i < len(shown); i++ {
		from := i
		for i < len(shown) && shown[i] == '•' && original[i] != '•' {
			i++
		}
		if i > from && !isMadeUp(string(original[from:i])) {
			return false
		}
	}
	return true
}

func isMadeUp(hidden string) bool {
	for _, value := range madeUp {
		if hidden == value || len(value) > 16 && strings.Contains(hidden, value) {
			return true
		}
	}
	return false
}
