package vendor

import (
	"fmt"
	"strings"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/abi/hip"
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/dl"
)

// OpenHIP loads AMD's runtime. It returns an error that wraps device.ErrUnsupported if
// there is none that we can use, and device.ErrNoDevice if it has no device for us.
func OpenHIP() (device.Driver, error) { return open(hipDialect()) }

func hipDialect() dialect {
	return dialect{
		name: "hip", spec: abi.HIP(), bindings: abi.HIPRuntime(),
		textReturn: true, copyKind: true, kind: hip.HipMemcpyDefault, waitMask: true,
		notReady: hip.HipErrorNotReady, outOfMemory: hip.HipErrorOutOfMemory,
		invalidValue: hip.HipErrorInvalidValue, peerAlready: hip.HipErrorPeerAccessAlreadyEnabled,
		meaning: hipMeaning,
		attributes: attributes{
			processors: hip.HipDeviceAttributeMultiprocessorCount, warp: hip.HipDeviceAttributeWarpSize,
			threads: hip.HipDeviceAttributeMaxThreadsPerBlock,
			gridX:   hip.HipDeviceAttributeMaxGridDimX, gridY: hip.HipDeviceAttributeMaxGridDimY, gridZ: hip.HipDeviceAttributeMaxGridDimZ,
			shared: hip.HipDeviceAttributeMaxSharedMemoryPerBlock, waitValues: hip.HipDeviceAttributeCanUseStreamWaitValue,
			integrated: hip.HipDeviceAttributeIntegrated, clock: hip.HipDeviceAttributeClockRate,
			major: hip.HipDeviceAttributeComputeCapabilityMajor, minor: hip.HipDeviceAttributeComputeCapabilityMinor,
			peerAtomics: hip.HipDevP2PAttrNativeAtomicSupported,
			memoryType:  hip.HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, memoryDevice: hip.HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
			memoryStart: hip.HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, memorySize: hip.HIP_POINTER_ATTRIBUTE_RANGE_SIZE,
			funcThreads: hip.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, funcShared: hip.HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
			funcLocal: hip.HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, funcRegisters: hip.HIP_FUNC_ATTRIBUTE_NUM_REGS,
		},
		flags: flags{
			pinned:      hip.HipHostMallocPortable | hip.HipHostMallocMapped,
			nonBlocking: hip.HipStreamNonBlocking, noTiming: hip.HipEventDisableTiming, relaxed: hip.HipStreamCaptureModeRelaxed,
			compare: [3]uintptr{
				device.CompareGE:  hip.HipStreamWaitValueGte,
				device.CompareEQ:  hip.HipStreamWaitValueEq,
				device.CompareAnd: hip.HipStreamWaitValueAnd,
			},
		},
		arch:  hipArch,
		adapt: hipAdapt,
	}
}

// hipAdapt fills in what depends on the library's version, which is 10^7 times the major.
func hipAdapt(d *dialect, version int32) {
	v := hip.Of(int(version / 10000000))
	d.flags.importing = v.IpcMemLazyEnablePeerAccess
	d.memory = memoryTypes{host: v.MemoryTypeHost, device: v.MemoryTypeDevice}
}

// hipArch reads the architecture out of the properties, whose layout came with the name
// of the function. "gfx90a:sramecc+:xnack-" is gfx90a with features that it has now.
func hipArch(d *driver, dev, _, _ int) (string, error) {
	s, err := d.enter(dev)
	if err != nil {
		return "", err
	}
	defer s.leave()
	major := 5
	if strings.HasSuffix(d.names[abi.OpProperties], "R0600") {
		major = 6
	}
	v := hip.Of(major)
	props := dl.OutSlice[byte](s.scratch(), v.PropSize+hip.ArchNameSize) // with room for what a later version appends
	if err := s.call(abi.OpProperties, dl.Addr(&props[0]), uintptr(dev)); err != nil {
		return "", err
	}
	arch, _, _ := strings.Cut(text(props[v.PropArchName:v.PropArchName+hip.ArchNameSize]), ":")
	if !strings.HasPrefix(arch, "gfx") {
		return "", fmt.Errorf("hip:%d: %s has %q where the architecture was expected: %w",
			dev, d.names[abi.OpProperties], arch, device.ErrUnsupported)
	}
	return arch, nil
}

// hipMeaning tells statuses apart. After those of a fault the process cannot go on.
func hipMeaning(status int32) error {
	switch status {
	case hip.HipErrorOutOfMemory:
		return device.ErrMemory
	case hip.HipErrorInvalidValue, hip.HipErrorInvalidDevice, hip.HipErrorInvalidHandle, hip.HipErrorInvalidDevicePointer:
		return device.ErrArgument
	case hip.HipErrorNoDevice:
		return device.ErrNoDevice
	case hip.HipErrorNoBinaryForGpu:
		return device.ErrArch
	case hip.HipErrorNotFound:
		return device.ErrNoFunction
	case hip.HipErrorNotReady:
		return device.ErrBusy
	case hip.HipErrorNotSupported, hip.HipErrorPeerAccessUnsupported:
		return device.ErrUnsupported
	case hip.HipErrorIllegalAddress, hip.HipErrorLaunchTimeOut, hip.HipErrorAssert, hip.HipErrorLaunchFailure,
		hip.HipErrorECCNotCorrectable, hip.HipErrorContextIsDestroyed, hip.HipErrorDeinitialized:
		return device.ErrFault
	}
	return nil
}
