package info

import (
	"os"
	"path/filepath"
	"strings"
)

// Device is a device file of a GPU. Finding it needs no driver library.
type Device struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Usable bool   `json:"usable"` // this user may open it
}

// Devices looks for the device files of the vendors below root; usable says
// whether this user may open one.
func Devices(root string, usable func(path string) bool) []Device {
	list := []Device{}
	for _, d := range []struct{ pattern, kind string }{
		{"dev/nvidia[0-9]*", "NVIDIA GPU"},
		{"dev/kfd", "AMD compute interface"},
		{"dev/dri/renderD*", "render node"},
	} {
		found, err := filepath.Glob(filepath.Join(root, d.pattern))
		if err != nil {
			continue // the patterns are ours and well-formed; only root could be odd
		}
		for _, path := range found {
			list = append(list, Device{Path: path, Kind: kindOf(root, path, d.kind), Usable: usable(path)})
		}
	}
	return list
}

// kindOf names the vendor of a render node, which any GPU has.
func kindOf(root, path, kind string) string {
	if kind != "render node" {
		return kind
	}
	id, err := os.ReadFile(filepath.Join(root, "sys/class/drm", filepath.Base(path), "device/vendor"))
	if err != nil {
		return kind
	}
	switch strings.TrimSpace(string(id)) {
	case "0x1002":
		return "AMD " + kind
	case "0x10de":
		return "NVIDIA " + kind
	case "0x8086":
		return "Intel " + kind
	}
	return kind
}
