package gpu

import (
	"github.com/goshmem/goshmem/internal/device"
	"github.com/goshmem/goshmem/internal/device/vendor"
)

func openCUDA() (device.Driver, error) { return vendor.OpenCUDA() }

func openHIP() (device.Driver, error) { return vendor.OpenHIP() }
