package main

// Record is an element of the array that the service sends.
type Record struct {
	Id   string
	Name string
	Time int64
}
