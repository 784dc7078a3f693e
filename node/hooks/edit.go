package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A document is a settings file that is changed in places and stays as it is
// elsewhere: order, comments, blanks and keys that nobody knows.
type document struct {
	root   hujson.Value
	indent string
}

// errShape says that a settings file has something else where hooks belong.
var errShape = errors.New("hooks are not of the form that is known")

func parse(data []byte) (*document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	root, err := hujson.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, errors.New("it is not a JSON object")
	}
	return &document{root: root, indent: indentOf(data)}, nil
}

// indentOf is what the first line that begins with blanks begins with.
func indentOf(data []byte) string {
	for line := range bytes.Lines(data) {
		text := bytes.TrimLeft(line, " \t")
		if blanks := line[:len(line)-len(text)]; len(blanks) > 0 && len(bytes.TrimSpace(text)) > 0 {
			return string(blanks)
		}
	}
	return "  "
}

func (d *document) bytes() []byte { return d.root.Pack() }

func (d *document) top() *hujson.Object { return d.root.Value.(*hujson.Object) }

// member returns the place of a key, or -1.
func member(object *hujson.Object, name string) int {
	return slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return literal(m.Name) == name })
}

func literal(v hujson.Value) string {
	text, ok := v.Value.(hujson.Literal)
	if !ok || text.Kind() != '"' {
		return ""
	}
	return text.String()
}

// field returns the text of a key of an object, "" when it is none.
func field(v hujson.Value, name string) string {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return ""
	}
	if i := member(object, name); i >= 0 {
		return literal(object.Members[i].Value)
	}
	return ""
}

// groups returns the list of an event, which is made when make is set. It is nil
// when there is none.
func (d *document) groups(event string, create bool) (*hujson.Array, error) {
	top := d.top()
	hooks, err := child[*hujson.Object](d, top, "hooks", 0, create, func() hujson.ValueTrimmed { return &hujson.Object{} })
	if err != nil || hooks == nil {
		return nil, err
	}
	return child[*hujson.Array](d, hooks, event, 1, create, func() hujson.ValueTrimmed { return &hujson.Array{} })
}

func child[T hujson.ValueTrimmed](d *document, parent *hujson.Object, name string, depth int, create bool, empty func() hujson.ValueTrimmed) (T, error) {
	var none T
	i := member(parent, name)
	if i < 0 {
		if !create {
			return none, nil
		}
		d.addMember(parent, name, hujson.Value{Value: empty()}, depth)
		i = len(parent.Members) - 1
	}
	found, ok := parent.Members[i].Value.Value.(T)
	if !ok {
		return none, fmt.Errorf("%w: %q", errShape, name)
	}
	return found, nil
}

func (d *document) line(depth int) string { return "\n" + strings.Repeat(d.indent, depth) }

// In the library's tree what stands before a closing bracket is the container's
// own AfterExtra, and a comma stands behind the last value when that value's
// AfterExtra is not nil.

// addMember adds a key at the end of an object that stands at a depth.
func (d *document) addMember(object *hujson.Object, name string, value hujson.Value, depth int) {
	key := hujson.Value{Value: hujson.String(name), BeforeExtra: d.next(&object.AfterExtra, depth)}
	value.BeforeExtra = hujson.Extra(" ")
	if n := len(object.Members); n > 0 {
		value.AfterExtra = comma(object.Members[n-1].Value.AfterExtra)
	}
	object.Members = append(object.Members, hujson.ObjectMember{Name: key, Value: value})
}

// addElement adds a value at the end of a list that stands at a depth.
func (d *document) addElement(array *hujson.Array, value hujson.Value, depth int) {
	value.BeforeExtra = d.next(&array.AfterExtra, depth)
	if n := len(array.Elements); n > 0 {
		value.AfterExtra = comma(array.Elements[n-1].AfterExtra)
	}
	array.Elements = append(array.Elements, value)
}

// next takes what stood before a closing bracket for what stands before a new
// value, and gives the bracket a line of its own.
func (d *document) next(end *hujson.Extra, depth int) hujson.Extra {
	before := hujson.Extra(strings.TrimRight(string(*end), " \t\r\n") + d.line(depth+1))
	*end = hujson.Extra(d.line(depth))
	return before
}

// comma is the end of a last value that has a comma behind it, or has none, like
// another one.
func comma(like hujson.Extra) hujson.Extra {
	if like == nil {
		return nil
	}
	return hujson.Extra{}
}

// removeMember takes a key out of an object, and leaves comments around it.
func removeMember(object *hujson.Object, i int) {
	gone := object.Members[i]
	object.Members = slices.Delete(object.Members, i, i+1)
	switch {
	case i < len(object.Members):
		keep(&object.Members[i].Name.BeforeExtra, gone.Name.BeforeExtra)
	case i > 0:
		keep(&object.AfterExtra, gone.Name.BeforeExtra)
		object.Members[i-1].Value.AfterExtra = comma(gone.Value.AfterExtra)
	default:
		empty(&object.AfterExtra, gone.Name.BeforeExtra)
	}
}

func removeElement(array *hujson.Array, i int) {
	gone := array.Elements[i]
	array.Elements = slices.Delete(array.Elements, i, i+1)
	switch {
	case i < len(array.Elements):
		keep(&array.Elements[i].BeforeExtra, gone.BeforeExtra)
	case i > 0:
		keep(&array.AfterExtra, gone.BeforeExtra)
		array.Elements[i-1].AfterExtra = comma(gone.AfterExtra)
	default:
		empty(&array.AfterExtra, gone.BeforeExtra)
	}
}

// keep puts a comment that stood before what is gone before what follows.
func keep(following *hujson.Extra, before hujson.Extra) {
	if comment := strings.TrimRight(string(before), " \t\r\n"); comment != "" {
		*following = append(hujson.Extra(comment), *following...)
	}
}

// empty is keep for the last value of all: nothing stays between the brackets
// when there is no comment.
func empty(end *hujson.Extra, before hujson.Extra) {
	keep(end, before)
	if strings.TrimSpace(string(*end)) == "" {
		*end = nil
	}
}
