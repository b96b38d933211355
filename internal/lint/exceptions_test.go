package lint

import (
	"fmt"
	"slices"
)

// exceptions is a committed list: what may break a rule, and why.
type exceptions struct {
	reasons map[string]string
	used    map[string]bool
}

func except(reasons map[string]string) exceptions {
	return exceptions{reasons, map[string]bool{}}
}

// use says whether name is an exception, and remembers that it was needed.
func (e exceptions) use(name string) bool {
	_, ok := e.reasons[name]
	e.used[name] = true
	return ok
}

// unused lists exceptions that nothing needs, or that have no reason.
func (e exceptions) unused() []string {
	var bad []string
	for name, reason := range e.reasons {
		if !e.used[name] {
			bad = append(bad, fmt.Sprintf("the exception for %s is not needed any more", name))
		}
		if reason == "" {
			bad = append(bad, fmt.Sprintf("the exception for %s has no reason", name))
		}
	}
	slices.Sort(bad)
	return bad
}

// unsafePackages may import unsafe.
func unsafePackages() exceptions {
	return except(map[string]string{
		"examples/mpiexchange":     "calls a C library that it opens at run time",
		"internal/ccl":             "passes Go memory on that somebody holds",
		"internal/ccl/host":        "reads and writes memory that it knows by addresses",
		"internal/device":          "has arguments of any type pass through it",
		"internal/device/host":     "its memory is mapped, and known by its addresses",
		"internal/device/vendor":   "hands addresses of kernel arguments and of copied memory to a driver",
		"bench/transport":          "hands addresses of what is put and got to a transport",
		"gpu":                      "hands addresses of Go slices and of kernels' arguments to drivers",
		"internal/dl":              "calls C functions and gives them memory",
		"internal/engine":          "a heap is known by its address",
		"internal/engine/faulty":   "passes addresses on that it was given",
		"internal/engine/weak":     "delivers late to addresses that it was given",
		"internal/engine/network":  "delivers late to addresses that it was given, and tells the race detector of them",
		"internal/engine/block":    "copies words of a device's memory into its own",
		"internal/engine/nvshmem":  "hands addresses of what is put and got to a library",
		"internal/truth":           "gives one piece of symmetric memory two types",
		"internal/engine/host":     "maps memory of other processes",
		"internal/engine/ipc":      "its memory is that of devices, known by addresses",
		"launch/launcher":          "asks the kernel how a process ended",
		"internal/mem":             "is where raw memory is read and written",
		"nccl":                     "gives addresses of Go slices and of scalars to libraries",
		"internal/ncclperf":        "gives scalars of any type to package nccl",
		"provider":                 "loads and stores for kernels, by addresses",
		"internal/perf":            "measures package reduce, which takes addresses",
		"internal/reduce":          "combines vectors that it knows by their addresses",
		"internal/ucx":             "hands addresses of what is put and got to a library",
		"shmem":                    "turns a typed array into addresses and back",
		"internal/engine/rocshmem": "passes addresses on that it was given, and asks a driver whose they are",
	})
}

// longFunctions may have more lines than others: at most five.
func longFunctions() exceptions { return except(map[string]string{}) }

// packageVariables may be there although they are variables.
func packageVariables() exceptions {
	return except(map[string]string{
		"gpu.every":                    "a vendor's library is opened once per process, and a device is one value",
		"internal/devices.opened":      "a vendor's library is opened once per process",
		"interchange/dlpack.deleterAt": "an address that is only read",
		"provider.process":             "tells ranks of one process from others, and is only read",
		"internal/ucx.faultAt":         "an address that is only read",
		"interchange/dlpack.records":   "memory of records in C's hands, which outlives whoever made them",
		"gpu.launches":                 "memory of launches that is used again, so that they allocate nothing",
		"internal/ccl.codeNames":       "a table of names that is only read",
		"internal/ccl.kindNames":       "a table of names that is only read",
		"internal/ccl/host.kinds":      "a table that is only read",
		"internal/ccl/host.names":      "a table of names that is only read",
		"internal/ccl/host.reductions": "a table that is only read",
		"internal/ccl/host.types":      "a table that is only read",
		"internal/ccl.opNames":         "a table of names that is only read",
		"internal/ccl.typeNames":       "a table of names that is only read",
		"internal/ccl.typeSizes":       "a table of sizes that is only read",
		"internal/dl.frames":           "frames of calls that are over, for the next ones",
		"internal/dl.scratches":        "memory that no call uses, for the next ones",
		"internal/dl.witness":          "what was called in this process, for tests that want to know",
		"internal/dl.trampolineAt":     "an address that is only read",
		"internal/engine/nvshmem.own":  "NVSHMEM can be initialised once per process",
		"internal/engine/rocshmem.own": "rocSHMEM can be started once per process",
		"internal/engine.deedNames":    "a table of names that is only read",
		"internal/engine.kindNames":    "a table of names that is only read",
		"nccl.groups":                  "a group belongs to a thread, and its function gets nothing to hold on to",
		"nccl.loaded":                  "a vendor's library is opened once per process",
		"nccl.numbers":                 "numbers the communicators of a process, of which an operation belongs to one",
		"shmem.cmpNames":               "a table of names that is only read",
		"internal/mem.level":           "what the CPU copies with, read once",
		"internal/reduce.kernels":      "a table of functions that is only read",
		"internal/reduce.level":        "what the CPU combines with, read once",
		"internal/reduce.opNames":      "a table of names that is only read",
		"internal/reduce.typeNames":    "a table of names that is only read",
		"internal/reduce.typeSizes":    "a table of sizes that is only read",
		"internal/reduce.e4m3":         "a table of values that is only read",
		"internal/reduce.e5m2":         "a table of values that is only read",
		"internal/python.thread":       "an interpreter belongs to one thread of the process",
		"internal/rtc.turn":            "one compilation goes at a time: hipRTC has global state",
		"launch/launcher.reserved":     "a table of names that is only read",
		"launch.worlds":                "numbers the worlds of a process, which know nothing of each other",
		"shmemtest.started":            "numbers the calls of a test, in the order in which it makes them",
	})
}
