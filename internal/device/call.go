package device

// Doer is the ability of a driver to call Go functions in the order of a stream.
type Doer interface {
	// Do has f called when the work before it is done; work behind it waits until f
	// returns. An error of f becomes the fault of the stream. It is called exactly once if
	// it was queued, perhaps before Do returns, and otherwise, having been captured,
	// whenever the graph is launched.
	Do(dev int, s Handle, f func(Turn) error) (queued bool, err error)
}

// Turn is what a function learns whose turn in a stream has come.
type Turn struct {
	Again bool  // a graph has it called
	Fault error // not nil: work before it has failed, and f is only to give up what it holds
}
