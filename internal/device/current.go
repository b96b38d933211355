package device

// Current is what drivers can do whose library has a current device on each thread, which
// libraries that are built on it read.
type Current interface {
	// Enter holds the goroutine's thread and makes dev current on it, until Leave gets what
	// Enter returned. In between dev is used by whoever asks for the current device.
	Enter(dev int) (before uintptr, err error)
	Leave(dev int, before uintptr)
}
