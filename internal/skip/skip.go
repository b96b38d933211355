// Package skip is the only place that may skip a test. A skip has a code, so
// that the run can compare the skips that happened with the committed list of
// those that may, and fail on any other: a suite that silently stops testing
// looks exactly like one that passes.
package skip

import "testing"

// The codes: what a machine lacks. Each is one word without spaces or brackets.
const (
	NoCC      = "NoCC"      // no C compiler
	NoCMake   = "NoCMake"   // no CMake
	NoMPI     = "NoMPI"     // no MPI launcher or library
	NoGPU     = "NoGPU"     // no GPU, or no driver for it
	NoVendor  = "NoVendor"  // a vendor library is not installed
	NoPython  = "NoPython"  // no Python with NumPy and a shared library
	NotRoot   = "NotRoot"   // needs privileges that this user lacks
	NotLinux  = "NotLinux"  // needs something that only Linux has
	NotGlibc  = "NotGlibc"  // needs the GNU C library
	OldKernel = "OldKernel" // needs a newer kernel
	FewPEs    = "FewPEs"    // needs more PEs than the job has
	FewCores  = "FewCores"  // needs more cores than the machine has
	RaceBuild = "RaceBuild" // meaningless or too slow under the race detector
	Short     = "Short"     // left out by -short
)

// Now ends the test as skipped. The code is one of the constants above; the
// reason says what was looked for and not found.
func Now(t testing.TB, code, reason string) {
	t.Helper()
	t.Skipf("SKIP[%s] %s", code, reason)
}

// Again ends the test as skipped because a part of it that ran elsewhere, on a PE
// or in another process, was skipped. The text is what Now wrote there, so that
// code and reason are reported as if the skip had happened here.
func Again(t testing.TB, text string) {
	t.Helper()
	t.Skip(text)
}
