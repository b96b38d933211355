package main

import (
	"errors"
	"fmt"

	"github.com/goshmem/goshmem/gpu"
)

// messages passes messages to the next PE by kernels: one puts and raises a flag, one waits
// for the flag of the PE before and takes the message. Nothing but the flag orders the two.
func messages(b *bench) error {
	const rounds = 20
	if b.left("put") || b.left("atomic_xchg") || b.left("atomic_cas") {
		return nil
	}
	boxes, err := allocated[float32](b, 2)
	if err != nil {
		return err
	}
	flags, err := allocated[int64](b, 1)
	if err != nil {
		return err
	}
	looked, err := gpu.Alloc[int32](b.d, 1)
	if err != nil {
		return err
	}
	if err := flags[0].x.Fill(0); err != nil {
		return err
	}
	for round := range rounds {
		n := sizes()[round%2]
		if err := b.pass(round, n, boxes, flags[0], looked); err != nil {
			return err
		}
	}
	return errors.Join(looked.Close(), freed(b, flags), freed(b, boxes))
}

// pass is one message.
func (b *bench) pass(round, n int, boxes []allocation[float32], flag allocation[int64], looked gpu.Slice[int32]) error {
	box, out := boxes[0].x, boxes[1].x
	err := errors.Join(fill(out, func(i int) float32 { return float32(pattern(b.me, round, i)) }), fill(box, func(int) float32 { return untouched }))
	if err != nil {
		return err
	}
	sends, err := b.kernels.named("send_fp32")
	if err != nil {
		return err
	}
	receives, err := b.kernels.named("receive_fp32")
	if err != nil {
		return err
	}
	in, err := gpu.Alloc[float32](b.d, block)
	if err != nil {
		return err
	}
	err = errors.Join(in.Fill(untouched), b.p.Barrier(b.ctx)) // all have their memory filled
	if err != nil {
		return err
	}
	err = errors.Join(sends.Launch(b.stream, [3]int{1}, box, flag.x, out, int32(n), int32(b.me), int32(b.next), boxes[1].peers),
		receives.Launch(b.stream, [3]int{1}, in, box, flag.x, looked, int32(n), int32(b.me), flag.peers))
	if err = errors.Join(err, b.stream.Synchronize(b.ctx), b.p.Barrier(b.ctx)); err != nil {
		return err
	}
	b.done += 2
	return errors.Join(b.came(round, n, in, looked), in.Close())
}

// came looks at what has arrived.
func (b *bench) came(round, n int, in gpu.Slice[float32], looked gpu.Slice[int32]) error {
	times, err := looked.At(0)
	if err != nil {
		return err
	}
	if times >= looks {
		return fmt.Errorf("the flag of PE %d was not seen in %d looks", b.before, times)
	}
	return sees(fmt.Sprintf("message %d of PE %d", round, b.before), in, func(i int) float32 {
		if i < n {
			return float32(pattern(b.before, round, i))
		}
		return untouched
	})
}
