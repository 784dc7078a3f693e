package hooks_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/hooks"
)

// Earlier builds quoted a program with one of @ % = : , in its path.
func TestHooksThatAnEarlierBuildQuotedAreOursAndGoAsTheyCame(t *testing.T) {
	t.Parallel()
	const program = "/home/me@work/collie"
	for name, text := range settings {
		f := file(t, "claude", text)
		_, err := f.Install(program, false)
		must(t, err)
		quoted := strings.ReplaceAll(read(t, f), program+" ", "'"+program+"' ")
		must(t, os.WriteFile(f.Path, []byte(quoted), 0o640))
		if got, err := f.Status(program); err != nil || got.State != hooks.Installed {
			t.Errorf("%s: the status is %+v, %v", name, got, err)
		}
		if got := uninstall(t, f); !got.Changed {
			t.Errorf("%s: the uninstall says %+v", name, got)
		}
		if diff := cmp.Diff(text, read(t, f)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
}
