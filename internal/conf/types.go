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
