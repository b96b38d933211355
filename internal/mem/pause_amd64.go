package mem

// Pause makes a loop that looks at memory wait for a moment (about 24 ns on the
// machines seen). Looking less often leaves the line to the core that is about to
// write it.
func Pause()
