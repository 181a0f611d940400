package main

// notes are written by hand and stand below the table, by name of the row.
var notes = map[string]string{
	"wrk-5000":      "wrk dials within its window, and so does its rate; dyno dials before. The more connections, the more that is.",
	"oha":           "its own rate counts the requests that its deadline aborted; here only those that were answered.",
	"ab":            "speaks HTTP/1.0, so here the server says `Connection: keep-alive`, to dyno too.",
	"epoll-loop":    "peers/epoll-loop/loop.c: asks, reads, counts; parses and checks nothing. No generator can do less.",
	"io-uring":      "here and below: the bar is that of adoption. It decides whether dyno's engine gets a second event loop.",
	"delay-0ms-p99": "here and below: the service time that dyno saw less the one that the server knows of, less the same of the medians at 0 ms, which is the way there and back.",
}
