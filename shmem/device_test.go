package shmem_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/goshmem/goshmem/internal/conformance"
	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

func TestConformanceDevice(t *testing.T) {
	checks := append(conformance.All(), conformance.Endings()...)
	o := roomy
	o.Engine = "ipc"
	for _, n := range []int{1, 3} {
		o.Check = shmem.CheckOn
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			for _, c := range conformance.Fitting(checks, n) {
				fmt.Fprintln(os.Stderr, c.Name)
				t.Run(c.Name, func(t *testing.T) { shmemtest.RunWith(t, n, o, c.Run) })
			}
		})
	}
}
