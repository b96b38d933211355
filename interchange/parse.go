package interchange

import (
	"encoding/json"
	"fmt"
)

// ParseRecord reads a record of the array interface from JSON, as json.dumps writes the
// attribute of a Python object: "__array_interface__" or "__cuda_array_interface__".
// Versions 2 and 3 are understood; masks, and data that is not an address, are errors.
func ParseRecord(attribute string, text []byte) (Record, error) {
	var f struct {
		fields
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return Record{}, fmt.Errorf("interchange: a record of the array interface: %w", err)
	}
	r := Record{Shape: f.Shape, Typestr: f.Typestr, Strides: f.Strides, GPU: attribute == Record{GPU: true}.Attribute()}
	var wrong string
	switch {
	case !r.GPU && attribute != r.Attribute():
		wrong = "is not called " + attribute
	case f.Version != 2 && f.Version != 3:
		wrong = fmt.Sprintf("is understood in versions 2 and 3, not %d", f.Version)
	case f.Shape == nil:
		wrong = "needs a shape"
	case f.Mask != nil && string(f.Mask) != "null":
		wrong = "is understood without a mask only"
	case len(f.Data) != 2 || json.Unmarshal(f.Data[0], &r.Pointer) != nil || json.Unmarshal(f.Data[1], &r.ReadOnly) != nil:
		wrong = "needs data: an address, and whether it is read-only"
	case r.GPU && f.Stream != nil && *f.Stream == 0:
		wrong = "has no stream 0: 1 is the legacy default stream, null is none"
	}
	if wrong != "" {
		return Record{}, fmt.Errorf("interchange: a record of the array interface %s", wrong)
	}
	if r.GPU && f.Stream != nil {
		r.Stream = *f.Stream
	}
	_, err := typeOf(r.Typestr)
	return r, err
}

// Array gives the record as an Array on a device: the record itself does not say on
// which. owner is what keeps the memory. Errors: strides that are not whole elements,
// and what Validate finds.
func (r Record) Array(device Device, owner any) (Array, error) {
	t, err := typeOf(r.Typestr)
	if err != nil {
		return Array{}, err
	}
	a := Array{Pointer: r.Pointer, Shape: append([]int64{}, r.Shape...), Type: t, Device: device, ReadOnly: r.ReadOnly, Owner: owner}
	if r.Strides != nil {
		a.Strides = make([]int64, len(r.Strides))
	}
	for i, s := range r.Strides {
		if s%int64(t.Size()) != 0 {
			return Array{}, fmt.Errorf("interchange: a stride of %d bytes is not a whole number of elements of %d", s, t.Size())
		}
		a.Strides[i] = s / int64(t.Size())
	}
	return a, a.Validate()
}
