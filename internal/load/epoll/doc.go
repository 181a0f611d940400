// Package epoll is the load engine for Linux: HTTP/1.1 over TCP and unix sockets, one event loop
// per worker on a thread of its own.
//
// A request costs one send and one recv. A connection is registered with its epoll instance once,
// edge-triggered, when it is dialled; the next request goes out in the same turn of the loop that
// read the answer before it. A worker owns all that it touches: no lock, no channel and no
// allocation between the first request of a window and its last answer.
package epoll
