//go:build !goshmem_static

package dl

// registers is how many integer arguments the System V ABI passes in registers.
const registers = 6

// big passes the struct of n words in f.value: it lies on the stack, whatever
// registers are free, and arguments after it take those.
func (f *frame) big(n int) {
	f.nstack += copy(f.stack[f.nstack:], f.value[:n])
}

// seventh passes an argument behind six in registers.
func (f *frame) seventh(word uintptr) { f.stack[0], f.nstack = word, 1 }
