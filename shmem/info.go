package shmem

// Info is what a world says about itself.
type Info struct {
	Engine   string // the engine that moves the data
	Device   string // the device that has the symmetric memory, such as "cuda:0"; "": it is the host's
	Platform string // what drives that: cuda, hip or host; "" if there is none
	Reason   string // why this engine
	Launcher string // the launcher family that the job was recognised by; "local" for goroutine PEs
	PE, PEs  int
	HeapSize int    // bytes per PE
	NodeSize int    // PEs of a virtual node; 0: there are none
	Nodes    int    // that share no memory, so that data goes over UCX between them; 1: one
	Checked  bool   // in checked mode, see Check
	Weak     uint64 // seed of weak mode; 0: off

	local int // number of this PE among those of its machine
}

// Info returns what this world is made of. Local.
func (w *World) Info() Info {
	i := w.info
	i.Nodes = max(i.Nodes, 1)
	i.Engine, i.PE, i.PEs, i.HeapSize = w.heap.Engine(), w.rank, len(w.bases), int(w.store.Size())
	if w.device != nil {
		i.Device, i.Platform = w.device.name(), w.device.driver.Name()
	}
	return i
}
