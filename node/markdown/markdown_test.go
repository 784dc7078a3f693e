package markdown_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"collie/node/markdown"
	"collie/node/mask"
)

func tree(t *testing.T, source string) string {
	t.Helper()
	data, err := json.Marshal(markdown.Parse(source))
	if err != nil {
		t.Fatal(err)
	}
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(json.RawMessage(data))
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(strings.TrimSpace(plain.String()))
}

func TestMarkdownBecomesATree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"words and emphasis", "Olá **世界** 😀 *x*", `[{"k":"p","c":[{"k":"t","t":"Olá "},{"k":"strong","c":[{"k":"t","t":"世界"}]},{"k":"t","t":" 😀 "},{"k":"em","c":[{"k":"t","t":"x"}]}]}]`},
		{"heading", "## Two", `[{"k":"h","n":2,"c":[{"k":"t","t":"Two"}]}]`},
		{"list", "3. a\n4. b", `[{"k":"ol","n":3,"c":[{"k":"li","c":[{"k":"p","c":[{"k":"t","t":"a"}]}]},{"k":"li","c":[{"k":"p","c":[{"k":"t","t":"b"}]}]}]}]`},
		{"tasks", "- [x] a", `[{"k":"ul","c":[{"k":"li","c":[{"k":"p","c":[{"k":"t","t":"☑ "},{"k":"t","t":"a"}]}]}]}]`},
		{"code", "```go\nx < y\n```", `[{"k":"pre","t":"x < y\n","lang":"go"}]`},
		{"code in a line", "say `a\\_b`", `[{"k":"p","c":[{"k":"t","t":"say "},{"k":"code","t":"a\\_b"}]}]`},
		{"table", "|a|b|\n|-|-|\n|1|2|", `[{"k":"table","c":[{"k":"tr","c":[{"k":"th","c":[{"k":"t","t":"a"}]},{"k":"th","c":[{"k":"t","t":"b"}]}]},{"k":"tr","c":[{"k":"td","c":[{"k":"t","t":"1"}]},{"k":"td","c":[{"k":"t","t":"2"}]}]}]}]`},
		{"escapes and entities", `a\_b &amp; c`, `[{"k":"p","c":[{"k":"t","t":"a_b & c"}]}]`},
		{"a link to the web", "[x](https://example.org/a)", `[{"k":"p","c":[{"k":"a","href":"https://example.org/a","c":[{"k":"t","t":"x"}]}]}]`},
		{"any other link is its words", "[x](javascript:alert(1)) [y](file:///etc) [z](https://me:pw@example.org)", `[{"k":"p","c":[{"k":"t","t":"x"},{"k":"t","t":" "},{"k":"t","t":"y"},{"k":"t","t":" "},{"k":"t","t":"z"}]}]`},
		{"an image is its words", "![cat](https://example.org/c.png)", `[{"k":"p","c":[{"k":"t","t":"cat"}]}]`},
		{"HTML is text", "a <b onclick=x>c</b>", `[{"k":"p","c":[{"k":"t","t":"a "},{"k":"t","t":"<b onclick=x>"},{"k":"t","t":"c"},{"k":"t","t":"</b>"}]}]`},
		{"a block of HTML is text", "<script>\nalert(1)\n</script>\n", `[{"k":"p","c":[{"k":"t","t":"<script>\nalert(1)\n</script>\n"}]}]`},
	} {
		if diff := cmp.Diff(c.want, tree(t, c.source)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestATreeIsBounded(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"many words": strings.Repeat("*a* ", 16<<10), "deep": strings.Repeat("> ", 2000) + "x", "deep lists": deepList(200),
		"brackets": strings.Repeat("[", 60<<10), "stars": strings.Repeat("*", 60<<10), "rows": "|a|\n|-|\n" + strings.Repeat("|b|\n", 15<<10),
		"too long": strings.Repeat("# x\n", 32<<10),
	} {
		nodes, depth := measure(markdown.Parse(source))
		if nodes > 2*markdown.MaxNodes || depth > markdown.MaxDepth+2 {
			t.Errorf("%s: %d nodes, %d deep", name, nodes, depth)
		}
	}
}

func deepList(n int) string {
	var list strings.Builder
	for i := range n {
		list.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return list.String()
}

func measure(tree []markdown.Node) (nodes, depth int) {
	for _, n := range tree {
		more, deep := measure(n.Kids)
		nodes, depth = nodes+1+more, max(depth, deep)
	}
	return nodes, depth + 1
}

// token is a secret in pieces, so that no scanner takes this file for a leak.
var token = [3]string{"ghp_", "a1B2c3D4e5F6g7H8i9J0", "k1L2m3N4o5P6q7R8"}

func TestNothingThatIsSeenIsLeftUnmasked(t *testing.T) {
	t.Parallel()
	whole := token[0] + token[1] + token[2]
	m := mask.New()
	hide := func(text string) (string, bool) { return m.Text(text, mask.Options{Surface: "chat"}) }
	for name, source := range map[string]string{
		"as it stands":  "key " + whole,
		"in code":       "```\n" + whole + "\n```",
		"an escape":     `key ghp\_` + token[1] + token[2],
		"an entity":     "key ghp&#95;" + token[1] + token[2],
		"half emphasis": "key ghp_" + token[1] + "**" + token[2] + "**",
		"half a link":   "key ghp_" + token[1] + "[" + token[2] + "](https://example.org)",
		"in an address": "[x](https://example.org/?t=" + whole + ")",
		"escaped there": "[x](https://example.org/?t=ghp&#95;" + token[1] + token[2] + ")",
	} {
		masked, found := markdown.Hide(source, hide)
		data, _ := json.Marshal(markdown.Parse(masked))
		seen := string(data) + markdown.Text(markdown.Parse(masked))
		if !found || strings.Contains(seen, token[1]) || strings.Contains(seen, token[2]) {
			t.Errorf("%s: found is %v, and this is seen: %s", name, found, seen)
		}
		if again, _ := markdown.Hide(masked, hide); again != masked {
			t.Errorf("%s: masked again it is %q, not %q", name, again, masked)
		}
	}
	const plain = "Nothing **to** hide."
	if masked, found := markdown.Hide(plain, hide); found || masked != plain {
		t.Errorf("a text without a secret became %q (%v)", masked, found)
	}
}

func FuzzParse(f *testing.F) {
	for _, source := range []string{"# a\n\n- b\n  > c `d`\n\n|a|b|\n|-|-|\n", "<!-- x", "[a](<b c> 'd')", "![a][b]\n\n[b]: https://x.y", "~~a~~ \\\n&#0;", "```\n", "\xff\xfe*世*"} {
		f.Add(source)
	}
	m := mask.New()
	f.Fuzz(func(t *testing.T, source string) {
		nodes, depth := measure(markdown.Parse(source))
		if nodes > 2*markdown.MaxNodes || depth > markdown.MaxDepth+2 {
			t.Fatalf("%d nodes, %d deep", nodes, depth)
		}
		hide := func(text string) (string, bool) { return m.Text(text, mask.Options{Surface: "chat"}) }
		masked, _ := markdown.Hide(source, hide)
		if _, found := hide(markdown.Text(markdown.Parse(masked))); found && len(masked) <= markdown.MaxBytes {
			t.Fatalf("something to hide is seen in %q", masked)
		}
	})
}

// BenchmarkParse is the price of a turn: the tree that a phone gets, beside the
// source that it would have to parse itself.
func BenchmarkParse(b *testing.B) {
	source := strings.Repeat("## Heading\n\nSome *words* with `code`, a [link](https://example.org) and\n\n- one\n- two\n\n```go\nfmt.Println(1)\n```\n\n", 40)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		markdown.Parse(source)
	}
}
