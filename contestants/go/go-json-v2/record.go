package main

import (
	"encoding/json/jsontext"
	"fmt"
)

// Record is an element of the array that the service sends.
type Record struct {
	Id   string
	Name string
	Time int64
}

// Records is a slice that reads and writes JSON token by token, without reflection.
type Records []Record

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (rs *Records) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if _, err := read(d, '['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		r, err := readRecord(d)
		if err != nil {
			return err
		}
		*rs = append(*rs, r)
	}
	_, err := d.ReadToken()
	return err
}

func readRecord(d *jsontext.Decoder) (r Record, err error) {
	if _, err := read(d, '{'); err != nil {
		return r, err
	}
	for d.PeekKind() != '}' {
		name, err := read(d, '"')
		if err != nil {
			return r, err
		}
		var value jsontext.Token
		switch name.String() {
		case "Id":
			if value, err = read(d, '"'); err == nil {
				r.Id = value.String()
			}
		case "Name":
			if value, err = read(d, '"'); err == nil {
				r.Name = value.String()
			}
		case "Time":
			if value, err = read(d, '0'); err == nil {
				r.Time = value.Int()
			}
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return r, err
		}
	}
	_, err = d.ReadToken()
	return r, err
}

// read reads a token and checks its kind.
func read(d *jsontext.Decoder, want jsontext.Kind) (jsontext.Token, error) {
	t, err := d.ReadToken()
	if err == nil && t.Kind() != want {
		err = fmt.Errorf("%s: have %v; want %v", d.StackPointer(), t.Kind(), want)
	}
	return t, err
}

// MarshalJSONTo implements json.MarshalerTo.
func (rs Records) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, r := range rs {
		for _, t := range [...]jsontext.Token{
			jsontext.BeginObject,
			jsontext.String("Id"), jsontext.String(r.Id),
			jsontext.String("Name"), jsontext.String(r.Name),
			jsontext.String("Time"), jsontext.Int(r.Time),
			jsontext.EndObject,
		} {
			if err := e.WriteToken(t); err != nil {
				return err
			}
		}
	}
	return e.WriteToken(jsontext.EndArray)
}
