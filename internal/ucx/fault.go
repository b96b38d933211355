package ucx

// faultAt is the address of what UCX calls when it gives a peer up: an assembly function,
// which stores the status to the word that the peer has for it, and never enters Go. It
// is 0 where no C is called.
var faultAt uintptr
