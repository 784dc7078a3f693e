// Package markdown turns what an agent wrote into a small tree that a phone
// draws as text nodes. HTML never comes out of it: raw HTML is text like any
// other, a link leads to the web or is none, and an image is its description.
//
// A mask that read the source alone could be led past a secret, because what
// stands between its letters in the source (an escape, an emphasis) is not seen
// in the tree. So Hide masks the source and then looks at what would be seen.
package markdown

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Node is one part of a text. Its kind says which of the other fields it has.
//
// Blocks: p, h (Level 1 to 6), ul, ol (Level: its first number), li, quote, pre
// (Text, Lang), hr, table, tr, th, td. In a line: t (Text), em, strong, del,
// code (Text), a (Href), br.
type Node struct {
	Kind  string `json:"k"`
	Text  string `json:"t,omitempty"`
	Level int    `json:"n,omitempty"`
	Lang  string `json:"lang,omitempty"`
	Href  string `json:"href,omitempty"`
	Kids  []Node `json:"c,omitempty"`
}

// blocks is the parser; it may be used by several goroutines.
var blocks = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()

// Parse returns the tree of a source.
func Parse(source string) []Node {
	if len(source) > MaxBytes {
		return Plain(source)
	}
	b := builder{source: []byte(source), left: MaxNodes}
	tree := blocks.Parse(text.NewReader(b.source))
	return b.kids(tree, 0)
}

// Plain returns the tree of a text that is no Markdown.
func Plain(source string) []Node {
	if source == "" {
		return nil
	}
	return []Node{{Kind: "p", Kids: []Node{{Kind: "t", Text: source}}}}
}

// A builder makes the tree of one source.
type builder struct {
	source []byte
	left   int // nodes that may still be made
}

func (b *builder) kids(parent ast.Node, depth int) []Node {
	var nodes []Node
	for child := parent.FirstChild(); child != nil; child = child.NextSibling() {
		nodes = b.add(nodes, child, depth)
	}
	return nodes
}

// add appends what a node of the parser is. A node that has no kind of its own
// is what is in it.
func (b *builder) add(nodes []Node, n ast.Node, depth int) []Node {
	if b.left <= 0 {
		return nodes
	}
	if depth >= MaxDepth {
		return b.leaf(nodes, Node{Kind: "t", Text: b.seen(n)})
	}
	inner := func(kind Node) []Node {
		b.left--
		kind.Kids = b.kids(n, depth+1)
		return append(nodes, kind)
	}
	switch n := n.(type) {
	case *ast.Text:
		return b.text(nodes, n)
	case *ast.String:
		return b.leaf(nodes, Node{Kind: "t", Text: string(n.Value)})
	case *ast.Paragraph, *ast.TextBlock:
		return inner(Node{Kind: "p"})
	case *ast.Heading:
		return inner(Node{Kind: "h", Level: n.Level})
	case *ast.List:
		if n.IsOrdered() {
			return inner(Node{Kind: "ol", Level: n.Start})
		}
		return inner(Node{Kind: "ul"})
	case *ast.ListItem:
		return inner(Node{Kind: "li"})
	case *ast.Blockquote:
		return inner(Node{Kind: "quote"})
	case *ast.FencedCodeBlock:
		return b.leaf(nodes, Node{Kind: "pre", Text: b.lines(n), Lang: string(n.Language(b.source))})
	case *ast.CodeBlock:
		return b.leaf(nodes, Node{Kind: "pre", Text: b.lines(n)})
	case *ast.HTMLBlock:
		raw := b.lines(n)
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(b.source))
		}
		return append(nodes, b.plain(raw)...)
	case *ast.RawHTML:
		return b.leaf(nodes, Node{Kind: "t", Text: string(n.Segments.Value(b.source))})
	case *ast.ThematicBreak:
		return b.leaf(nodes, Node{Kind: "hr"})
	case *ast.Emphasis:
		if n.Level >= 2 {
			return inner(Node{Kind: "strong"})
		}
		return inner(Node{Kind: "em"})
	case *ast.CodeSpan:
		return b.leaf(nodes, Node{Kind: "code", Text: strings.ReplaceAll(b.raw(n), "\n", " ")})
	case *ast.Link:
		if href, ok := web(unescape(string(n.Destination))); ok {
			return inner(Node{Kind: "a", Href: href})
		}
		return append(nodes, b.kids(n, depth+1)...)
	case *ast.AutoLink:
		label := string(n.Label(b.source))
		if href, ok := web(string(n.URL(b.source))); ok {
			b.left--
			return append(nodes, Node{Kind: "a", Href: href, Kids: []Node{{Kind: "t", Text: label}}})
		}
		return b.leaf(nodes, Node{Kind: "t", Text: label})
	case *extast.Strikethrough:
		return inner(Node{Kind: "del"})
	case *extast.Table:
		return inner(Node{Kind: "table"})
	case *extast.TableHeader, *extast.TableRow:
		return inner(Node{Kind: "tr"})
	case *extast.TableCell:
		if _, head := n.Parent().(*extast.TableHeader); head {
			return inner(Node{Kind: "th"})
		}
		return inner(Node{Kind: "td"})
	case *extast.TaskCheckBox:
		box := "☐ "
		if n.IsChecked {
			box = "☑ "
		}
		return b.leaf(nodes, Node{Kind: "t", Text: box})
	default: // an image is its description
		return append(nodes, b.kids(n, depth+1)...)
	}
}

func (b *builder) leaf(nodes []Node, n Node) []Node {
	b.left--
	return append(nodes, n)
}

func (b *builder) plain(source string) []Node {
	b.left -= 2
	return Plain(source)
}

// text appends the words of a line, and the break behind them.
func (b *builder) text(nodes []Node, n *ast.Text) []Node {
	value := string(n.Segment.Value(b.source))
	if !n.IsRaw() {
		value = unescape(value)
	}
	switch {
	case n.HardLineBreak():
		return b.leaf(b.leaf(nodes, Node{Kind: "t", Text: value}), Node{Kind: "br"})
	case n.SoftLineBreak():
		value += "\n"
	}
	return b.leaf(nodes, Node{Kind: "t", Text: value})
}

// unescape returns a text without the backslashes of its escapes, and with the
// characters that its entities stand for.
func unescape(value string) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(value)))))
}

func (b *builder) lines(n ast.Node) string {
	return string(n.Lines().Value(b.source))
}

// raw is the text below a node as it stands in the source.
func (b *builder) raw(n ast.Node) string {
	var text strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch c := child.(type) {
		case *ast.Text:
			text.Write(c.Segment.Value(b.source))
		case *ast.String:
			text.Write(c.Value)
		}
	}
	return text.String()
}

// seen is all text below a node.
func (b *builder) seen(n ast.Node) string {
	var text strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := n.(type) {
		case *ast.Text:
			text.WriteString(unescape(string(c.Segment.Value(b.source))))
			if c.SoftLineBreak() || c.HardLineBreak() {
				text.WriteByte('\n')
			}
		case *ast.String:
			text.Write(c.Value)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			text.Write(c.Lines().Value(b.source))
		case *ast.RawHTML:
			text.Write(c.Segments.Value(b.source))
		}
		return ast.WalkContinue, nil
	})
	return text.String()
}

// web reports whether an address leads to the web and nowhere else.
func web(address string) (string, bool) {
	if len(address) > maxHref || strings.ContainsFunc(address, func(c rune) bool { return unicode.IsControl(c) || unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) }) {
		return "", false
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") {
		return "", false
	}
	return address, true
}
