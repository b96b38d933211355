package mask

import (
	"strings"
	"testing"
)

// environ looks up variables in a line of them.
func environ(line string) func(string) (string, bool) {
	set := map[string]string{}
	for _, v := range strings.Fields(line) {
		name, value, _ := strings.Cut(v, "=")
		set[name] = value
	}
	return func(name string) (string, bool) {
		value, ok := set[name]
		return value, ok
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ platform, set, want string }{
		{"cuda", "", ""},
		{"cuda", "HIP_VISIBLE_DEVICES=1 ROCR_VISIBLE_DEVICES=2", ""},
		{"host", "CUDA_VISIBLE_DEVICES=3", ""},
		{"cuda", "CUDA_VISIBLE_DEVICES=3", "CUDA_VISIBLE_DEVICES=3: cuda:0 is the machine's 3"},
		{"cuda", "CUDA_VISIBLE_DEVICES=2,GPU-ab,2", "CUDA_VISIBLE_DEVICES=2,GPU-ab,2: cuda:0 is the machine's 2, cuda:1 is the machine's GPU-ab"},
		{"cuda", "CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES= hides all devices"},
		{"cuda", "CUDA_VISIBLE_DEVICES=-1", "CUDA_VISIBLE_DEVICES=-1 hides all devices"},
		{"cuda", "CUDA_VISIBLE_DEVICES=1,-1,2", "CUDA_VISIBLE_DEVICES=1,-1,2: cuda:0 is the machine's 1"},
		{"hip", "CUDA_VISIBLE_DEVICES=3", "CUDA_VISIBLE_DEVICES=3: hip:0 is the machine's 3"},
		{"hip", "CUDA_VISIBLE_DEVICES=3 HIP_VISIBLE_DEVICES=1", "HIP_VISIBLE_DEVICES=1: hip:0 is the machine's 1"},
		{"hip", "ROCR_VISIBLE_DEVICES=4,5 HIP_VISIBLE_DEVICES=1", "ROCR_VISIBLE_DEVICES=4,5, then HIP_VISIBLE_DEVICES=1: hip:0 is the machine's 5"},
		{"hip", "ROCR_VISIBLE_DEVICES=4,5 HIP_VISIBLE_DEVICES=4,5", "ROCR_VISIBLE_DEVICES=4,5, then HIP_VISIBLE_DEVICES=4,5 hides all devices"},
		{"hip", "ROCR_VISIBLE_DEVICES=6,7 HIP_VISIBLE_DEVICES=1,0 GPU_DEVICE_ORDINAL=1", "ROCR_VISIBLE_DEVICES=6,7, then HIP_VISIBLE_DEVICES=1,0, then GPU_DEVICE_ORDINAL=1: hip:0 is the machine's 6"},
	} {
		if got := Explain(c.platform, environ(c.set)); got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.platform, c.set, got, c.want)
		}
	}
}
