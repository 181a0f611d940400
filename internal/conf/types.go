package conf

import (
	"encoding"
	"reflect"
	"strings"
	"time"
)

// field is a key that a struct has room for.
type field struct {
	name   string
	tagged bool // matches only as written
	typ    reflect.Type
}

// fields lists the keys of struct type t, those of embedded structs among them.
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

func lookup(known []field, name string) (field, bool) {
	for _, f := range known {
		if f.name == name || !f.tagged && strings.EqualFold(f.name, name) {
			return f, true
		}
	}
	return field{}, false
}

func names(known []field) []string {
	list := make([]string, len(known))
	for i, f := range known {
		list[i] = f.name
	}
	return list
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// opaque reports whether t reads its own text, so that its fields are no keys.
func opaque(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || t == reflect.TypeFor[time.Time]() ||
		t.Implements(textUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// kindAt says in TOML's words what type t wants at key, whose parts name no array entries.
func kindAt(t reflect.Type, key []string) string {
	t = deref(t)
	for _, name := range key {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			t = deref(t.Elem())
		}
		switch t.Kind() {
		case reflect.Map:
			t = deref(t.Elem())
		case reflect.Struct:
			f, ok := lookup(fields(t), name)
			if !ok {
				return "something else"
			}
			t = deref(f.typ)
		default:
			return "something else"
		}
	}
	return kind(t)
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Float32, reflect.Float64:
		return "a float"
	case reflect.Slice, reflect.Array:
		return "an array (each entry " + kind(deref(t.Elem())) + ")"
	case reflect.Map, reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "a datetime"
		}
		return "a table"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer"
	}
	return "something else"
}

// article puts "a" or "an" before the name that go-toml has for what it found.
func article(name string) string {
	if name != "" && strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
