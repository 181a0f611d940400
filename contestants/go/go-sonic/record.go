package main

// Record is what the backend sends an array of.
type Record struct {
	Id   string
	Name string
	Time int64
}
