package env

import (
	"strings"
	"testing"
)

// TestCheckValues has the cases that package shmem refuses.
func TestCheckValues(t *testing.T) {
	const size, duration = "is not a size: use bytes, or a number with KiB, MiB or GiB", "is not a positive duration such as 30s or 5m"
	for _, c := range []struct {
		environ, want string // lines, with spaces between them, and a part of the error
	}{
		{"", ""},
		{"GOSHMEM_ENGINE= GOSHMEM_HEAP_SIZE= GOSHMEM_TIMEOUT= ROCSHMEM_HEAP_SIZE=", ""},
		{"GOSHMEM_ENGINE=host GOSHMEM_HEAP_SIZE=4096 GOSHMEM_TIMEOUT=1h30m", ""},
		{"GOSHMEM_HEAP_SIZE=65536GiB", ""},
		{"GOSHMEM_HEAP_SIZE=64KiB ROCSHMEM_HEAP_SIZE=nobody-reads-this", ""},
		{"ROCSHMEM_HEAP_SIZE=2097152 OTHER_TIMEOUT=x", ""},
		{"GOSHMEM_TIMEOUT=abc GOSHMEM_TIMEOUT=3s", ""},
		{"GOSHMEM_HEAP_SIZE=lots", `GOSHMEM_HEAP_SIZE="lots" ` + size},
		{"GOSHMEM_HEAP_SIZE=-1", `GOSHMEM_HEAP_SIZE="-1" ` + size},
		{"GOSHMEM_HEAP_SIZE=1.5GiB", `="1.5GiB" ` + size},
		{"GOSHMEM_HEAP_SIZE=12kib", `="12kib" ` + size},
		{"GOSHMEM_HEAP_SIZE=GiB", `="GiB" ` + size},
		{"GOSHMEM_HEAP_SIZE=18446744073709551616", size},
		{"GOSHMEM_HEAP_SIZE=17179869184GiB", size},
		{"GOSHMEM_HEAP_SIZE=0", `="0" is not a heap: 0 bytes per PE; at least 4096, at most 70368744177664`},
		{"GOSHMEM_HEAP_SIZE=4095", "4095 bytes per PE; at least 4096"},
		{"GOSHMEM_HEAP_SIZE=1048576GiB", "1125899906842624 bytes per PE"},
		{"ROCSHMEM_HEAP_SIZE=many", `ROCSHMEM_HEAP_SIZE="many" ` + size},
		{"ROCSHMEM_HEAP_SIZE=17", "17 bytes per PE"},
		{"GOSHMEM_TIMEOUT=soon", `GOSHMEM_TIMEOUT="soon" ` + duration},
		{"GOSHMEM_TIMEOUT=30", `="30" ` + duration},
		{"GOSHMEM_TIMEOUT=0s", `="0s" ` + duration},
		{"GOSHMEM_TIMEOUT=-5m", `="-5m" ` + duration},
		{"GOSHMEM_NODE_SIZE=2 GOSHMEM_CHECK=1", ""},
		{"GOSHMEM_NODE_SIZE= GOSHMEM_CHECK=0", ""},
		{"GOSHMEM_NODE_SIZE=0", `GOSHMEM_NODE_SIZE="0" is not a number of PEs`},
		{"GOSHMEM_NODE_SIZE=-1", `="-1" is not a number of PEs`},
		{"GOSHMEM_NODE_SIZE=two", `="two" is not a number of PEs`},
		{"GOSHMEM_CHECK=yes", `GOSHMEM_CHECK="yes" is neither 0 nor 1`},
		{"GOSHMEM_CHECK=2", `="2" is neither 0 nor 1`},
		{"GOSHMEM_WEAK=0", ""},
		{"GOSHMEM_WEAK=18446744073709551615", ""},
		{"GOSHMEM_WEAK=18446744073709551616", `="18446744073709551616" is not a seed: use a number from 1 on, or 0 for none`},
		{"GOSHMEM_WEAK=-1", `GOSHMEM_WEAK="-1" is not a seed`},
		{"GOSHMEM_HOST_DEVICES=64", ""},
		{"GOSHMEM_HOST_DEVICES=0", `GOSHMEM_HOST_DEVICES="0" is not a number of devices from 1 to 64`},
		{"GOSHMEM_HOST_DEVICES=65", `="65" is not a number of devices`},
		{"GOSHMEM_FAULT=kill,pe=2,op=put,n=17;slow,link=0-1,by=1ms", ""},
		{"GOSHMEM_FAULT=maim,pe=2", `GOSHMEM_FAULT="maim,pe=2" is not a fault: in "maim,pe=2": "maim" is neither a fault (delay, stop, kill, fail, slow, exhaust, lose) nor key=value`},
		{"GOSHMEM_ENGINE=teleport", `GOSHMEM_ENGINE="teleport" is not an engine: there is host, other`},
		{"GOSHMEM_ENGINE=HOST", `"HOST" is not an engine`},
		{"GOSHMEM_ENGINE=x GOSHMEM_TIMEOUT=y", `GOSHMEM_ENGINE="x" is not an engine: there is host, other; GOSHMEM_TIMEOUT="y" ` + duration},
	} {
		got := text(CheckValues(strings.Fields(c.environ), []string{"host", "other"}))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.environ, got, c.want)
		}
	}
}
