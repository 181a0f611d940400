// Package netns reaches servers in a network namespace other than dyno's own. The name of a network
// says in which: "tcp" is in dyno's, "tcp@FILE" in that of a file such as /proc/4711/ns/net
// (namespaces(7)). A socket belongs to the namespace of the thread that makes it, for good; so only
// the making of sockets takes place there, and all else is as for any socket.
package netns

import "strings"

// In returns the name of the network "tcp" in the namespace of file.
func In(file string) string { return "tcp@" + file }

// Split returns a network's name for package net, and the file of its namespace, "" for dyno's own.
func Split(network string) (plain, file string) {
	plain, file, _ = strings.Cut(network, "@")
	return plain, file
}
