package harness

import (
	"fmt"
	"os"

	"github.com/chromedp/chromedp"
)

// Axe has the rules of axe-core look at the page, when COLLIE_TEST_AXE names its
// file, and fails the test for each that is broken.
func (b *Browser) Axe(page string) {
	b.t.Helper()
	path := os.Getenv("COLLIE_TEST_AXE")
	if path == "" {
		return
	}
	script, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Until("an end of what moves", "document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)")
	b.Do("load axe", chromedp.Evaluate[chromedp.Void](string(script)+";void 0"),
		chromedp.Evaluate[chromedp.Void](`window.axeSaid = undefined; axe.run().then((r) => {
			window.axeSaid = r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target + " " + n.failureSummary).join("; ")).join("\n");
		}, (e) => { window.axeSaid = String(e); }); void 0`))
	b.Until("the rules of "+page, "window.axeSaid !== undefined")
	if said := b.Evaluate("window.axeSaid"); said != "" {
		b.t.Errorf("%s breaks rules:\n%s", page, fmt.Sprint(said))
	}
}
