package env

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/fault"
)

// ForeignHeapSize counts where HeapSize is not set.
const ForeignHeapSize = "ROCSHMEM_HEAP_SIZE"

// Bounds of a symmetric heap: a page, and what 47 bits of address space can hold
// for two PEs.
const (
	MinHeap = 4096
	MaxHeap = 1 << 46
)

// MaxHostDevices is how many devices platform host may have.
const MaxHostDevices = 64

// Problem is a variable whose value no world can follow.
type Problem struct {
	Name, Value string
	Err         error // says what the value is not, such as "not a size"
}

// Problems checks the values in environ ("NAME=value" lines, the last of a name
// counts). An empty value is as good as none. Engines is what Engine may be.
func Problems(environ, engines []string) []Problem {
	values := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		values[name] = value
	}
	heap := HeapSize
	if values[heap] == "" {
		heap = ForeignHeapSize
	}
	var bad []Problem
	for _, name := range []string{Engine, heap, Timeout, NodeSize, NodeTransport, Checked, Weak, HostDevices, Fault} {
		if err := checkValue(name, values[name], engines); values[name] != "" && err != nil {
			bad = append(bad, Problem{name, values[name], err})
		}
	}
	return bad
}

// CheckValues returns an error that names all problems of environ: N ranks must
// not be started to find them.
func CheckValues(environ, engines []string) error {
	var all error
	for _, p := range Problems(environ, engines) {
		err := fmt.Errorf("%s=%q is %w", p.Name, p.Value, p.Err)
		if all != nil {
			err = fmt.Errorf("%w; %w", all, err) // one line, as all our errors
		}
		all = err
	}
	return all
}

func checkValue(name, value string, engines []string) error {
	switch name {
	case Engine:
		if !slices.Contains(engines, value) {
			return fmt.Errorf("not an engine: there is %s", strings.Join(engines, ", "))
		}
	case Timeout:
		if d, err := time.ParseDuration(value); err != nil || d <= 0 {
			return errors.New("not a positive duration such as 30s or 5m")
		}
	case NodeSize:
		if n, err := strconv.Atoi(value); err != nil || n < 1 {
			return errors.New("not a number of PEs")
		}
	case NodeTransport:
		if value != "ucx" {
			return errors.New("not a transport: there is ucx")
		}
	case HostDevices:
		if n, err := strconv.Atoi(value); err != nil || n < 1 || n > MaxHostDevices {
			return fmt.Errorf("not a number of devices from 1 to %d", MaxHostDevices)
		}
	case Fault:
		if _, err := fault.Parse(value); err != nil {
			return fmt.Errorf("not a fault: %w", err)
		}
	case Weak:
		if _, err := strconv.ParseUint(value, 10, 64); err != nil {
			return errors.New("not a seed: use a number from 1 on, or 0 for none")
		}
	case Checked:
		if value != "0" && value != "1" {
			return errors.New("neither 0 nor 1")
		}
	default:
		return checkSize(value)
	}
	return nil
}

func checkSize(text string) error {
	n, err := ParseBytes(text)
	if err != nil {
		return errors.New("not a size: use bytes, or a number with KiB, MiB or GiB")
	}
	if n < MinHeap || n > MaxHeap {
		return fmt.Errorf("not a heap: %d bytes per PE; at least %d, at most %d", n, MinHeap, int64(MaxHeap))
	}
	return nil
}

// ParseBytes reads a number of bytes with an optional binary unit.
func ParseBytes(text string) (uint64, error) {
	for unit, shift := range map[string]uint{"KiB": 10, "MiB": 20, "GiB": 30} {
		if number, found := strings.CutSuffix(text, unit); found {
			n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 64-int(shift))
			return n << shift, err
		}
	}
	return strconv.ParseUint(text, 10, 64)
}
