// Package record defines the JSON that the service sends.
package record

//go:generate go tool easyjson record.go

// Record has no methods: encoding/json would call them.
type Record struct {
	Id   string
	Name string
	Time int64
}

// List is an array of records to easyjson.
//
//easyjson:json
type List []Record
