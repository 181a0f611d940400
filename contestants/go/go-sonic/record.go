package main

// Record is an element of the array that the backend sends.
type Record struct {
	Id   string
	Name string
	Time int64
}
