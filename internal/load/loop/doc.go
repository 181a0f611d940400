// Package loop is the load engine: HTTP/1.1 and HTTP/2, in the clear or over TLS, over TCP and unix
// sockets, with one event loop per worker. Each loop has a thread of its own, epoll and non-blocking
// sockets.
//
// A request in the clear costs one send and one recv. A connection is registered with its epoll
// instance once, edge-triggered, when it is dialled; the next request goes out in the same turn of
// the loop that read the previous answer. A worker owns all that it touches: a request needs no
// lock and no channel and, over HTTP/1.1 in the clear, no allocation.
//
// On other systems than Linux, or with the build tag gonet, which is for tests, kernel_net.go stands in for
// the kernel: goroutines of package net dial, read and write.
package loop
