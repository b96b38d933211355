//go:build !linux

package dl

import (
	"errors"
	"testing"
)

func TestOpenSaysUnsupported(t *testing.T) {
	l, r, err := Open(Spec{Name: "thing", Sonames: []string{"libthing.so"}})
	if l != nil || r == nil || !errors.Is(err, ErrUnsupported) {
		t.Errorf("library %v, report %v, error %v", l, r, err)
	}
}
