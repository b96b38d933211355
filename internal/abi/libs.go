// Package abi is what we know about the vendors' libraries: what their files are
// called, where they lie, which functions we need and since when they exist. Each
// table says where its facts come from.
package abi

import (
	"fmt"
	"slices"

	"github.com/goshmem/goshmem/internal/dl"
)

// All lists every library that goshmem knows, in the order in which people look
// for them: a vendor's driver before what is built on it.
func All() []dl.Spec {
	return []dl.Spec{CUDA(), NVRTC(), NCCL(), NVSHMEM(), HIP(), HIPRTC(), RCCL(), ROCSHMEM(), UCX(), MPI()}
}

// Find returns the library of that name.
func Find(name string) (dl.Spec, error) {
	all := All()
	i := slices.IndexFunc(all, func(s dl.Spec) bool { return s.Name == name })
	if i < 0 {
		return dl.Spec{}, fmt.Errorf("no library is called %q here", name)
	}
	return all[i], nil
}

// required makes table entries for functions that we cannot do without.
func required(purpose string, names ...string) []dl.Symbol {
	return symbols(true, "", purpose, names)
}

// optional makes table entries for functions that a version added.
func optional(since, purpose string, names ...string) []dl.Symbol {
	return symbols(false, since, purpose, names)
}

func symbols(needed bool, since, purpose string, names []string) []dl.Symbol {
	list := make([]dl.Symbol, len(names))
	for i, name := range names {
		list[i] = dl.Symbol{Name: name, Required: needed, Since: since, For: purpose}
	}
	return list
}

// dotted is the format of a library that stores the parts of its version.
func dotted(out []int32) string {
	text := fmt.Sprint(out[0])
	for _, part := range out[1:] {
		text += fmt.Sprintf(".%d", part)
	}
	return text
}
