package main

// Record is what the companion sends an array of.
type Record struct {
	Id   string
	Name string
	Time int64
}
