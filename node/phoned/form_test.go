package phoned

import (
	"testing"

	"collie/node/mask"
	"collie/node/trust"
)

// What a member showed of a text, and what a lead shows of that, is the same text.
func FuzzWhatIsShownOfATextCountsAsTheText(f *testing.F) {
	hides := mask.New()
	hide := func(text string) string {
		masked, _ := hides.Text(text, mask.Options{Surface: "chat"})
		return masked
	}
	b := &Book{options: Options{Hide: hide}}
	for _, text := range []string{"go on", "‹phone:me› \t stop\n\n", "password: hunter2hunter2\nAuthorization: Bearer abcdefghijklmnop", "\xff\u200b漢字", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		form := b.form(text)
		shown := hide(trust.NeutralizeMarks(trust.CleanText(text, 4*len(text)+4)))
		for _, again := range []string{shown, hide(trust.NeutralizeMarks(trust.CleanText(shown, 4*len(shown)+4)))} {
			if got := b.form(again); got != form {
				t.Errorf("%q counts as %q, and shown as %q it counts as %q", text, form, again, got)
			}
		}
		if len(form) > maxFormBytes {
			t.Errorf("%d bytes count", len(form))
		}
	})
}
