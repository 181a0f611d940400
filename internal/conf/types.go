package conf

import (
	"encoding"
	"reflect"
	"strings"
	"time"
)

// field is a key with a corresponding struct field.
type field struct {
	name   string
	tagged bool // matches exactly, not in any case
	typ    reflect.Type
}

// fields returns struct type t's keys, including those from embedded structs.
func fields(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, _, _ := strings.Cut(sf.Tag.Get("toml"), ",")
		switch {
		case tag == "-":
		case sf.Anonymous && tag == "" && deref(sf.Type).Kind() == reflect.Struct:
			list = append(list, fields(deref(sf.Type))...)
		case !sf.IsExported():
		case tag != "":
			list = append(list, field{tag, true, sf.Type})
		default:
			list = append(list, field{strings.ToLower(sf.Name), false, sf.Type})
		}
	}
	return list
}

// lookup returns the field that a file's key sets.
func lookup(known []field, name string) (field, bool) {
	for _, f := range known {
		if f.name == name || !f.tagged && strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return field{}, false
}

// deref returns the type that t points to, through all pointers.
func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// opaque reports whether t decodes its own text, so that its fields are not keys.
func opaque(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || t == reflect.TypeFor[time.Time]() ||
		t.Implements(textUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// kindAt returns, in TOML's words, the type that t requires at key, whose parts are not array
// entries.
func kindAt(t reflect.Type, key []string) string {
	t = deref(t)
	for _, name := range key {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			t = deref(t.Elem())
		}
		if t.Kind() == reflect.Map {
			t = deref(t.Elem())
			continue
		}
		if t.Kind() != reflect.Struct {
			return "something else"
		}
		f, ok := lookup(fields(t), name)
		if !ok {
			return "something else"
		}
		t = deref(f.typ)
	}
	return kind(t)
}

// kind returns a type's name in TOML's words.
func kind(t reflect.Type) string {
	zero := reflect.Zero(t)
	switch k := t.Kind(); {
	case k == reflect.String:
		return "a string"
	case k == reflect.Bool:
		return "a boolean"
	case zero.CanFloat():
		return "a float"
	case zero.CanInt(), zero.CanUint():
		return "an integer"
	case k == reflect.Slice, k == reflect.Array:
		return "an array (each entry " + kind(deref(t.Elem())) + ")"
	case t == reflect.TypeFor[time.Time]():
		return "a datetime"
	case k == reflect.Map, k == reflect.Struct:
		return "a table"
	}
	return "something else"
}

// article puts "a" or "an" before go-toml's name for a type.
func article(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
