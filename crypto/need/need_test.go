package need

import (
	"strings"
	"testing"
)

// ending is a test that notes how it was ended, and goes on.
type ending struct {
	testing.TB
	how string
}

func (e *ending) Helper()                      {}
func (e *ending) Skipf(text string, _ ...any)  { e.note("skipped: " + text) }
func (e *ending) Fatalf(text string, _ ...any) { e.note("failed: " + text) }

// note keeps the first end, which would have been the only one.
func (e *ending) note(how string) {
	if e.how == "" {
		e.how = how
	}
}

func TestWhatIsMissingSkipsATestButInCI(t *testing.T) { // it changes the environment
	for name, needs := range map[string]func(testing.TB){
		"a program": func(t testing.TB) { Program(t, "no-such-program") },
		"anything":  func(t testing.TB) { Missing(t, "a right") },
	} {
		t.Setenv("CI", "")
		e := &ending{TB: t}
		if needs(e); e.how != "skipped: %s is missing" {
			t.Errorf("%s: %s", name, e.how)
		}
		t.Setenv("CI", "true")
		e = &ending{TB: t}
		if needs(e); !strings.HasPrefix(e.how, "failed: %s is missing") {
			t.Errorf("%s in CI: %s", name, e.how)
		}
	}
}

func TestAProgramThatIsThereIsFound(t *testing.T) {
	t.Parallel()
	e := &ending{TB: t}
	if path := Program(e, "sh"); !strings.HasSuffix(path, "/sh") || e.how != "" {
		t.Errorf("found %q, %s", path, e.how)
	}
}
