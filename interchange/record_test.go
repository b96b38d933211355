package interchange

import "testing"

func TestRecordJSON(t *testing.T) {
	a := Array{Pointer: 4096, Shape: []int64{2, 3}, Strides: []int64{1, 2}, Type: Type{Float, 32, 1}, Device: Device{CPU, 0}}
	r, err := NewRecord(a)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.JSON()
	want := `{"shape":[2,3],"typestr":"\u003cf4","data":[4096,false],"strides":[4,8],"version":3}`
	if err != nil || string(got) != want {
		t.Fatalf("got %s, %v; want %s", got, err, want)
	}
}

func TestRecordRefuses(t *testing.T) {
	good := Array{Shape: []int64{1}, Type: Type{Float, 32, 1}, Device: Device{CPU, 0}}
	bad := []Array{good, good, good, good}
	bad[0].Type = Type{Bfloat, 16, 1}
	bad[1].Device.Type = CUDA
	bad[2].Strides = []int64{1, 1}
	bad[3].Shape = []int64{-1}
	for i, a := range bad {
		if _, err := NewRecord(a); err == nil {
			t.Errorf("case %d: %+v was accepted", i, a)
		}
	}
}
