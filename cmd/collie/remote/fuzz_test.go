package remote

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"collie/node/trust"
)

// What another machine prints is shown as one clean line of bounded length.
func FuzzSaid(f *testing.F) {
	f.Add("collie: the port is in use\nhint: take another\n")
	f.Add("Welcome\r\n\x1b]0;owned\x07\n\n")
	f.Add("hint: alone")
	f.Add("collie: \u202eabc\xff")
	f.Fuzz(func(t *testing.T, output string) {
		what, hint := said(output)
		for _, text := range []string{what, hint, lastLine(output)} {
			if text != trust.Clean(text, maxSaid) || !utf8.ValidString(text) {
				t.Errorf("%q is shown of %q", text, output)
			}
		}
	})
}

// No program or folder is taken that is not an absolute path, and no kind that
// could not be shown.
func FuzzSeen(f *testing.F) {
	f.Add("Linux\nx86_64\n/home/dev\n/usr/bin/collie")
	f.Add("Linux\naarch64\n/root")
	f.Add("Linux\nx86_64\n-rf\n-x")
	f.Add("\x1b[31m\n\n/\nalias collie=x")
	f.Fuzz(func(t *testing.T, output string) {
		m := &machine{}
		if !m.seen(output) {
			return
		}
		if !path.IsAbs(m.home) || m.program != "" && !path.IsAbs(m.program) || strings.ContainsAny(m.home+m.program+m.kind.String(), "\n") {
			t.Errorf("%+v of %q", m, output)
		}
		if text := m.kind.String(); text != trust.Clean(text, 2*maxSaid+1) {
			t.Errorf("the kind %q", text)
		}
	})
}
