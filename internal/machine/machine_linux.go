package machine

import (
	"os"
	"strings"
)

// kernel is drawn anew at every boot. A container that hides it is told by its host name.
func kernel() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return " boot " + strings.TrimSpace(string(boot))
}

// network is the namespace in which abstract names are.
func network() string {
	name, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return ""
	}
	return " " + name
}
