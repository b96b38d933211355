package hip

// Version is what differs between the major versions of HIP.
type Version struct {
	MemoryTypeHost             int // hipMemoryTypeHost
	MemoryTypeDevice           int // hipMemoryTypeDevice
	IpcMemLazyEnablePeerAccess uintptr
	PropSize                   int // sizeof(hipDeviceProp_t)
	PropArchName               int // offsetof(hipDeviceProp_t, gcnArchName), of ArchNameSize bytes
}

// ArchNameSize is the length of hipDeviceProp_t.gcnArchName.
const ArchNameSize = 256

// Of returns what holds for a major version.
//
// Origin: hip_runtime_api.h of HIP 5.2.3, with which the tests compare; that of HIP 6.0
// was read, and not compiled. Of that in AMD's rocm-systems in 2026, HIP 7, the kinds of
// memory and the attributes of devices were read: they are as in HIP 6, and as in 5.2.3.
func Of(major int) Version {
	if major < 6 {
		return Version{MemoryTypeHost: 0, MemoryTypeDevice: 1, IpcMemLazyEnablePeerAccess: 0, PropSize: 792, PropArchName: 396}
	}
	return Version{MemoryTypeHost: 1, MemoryTypeDevice: 2, IpcMemLazyEnablePeerAccess: 1, PropSize: 1472, PropArchName: 1160}
}
