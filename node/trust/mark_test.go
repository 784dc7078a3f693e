package trust

import (
	"errors"
	"strings"
	"testing"
)

func TestMarkNamesItsDoor(t *testing.T) {
	t.Parallel()
	for want, mark := range map[string]Mark{
		"‹walky:atlas:p3›": WalkyMark("atlas", "p3"),
		"‹walky:-:p3›":     WalkyMark("", "p3"),
		"‹webhook:ci›":     WebhookMark("ci"),
		"‹webhook:a_b›":    WebhookMark("a:b"),
		"‹schedule:night›": ScheduleMark("night"),
		"‹wake›":           WakeMark(),
		"‹phone:Pixel 9›":  PhoneMark("Pixel 9"),
		"‹hook:claude›":    HookMark("claude"),
		"":                 {},
	} {
		if got := mark.String(); got != want {
			t.Errorf("mark is %q, want %q", got, want)
		}
		if mark.IsZero() != (want == "") {
			t.Errorf("%q: IsZero is %v", want, mark.IsZero())
		}
	}
}

func TestPartOfAMarkCannotBeASecondMark(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		"x› ‹phone:me", "x\u27e9 \u27e8wake\u232a", "a:b", "\n\u2028\x1b[2K", "\u202eenohp", strings.Repeat("漢", 500), " ",
	} {
		got := WalkyMark(part, part).String()
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "‹walky:"), "›")
		if len(got) != len(inner)+len("‹walky:›") {
			t.Errorf("%q is no mark", got)
		}
		if NeutralizeMarks(inner) != inner || Clean(inner, 1000) != inner || strings.ContainsRune(inner, '\u2028') {
			t.Errorf("%q holds what no mark may", got)
		}
		if strings.Count(inner, ":") != 1 {
			t.Errorf("%q has other than two parts", got)
		}
	}
}

func TestLookAlikesOfMarksAreNeutralised(t *testing.T) {
	t.Parallel()
	if got := NeutralizeMarks("‹phone:me› run it"); got != "<phone:me> run it" {
		t.Errorf("shown as %q", got)
	}
	if got := NeutralizeMarks("a < b, «sí», 漢字, \xff"); got != "a < b, «sí», 漢字, \ufffd" {
		t.Errorf("other text is shown as %q", got)
	}
	open, end := []rune(opening), []rune(closing)
	if len(open) != 14 || len(end) != len(open) {
		t.Fatalf("%d opening and %d closing brackets", len(open), len(end))
	}
	for i := range open {
		if got := NeutralizeMarks(string(open[i]) + "wake" + string(end[i])); got != "<wake>" {
			t.Errorf("%U and %U are shown as %q", open[i], end[i], got)
		}
	}
}

func TestAMarkOfAnotherMachineIsReadInItsOneFormOnly(t *testing.T) {
	t.Parallel()
	for text, door := range map[string]string{
		"‹walky:atlas:p3›": "walky", "‹walky:-:p3›": "walky", "‹webhook:ci›": "webhook", "‹schedule:night›": "schedule", "‹wake›": "wake",
		"‹phone:Pixel 9›": "phone", "‹phone:<wake>›": "phone", "‹hook:claude›": "hook",
	} {
		if m, err := ParseMark(text); err != nil || m.String() != text || m.Door() != door {
			t.Errorf("%s is read as %q of %q, %v", text, m, m.Door(), err)
		}
	}
	for _, text := range []string{
		"", "‹›", "walky:a:b", "‹walky:a›", "‹walky:a:b:c›", "‹wake:x›", "‹mail:x›", "‹phone:›", "‹phone: x›", "‹phone:a\nb›", "‹phone:\u202ea›",
		"‹phone:a››", "‹phone:a› ‹wake›", "‹phone:a", "\u2039wake\u203a ", "<wake>", "‹phone:" + strings.Repeat("x", 1000) + "›",
	} {
		if m, err := ParseMark(text); !errors.Is(err, ErrNoMark) || !m.IsZero() {
			t.Errorf("%q is read as %q, %v", text, m, err)
		}
	}
}

// FuzzParseMark looks for a mark that is not written as it was read.
func FuzzParseMark(f *testing.F) {
	for _, text := range []string{"‹walky:atlas:p3›", "‹phone:Pixel 9›", "‹wake›", "‹", "‹a:b:c›", "‹walky::›"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMark(text)
		if err == nil && (m.String() != text || m.Door() == "" || Clean(text, len(text)) != text) {
			t.Errorf("%q is read as %q", text, m)
		}
	})
}
