// Package loop is the load engine: HTTP/1.1 and HTTP/2, in the clear or over TLS, over TCP and unix
// sockets, with one event loop per worker. On Linux each loop has a thread of its own, epoll and
// non-blocking sockets. On other systems, or if asked to (Engine.Net), goroutines of package net
// stand in for them (bell, pipe), with more CPU time per request.
//
// With epoll:
//
// A request in the clear costs one send and one recv. A connection is registered with its epoll
// instance once, edge-triggered, when it is dialled; the next request goes out in the same turn of
// the loop that read the previous answer. A worker owns all that it touches: a request needs no
// lock and no channel and, over HTTP/1.1 in the clear, no allocation.
package loop
