package rtc

import (
	"slices"
	"testing"

	"github.com/goshmem/goshmem/internal/dl"
)

// TestEvidence: what a compiler has done can be told, what it refused is not.
func TestEvidence(t *testing.T) {
	mock(t)
	dl.Watch()
	if _, _, err := Compile(NVRTC, source("wrong", "sm_90")); err == nil {
		t.Error("the mock compiled what is wrong")
	}
	done := dl.Witnessed()["nvrtc"]
	if slices.Contains(done, "nvrtcCompileProgram") || !slices.Contains(done, "nvrtcGetErrorString") || !slices.Contains(done, "nvrtcCreateProgram") {
		t.Errorf("witnessed %q after an error", done)
	}
	if _, _, err := Compile(NVRTC, source("right", "sm_90")); err != nil || !slices.Contains(dl.Witnessed()["nvrtc"], "nvrtcCompileProgram") {
		t.Errorf("witnessed %q, %v", dl.Witnessed(), err)
	}
}
