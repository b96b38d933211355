package shmem

import "github.com/goshmem/goshmem/internal/engine"
import "github.com/goshmem/goshmem/gpu"

type memory struct{ device *deviceMemory }
type deviceMemory struct{ engine.Device }

func (w *World) deviceName() string { return "host:0" }

// Device stub.
func (w *World) Device() *gpu.Device { d, _ := gpu.Open(w.deviceName()); return d }
