// Package nodetest runs worlds over several nodes on one machine. Each node is a network
// namespace with a host name of its own, and all that leads from one to another is a
// switch, which is a goroutine of the test: it can lose packets, delay them, and cut a node
// off. The package has tests only; what it needs of the machine is the right to make
// namespaces, and UCX.
package nodetest
