//go:build linux

package main

// notes are written by hand and appear below the table, by row name.
var notes = map[string]string{
	"wrk-125": "not met; three measurements of one day gave 1.21, 1.23 and 1.24, with intervals up to 1.27. " +
		"Little is left to gain: a bare loop in C that sends, reads and counts reaches 1.30 (`limit`) at 0.75 of wrk's " +
		"CPU time, so the bar leaves dyno 2 % for parsing, checking, reading the clock and recording. 92 % of dyno's " +
		"CPU time is the kernel's TCP: sendto 74 %, which on loopback includes the receiver's work, recvfrom 12 %, " +
		"epoll_wait 2.5 % (perf record -C 1). What dyno saves is wrk's two calls of epoll_ctl per request (strace -c).",
	"wrk-5000": "wrk dials within its window, so its rate includes that; dyno dials before.",
	"oha":      "its own rate counts the requests that its deadline aborted; here only those that were answered.",
	"tls-wrk": "here and below: the server is nginx, one process with a certificate of ECDSA P-256 and the group " +
		"X25519.",
	"handshakes": "h2load makes 4,000 connections at once, with one request on each; dyno one after another on 125. " +
		"Neither trusts an authority, both check the server's signature.",
	"resumed": "h2load resumes no sessions.",
	"zrk": "here and below: version 1.4.2, built with Zig 0.16.0. It has no closed loop, so it gets a rate beyond any " +
		"server. Later versions, which speak HTTP/2, were not available on this machine.",
	"ab": "speaks HTTP/1.0, so here the server says `Connection: keep-alive`, to dyno too.",
	"epoll-loop": "loadgen-benchmark/epoll-loop/loop.c: sends, reads, counts; parses and checks nothing. " +
		"No generator can do less.",
	"before": "here and below: the commit before TLS and HTTP/2 (`--only '^before' --base 6ab96d5a --window 1s`). " +
		"Both are linked in the same 20 random orders of their functions, 15 pairs in each, and the intervals are between " +
		"these orders: how a linker happens to lay out a program moves it by some per cent, so that the same two sources " +
		"came out 0.992 and 0.987 when each was linked once.",
	"io-uring": "here and below: the bar was to decide whether dyno's engine gets a second event loop. It does not: " +
		"the throughput does not rise, and many container runtimes forbid io_uring.",
	"delay-0ms-p99": "here and below: the service time measured by dyno minus the server's own, minus the same " +
		"difference between the medians at 0 ms, which is the round-trip time. 1,000 requests a second on 64 connections. " +
		"Rounds are discarded if other programs took more than 1 %, because 1 % of a CPU changes a p99. The longer a " +
		"response takes, the more often another program ran meanwhile: on the same day the p99 at 5 ms was off by 120 µs " +
		"when others took up to 0.3 %, and by 500 µs when they took up to 1 %. Only a machine without other programs can " +
		"meet this bar.",
	"delay-https-0ms-p99": "here and below: the server is one loop that never sleeps " +
		"(loadgen-benchmark/timed.go), for all " +
		"protocols. The comparison with HTTP/1.1 loads both protocols at the same time, with 1,000 requests a second each, " +
		"so that other programs affect both. The server's times include decryption and encryption. The round-trip time is " +
		"determined for each protocol.",
}
