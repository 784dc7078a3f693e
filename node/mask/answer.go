package mask

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"collie/node/grid"
)

// Answer masks every string of an answer: in structs, slices, maps, pointers
// and JSON documents, however deep. It is the one way for what is not a frame;
// frames are masked by a mirror, which knows what stood on the screen before,
// and are passed over here. A nil mask hides nothing.
//
// Every exported field is masked, and none can be left out: a field that is
// thought to be harmless on the machine that fills it may hold anything when a
// member sends it. The tag mask:"diff" names the surface of the strings in a
// field (see [Options]); without one it is "file". A field Masked of type bool
// becomes true when something in its struct was hidden. In a map and in a JSON
// document the key is the name beside its value, so that {"password": "…"} is
// found; the names of struct fields say nothing. Rows of a screen are one text.
// Bytes that are no JSON, such as an image, stay.
//
// The result shares what did not change with the input, which is never changed.
func Answer[T any](m *Mask, answer T) (masked T, found bool) {
	if m == nil {
		return answer, false
	}
	value := reflect.ValueOf(&answer).Elem()
	if value, found = m.value(value, place{surface: "file"}); found {
		return value.Interface().(T), true
	}
	return answer, false
}

// Named masks a text that stands beside a name, as in a map or a form.
func (m *Mask) Named(name, text string, o Options) (masked string, found bool) {
	if m == nil {
		return text, false
	}
	masked, found = m.Text(text, o)
	if name == "" || len(text) < leastValue {
		return masked, found
	}
	for _, quote := range []string{`"`, "'", "`"} {
		if strings.Contains(text, quote) {
			continue
		}
		head := name + ": " + quote
		whole, beside := m.Text(head+masked+quote, Options{Surface: "file"})
		if beside && strings.HasPrefix(whole, head) && strings.HasSuffix(whole, quote) {
			return whole[len(head) : len(whole)-len(quote)], true
		}
		break
	}
	return masked, found
}

// A place says where in an answer a value stands.
type place struct {
	surface string
	name    string // the key of the map it is in, "" elsewhere
}

var (
	frameType = reflect.TypeFor[grid.Frame]()
	rowsType  = reflect.TypeFor[[]grid.Row]()
	rawType   = reflect.TypeFor[json.RawMessage]()
	numType   = reflect.TypeFor[json.Number]()
)

// value returns v masked, or v itself and false where nothing is hidden.
func (m *Mask) value(v reflect.Value, at place) (masked reflect.Value, found bool) {
	switch v.Type() {
	case frameType, numType:
		return v, false
	case rowsType:
		rows, found := m.Rows(v.Interface().([]grid.Row), nil, nil)
		return reflect.ValueOf(rows), found
	case rawType:
		raw, found := m.raw(v.Bytes(), at)
		return reflect.ValueOf(raw), found
	}
	switch v.Kind() {
	case reflect.String:
		text, found := m.Named(at.name, v.String(), Options{Surface: at.surface})
		return reflect.ValueOf(text).Convert(v.Type()), found
	case reflect.Pointer, reflect.Interface:
		return m.pointed(v, at)
	case reflect.Struct:
		return m.fields(v, at)
	case reflect.Slice, reflect.Array:
		return m.elements(v, at)
	case reflect.Map:
		return m.entries(v, at)
	}
	return v, false
}

func (m *Mask) pointed(v reflect.Value, at place) (masked reflect.Value, found bool) {
	if v.IsNil() {
		return v, false
	}
	inner := v.Elem()
	if inner.Type() == numType && v.Kind() == reflect.Interface {
		inner = reflect.ValueOf(inner.String()) // a mark is in no number
	}
	inner, found = m.value(inner, at)
	if !found {
		return v, false
	}
	if v.Kind() == reflect.Interface {
		masked = reflect.New(v.Type()).Elem()
		masked.Set(inner)
		return masked, true
	}
	masked = reflect.New(v.Type().Elem())
	masked.Elem().Set(inner)
	return masked, true
}

func (m *Mask) fields(v reflect.Value, at place) (masked reflect.Value, found bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		surface := at.surface
		if tag := field.Tag.Get("mask"); tag != "" {
			surface = tag
		}
		inner, hidden := m.value(v.Field(i), place{surface: surface})
		if !hidden {
			continue
		}
		if !found {
			masked, found = reflect.New(v.Type()).Elem(), true
			masked.Set(v)
		}
		masked.Field(i).Set(inner)
	}
	if !found {
		return v, false
	}
	if says := masked.FieldByName("Masked"); says.IsValid() && says.Kind() == reflect.Bool && says.CanSet() {
		says.SetBool(true)
	}
	return masked, true
}

func (m *Mask) elements(v reflect.Value, at place) (masked reflect.Value, found bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return v, false
	}
	for i := range v.Len() {
		inner, hidden := m.value(v.Index(i), at)
		if !hidden {
			continue
		}
		if !found {
			found = true
			if v.Kind() == reflect.Slice {
				masked = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
				reflect.Copy(masked, v)
			} else {
				masked = reflect.New(v.Type()).Elem()
				masked.Set(v)
			}
		}
		masked.Index(i).Set(inner)
	}
	if !found {
		return v, false
	}
	return masked, true
}

// entries masks the keys of a map too. Two keys that become one are one entry.
func (m *Mask) entries(v reflect.Value, at place) (masked reflect.Value, found bool) {
	for key, value := range v.Seq2() {
		name := ""
		if key.Kind() == reflect.String {
			name = key.String()
		}
		hiddenKey, keyFound := m.value(key, place{surface: at.surface})
		hiddenValue, valueFound := m.value(value, place{surface: at.surface, name: name})
		if !keyFound && !valueFound {
			continue
		}
		if !found {
			found = true
			masked = reflect.MakeMapWithSize(v.Type(), v.Len())
			for k, w := range v.Seq2() {
				masked.SetMapIndex(k, w)
			}
		}
		masked.SetMapIndex(key, reflect.Value{})
		masked.SetMapIndex(hiddenKey, hiddenValue)
	}
	if !found {
		return v, false
	}
	return masked, true
}

// raw masks a JSON document. What is none stays: it cannot be sent either.
func (m *Mask) raw(document json.RawMessage, at place) (masked json.RawMessage, found bool) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var tree any
	if decoder.Decode(&tree) != nil {
		return document, false
	}
	value, found := m.value(reflect.ValueOf(&tree).Elem(), at)
	if !found {
		return document, false
	}
	masked, err := json.Marshal(value.Interface())
	if err != nil {
		return document, false
	}
	return masked, true
}
