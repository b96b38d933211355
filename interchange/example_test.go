package interchange_test

import (
	"fmt"

	"github.com/goshmem/goshmem/interchange"
)

// A Python object with this attribute is an array for NumPy, or for PyTorch on a GPU.
func ExampleNewRecord() {
	r, err := interchange.NewRecord(interchange.Array{
		Pointer: 0x7f00_0000_0000, Shape: []int64{2, 3}, Strides: []int64{1, 2},
		Type:   interchange.Type{Code: interchange.Float, Bits: 32, Lanes: 1},
		Device: interchange.Device{Type: interchange.CUDA},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Stream = interchange.StreamLegacy
	fmt.Println(r.Attribute())
	fmt.Println(r)
	// Output:
	// __cuda_array_interface__
	// {'shape': (2, 3), 'typestr': '<f4', 'data': (139637976727552, False), 'strides': (4, 8), 'stream': 1, 'version': 3}
}
