package interchange

import (
	"encoding/json"
	"fmt"
)

// Record is an array-interface record, version 3, of memory on a CPU: the
// dictionary of NumPy's __array_interface__. It does not keep the memory
// alive: the caller keeps the Array's owner until the reader is done.
type Record struct {
	Shape   []int64 `json:"shape"`
	Typestr string  `json:"typestr"`
	Data    [2]any  `json:"data"`
	Strides []int64 `json:"strides"` // in bytes; null is compact row-major
	Version int     `json:"version"`
}

// NewRecord describes a as an array-interface record. Memory that is not on a
// CPU, and types without a typestr (bfloat16, float8), are errors.
func NewRecord(a Array) (Record, error) {
	if err := a.Validate(); err != nil {
		return Record{}, err
	}
	if a.Device.Type != CPU {
		return Record{}, fmt.Errorf("interchange: device type %d has no array-interface record: only CPU memory has", a.Device.Type)
	}
	typestr, err := a.Type.typestr()
	if err != nil {
		return Record{}, err
	}
	r := Record{Shape: append([]int64{}, a.Shape...), Typestr: typestr, Data: [2]any{a.Pointer, a.ReadOnly}, Version: 3}
	for _, s := range a.Strides {
		r.Strides = append(r.Strides, s*int64(a.Type.Bits/8))
	}
	return r, nil
}

// JSON gives the record as a JSON object.
func (r Record) JSON() ([]byte, error) { return json.Marshal(r) }

func (t Type) typestr() (string, error) {
	kinds := map[TypeCode]string{Int: "i", Uint: "u", Float: "f", Complex: "c", Bool: "b"}
	kind, ok := kinds[t.Code]
	if !ok {
		return "", fmt.Errorf("interchange: type code %d has no typestr: use DLPack for bfloat16 and float8", t.Code)
	}
	order := "<"
	if t.Bits == 8 {
		order = "|"
	}
	return fmt.Sprintf("%s%s%d", order, kind, t.Bits/8), nil
}
