package gpu

// CheckTriton compares arguments with a kernel's parameters, as a launch on d does.
func CheckTriton(d *Device, k *TritonFile, args ...any) error {
	return fail(d, "launch", (&TritonKernel{file: k, m: &Module{d: d}}).check(&launch{}, args))
}

// Runs says whether code for an architecture runs on another.
func Runs(k *TritonFile, arch string) bool { return runs(k, arch) }
