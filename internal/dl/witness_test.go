package dl

import (
	"reflect"
	"testing"
)

// TestWitness: what is done counts only once somebody watches, and each function once.
func TestWitness(t *testing.T) {
	was := witness.on.Swap(false)
	defer witness.on.Store(was)
	a, b := &Library{spec: Spec{Name: "one of a test"}}, &Library{spec: Spec{Name: "another of a test"}}
	a.Done("before")
	Watch()
	for range 2 {
		a.Done("second")
		a.Done("first")
	}
	b.Done("alone")
	list := Witnessed()
	if got := [][]string{list["one of a test"], list["another of a test"]}; !reflect.DeepEqual(got, [][]string{{"first", "second"}, {"alone"}}) {
		t.Errorf("witnessed %q", got)
	}
}
