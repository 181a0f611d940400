// Package record defines the JSON that the service sends, with easyjson's methods for a record and for
// an array of records.
package record

//go:generate go tool easyjson record.go

// Record has generated methods, which encoding/json calls for each element of an array.
//
//easyjson:json
type Record struct {
	Id   string
	Name string
	Time int64
}

// List is an array of records.
//
//easyjson:json
type List []Record
