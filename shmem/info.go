package shmem

// Info is what a world says about itself.
type Info struct {
	Engine   string // the engine that moves the data
	Reason   string // why this engine
	Launcher string // the launcher family that the job was recognised by; "local" for goroutine PEs
	PE, PEs  int
	HeapSize int    // bytes per PE
	NodeSize int    // PEs of a virtual node; 0: all PEs are on one
	Checked  bool   // in checked mode, see Check
	Weak     uint64 // seed of weak mode; 0: off
}

// Info returns what this world is made of. Local.
func (w *World) Info() Info {
	i := w.info
	i.Engine, i.PE, i.PEs, i.HeapSize = w.heap.Engine(), w.rank, len(w.bases), int(w.heap.Size())
	return i
}
