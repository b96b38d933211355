package interchange

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestRecord(t *testing.T) {
	float := Type{Float, 32, 1}
	for _, c := range []struct {
		a            Array
		stream       uintptr
		json, python string
		attribute    string
	}{
		{Array{Pointer: 4096, Shape: []int64{2, 3}, Strides: []int64{1, -2}, Type: float, Device: Device{CPU, 0}}, 0,
			`{"shape":[2,3],"typestr":"<f4","data":[4096,false],"strides":[4,-8],"version":3}`,
			`{'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'strides': (4, -8), 'version': 3}`, "__array_interface__"},
		{Array{Pointer: 64, Shape: []int64{5}, Type: Type{Bool, 8, 1}, Device: Device{ROCmHost, 0}, ReadOnly: true}, 7,
			`{"shape":[5],"typestr":"|b1","data":[64,true],"strides":null,"version":3}`,
			`{'shape': (5,), 'typestr': '|b1', 'data': (64, True), 'strides': None, 'version': 3}`, "__array_interface__"},
		{Array{Pointer: 1 << 47, Shape: []int64{}, Type: Type{Complex, 128, 1}, Device: Device{CUDA, 1}}, StreamLegacy,
			`{"shape":[],"typestr":"<c16","data":[140737488355328,false],"strides":null,"stream":1,"version":3}`,
			`{'shape': (), 'typestr': '<c16', 'data': (140737488355328, False), 'strides': None, 'stream': 1, 'version': 3}`, "__cuda_array_interface__"},
		{Array{Pointer: 64, Shape: []int64{1}, Strides: []int64{1}, Type: Type{Uint, 16, 1}, Device: Device{ROCm, 0}}, 0,
			`{"shape":[1],"typestr":"<u2","data":[64,false],"strides":[2],"version":3}`,
			`{'shape': (1,), 'typestr': '<u2', 'data': (64, False), 'strides': (2,), 'version': 3}`, "__cuda_array_interface__"},
	} {
		r, err := NewRecord(c.a)
		if err != nil {
			t.Fatal(err)
		}
		r.Stream = c.stream
		text, err := json.Marshal(r)
		if got := strings.ReplaceAll(string(text), `\u003c`, "<"); err != nil || got != c.json {
			t.Errorf("JSON %s, %v\nwant %s", got, err, c.json)
		}
		if got := r.String(); got != c.python || r.Attribute() != c.attribute {
			t.Errorf("%s: %s\nwant %s: %s", r.Attribute(), got, c.attribute, c.python)
		}
		back, err := ParseRecord(c.attribute, text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.Array(c.a.Device, nil); err != nil || !reflect.DeepEqual(again, c.a) {
			t.Errorf("%+v came back as %+v, %v", c.a, again, err)
		}
		if r.GPU && back.Stream != c.stream {
			t.Errorf("stream %d came back as %d", c.stream, back.Stream)
		}
	}
}

func TestRecordRefuses(t *testing.T) {
	good := Array{Pointer: 64, Shape: []int64{1}, Type: Type{Float, 32, 1}, Device: Device{CPU, 0}}
	for want, spoil := range map[string]func(a *Array){
		"use DLPack":                func(a *Array) { a.Type = Type{Bfloat, 16, 1} },
		"type code 10 of 8 bits":    func(a *Array) { a.Type = Type{Float8E4M3, 8, 1} },
		"type code 2 of 128 bits":   func(a *Array) { a.Type.Bits = 128 },
		"memory of device type 14 ": func(a *Array) { a.Device.Type = 14 },
		"must not be negative":      func(a *Array) { a.Shape = []int64{-1} },
	} {
		a := good
		spoil(&a)
		if r, err := NewRecord(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, r, err)
		}
	}
}

func TestParseRecordRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "unexpected end",
		`{"shape":[1],"typestr":"<f4","data":[64,false],"version":4}`:              "versions 2 and 3",
		`{"typestr":"<f4","data":[64,false],"version":3}`:                          "needs a shape",
		`{"shape":[1],"typestr":"<f4","data":[64,false],"mask":{},"version":3}`:    "mask",
		`{"shape":[1],"typestr":"<f4","data":null,"version":3}`:                    "needs data",
		`{"shape":[1],"typestr":"<f4","data":["x",false],"version":3}`:             "needs data",
		`{"shape":[1],"typestr":">f4","data":[64,false],"version":3}`:              "little-endian",
		`{"shape":[1],"typestr":"<U4","data":[64,false],"version":3}`:              "no number",
		`{"shape":[1],"typestr":"<f3","data":[64,false],"version":3}`:              "no number",
		`{"shape":[1],"typestr":"<f4","data":[64,false],"stream":0,"version":3}`:   "no stream 0",
		`{"shape":[1.5],"typestr":"<f4","data":[64,false],"stream":0,"version":3}`: "cannot unmarshal",
	} {
		if r, err := ParseRecord("__cuda_array_interface__", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
	if _, err := ParseRecord("__array_struct__", []byte(`{}`)); err == nil {
		t.Error("__array_struct__ was accepted")
	}
	r := Record{Shape: []int64{2}, Typestr: "<f8", Pointer: 64, Strides: []int64{12}}
	if a, err := r.Array(Device{CPU, 0}, nil); err == nil {
		t.Errorf("strides of 12 bytes: %+v", a)
	}
}
