package perf

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/shmem"
)

// Every collective gives what its check expects, and the check notices a wrong element
// and a result that has stayed away.
func TestPartsOfVectors(t *testing.T) {
	for _, pes := range []int{1, 2, 3} {
		err := shmem.RunLocal(t.Context(), pes, shmem.Options{HeapSize: 4 << 20}, func(ctx context.Context, w *shmem.World) error {
			v := &vectors{ctx: ctx, w: w, in: make([]float32, 6000), out: make([]float32, 6000)}
			for _, array := range []*shmem.Array[float32]{&v.src, &v.dst} {
				var err error
				if *array, err = shmem.Alloc[float32](ctx, w, 6000); err != nil {
					return err
				}
			}
			for i, op := range collectives() {
				for _, bytes := range []int{leastVector(op, pes), 24000} {
					for _, place := range []string{"", Copied} {
						if err := tryPart(v, op, bytes, place, i); err != nil {
							return fmt.Errorf("%s of %d bytes%s: %w", op, bytes, place, err)
						}
					}
				}
			}
			return w.Barrier(ctx)
		})
		if err != nil {
			t.Errorf("%d PEs: %v", pes, err)
		}
	}
}

func tryPart(v *vectors, op string, bytes int, place string, order int) error {
	p, err := v.part(op, bytes, place, order)
	if err != nil {
		return err
	}
	if err := p.fill(); err != nil {
		return err
	}
	_, gets := p.ends()
	if err := p.check(); gets && err == nil {
		return fmt.Errorf("nothing has been sent, and the check is content")
	}
	if err := v.w.Barrier(v.ctx); err != nil {
		return err
	}
	if err := p.loop(3); err != nil {
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	_, dst, err := p.local()
	if err != nil {
		return err
	}
	dst[len(dst)-1]++
	if err := p.check(); gets && (err == nil || !strings.Contains(err.Error(), "must be")) {
		return fmt.Errorf("the last element is wrong, the check says %v", err)
	}
	return v.w.Barrier(v.ctx)
}
