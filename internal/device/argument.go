package device

// Argument is what a kernel gets of an object of this module, such as a slice: an
// address, and whose memory it is.
type Argument struct {
	Ptr    Ptr
	Driver string // the platform's name
	Device int    // -1: memory that all devices of the platform reach
	Err    error  // why the object cannot be used; the rest is then empty
}
