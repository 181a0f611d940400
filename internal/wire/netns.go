package wire

import "strings"

// A network's name says in which network namespace it is: "tcp" is in dyno's, "tcp@FILE" in the namespace of a file
// such as /proc/4711/ns/net (namespaces(7)). A socket belongs to the namespace of the thread that makes it, for
// good; so only sockets are made there, and everything else works as for any socket.

// NamespaceOf returns the name for the network "tcp" in file's namespace.
func NamespaceOf(file string) string { return "tcp@" + file }

// SplitNamespace returns a network's name for package net, and its namespace's file, "" for dyno's own.
func SplitNamespace(network string) (plain, file string) {
	plain, file, _ = strings.Cut(network, "@")
	return plain, file
}
