package gpu

import (
	"errors"
	"testing"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/rtc"
)

// TestCompilerErrors: what a compiler says, and that there is none, are told apart.
func TestCompilerErrors(t *testing.T) {
	for _, c := range []struct{ err, kind error }{
		{&rtc.Error{Call: "nvrtcCompileProgram", Log: "error: no"}, ErrCompiler},
		{&dl.LoadError{Report: &dl.Report{Library: "nvrtc"}, Err: dl.ErrNotFound}, ErrUnsupported},
		{rtc.ErrArch, ErrArch},
	} {
		got := sorted(c.err)
		for _, kind := range []error{ErrCompiler, ErrUnsupported, ErrArch} {
			if errors.Is(got, kind) != (kind == c.kind) {
				t.Errorf("%v is %v: %v", got, kind, errors.Is(got, kind))
			}
		}
		if !errors.Is(got, c.err) {
			t.Errorf("%v does not wrap %v", got, c.err)
		}
	}
	if sorted(nil) != nil {
		t.Error("an error where there was none")
	}
}
