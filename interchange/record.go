package interchange

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The streams of __cuda_array_interface__ that are no addresses. 0 is none: the
// consumer need not wait.
const (
	StreamLegacy    uintptr = 1 // the legacy default stream
	StreamPerThread uintptr = 2 // the default stream of each thread
)

// Record is a record of the array interface, version 3: the dictionary that Python
// objects show as __array_interface__ for memory that a CPU reaches, and as
// __cuda_array_interface__ for memory of a GPU, AMD's too. It keeps nothing: whoever
// hands it on keeps the memory until the reader is done, which the reader does not say.
type Record struct {
	Shape    []int64
	Typestr  string
	Pointer  uintptr
	ReadOnly bool
	Strides  []int64 // in bytes; nil is compact, row by row
	GPU      bool    // which of the two it is
	Stream   uintptr // GPU: on which the memory is ready; 0 for none
}

// NewRecord describes a as a record of the array interface. Types without a typestr
// (bfloat16, float8), and devices other than hosts, CUDA and ROCm are errors.
func NewRecord(a Array) (Record, error) {
	if err := a.Validate(); err != nil {
		return Record{}, err
	}
	gpu := a.Device.Type == CUDA || a.Device.Type == ROCm
	if !gpu && !a.Device.Type.host() {
		return Record{}, fmt.Errorf("interchange: memory of %v has no array interface: only that of hosts, CUDA and ROCm has", a.Device.Type)
	}
	typestr, err := a.Type.typestr()
	if err != nil {
		return Record{}, err
	}
	r := Record{Shape: append([]int64{}, a.Shape...), Typestr: typestr, Pointer: a.Pointer, ReadOnly: a.ReadOnly, GPU: gpu}
	if a.Strides != nil {
		r.Strides = make([]int64, len(a.Strides))
	}
	for i, s := range a.Strides {
		r.Strides[i] = s * int64(a.Type.Size())
	}
	return r, nil
}

// Attribute is the name under which a Python object shows the record.
func (r Record) Attribute() string {
	if r.GPU {
		return "__cuda_array_interface__"
	}
	return "__array_interface__"
}

// fields is the record as it is in JSON and Python.
type fields struct {
	Shape   []int64         `json:"shape"`
	Typestr string          `json:"typestr"`
	Data    [2]any          `json:"data"`
	Strides []int64         `json:"strides"`
	Stream  *uintptr        `json:"stream,omitempty"`
	Mask    json.RawMessage `json:"mask,omitempty"`
	Version int             `json:"version"`
}

// MarshalJSON gives the record as a JSON object.
func (r Record) MarshalJSON() ([]byte, error) {
	f := fields{Shape: append([]int64{}, r.Shape...), Typestr: r.Typestr, Data: [2]any{r.Pointer, r.ReadOnly}, Strides: r.Strides, Version: 3}
	if r.GPU && r.Stream != 0 {
		f.Stream = &r.Stream
	}
	return json.Marshal(f)
}

// String gives the record as a dictionary in Python's words, for eval.
func (r Record) String() string {
	strides, readonly, stream := "None", "False", ""
	if r.Strides != nil {
		strides = tuple(r.Strides)
	}
	if r.ReadOnly {
		readonly = "True"
	}
	if r.GPU && r.Stream != 0 {
		stream = fmt.Sprintf(", 'stream': %d", r.Stream)
	}
	return fmt.Sprintf("{'shape': %s, 'typestr': '%s', 'data': (%d, %s), 'strides': %s%s, 'version': 3}",
		tuple(r.Shape), r.Typestr, r.Pointer, readonly, strides, stream)
}

// tuple is a tuple of Python; that of one element has a comma too.
func tuple(list []int64) string {
	var b strings.Builder
	for _, n := range list {
		fmt.Fprintf(&b, "%d, ", n)
	}
	text := strings.TrimSuffix(b.String(), " ")
	if len(list) > 1 {
		text = strings.TrimSuffix(text, ",")
	}
	return "(" + text + ")"
}
