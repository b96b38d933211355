package main

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/goshmem/goshmem/shmem"
)

// momentum is how much of a step the next one goes on with.
const momentum = 0.9

// trainer is one PE of the training.
type trainer struct {
	problem
	w      *shmem.World
	net    *network
	random *rand.Rand // the same on all PEs
	points []point    // to learn: all of them, in the same order on all PEs
	fresh  []point    // to see what was learned: as many others

	// sums has the gradients and behind them the loss, so that both are added up by
	// one call; mine is the same as a slice, and the gradients of net are in it.
	sums shmem.Array[float32]
	mine []float32
	step []float32
}

func newTrainer(ctx context.Context, w *shmem.World, p problem) (*trainer, error) {
	t := &trainer{problem: p, w: w, random: rand.New(rand.NewPCG(p.seed, 0))}
	n := size(p.hidden)
	var err error
	if t.sums, err = shmem.Alloc[float32](ctx, w, n+1); err != nil {
		return nil, err
	}
	if t.mine, err = t.sums.Local(); err != nil {
		return nil, err
	}
	t.points, t.fresh = spirals(t.random, p.points), spirals(t.random, p.points)
	t.net, t.step = newNetwork(t.random, p.hidden, t.mine[:n]), make([]float32, n)
	return t, nil
}

// epoch learns all points once and returns the mean loss.
func (t *trainer) epoch(ctx context.Context) (float64, error) {
	t.random.Shuffle(len(t.points), func(i, j int) { t.points[i], t.points[j] = t.points[j], t.points[i] })
	total := 0.0
	for begin := 0; begin < len(t.points); begin += t.batch {
		t.learn(t.share(t.points[begin : begin+t.batch]))
		if err := shmem.AllReduce(ctx, t.w.Team(), t.sums, t.sums, shmem.Sum); err != nil {
			return 0, err
		}
		total += float64(t.mine[len(t.step)])
		t.descend()
	}
	return total / float64(len(t.points)), nil
}

// share is this PE's part of some points.
func (t *trainer) share(points []point) []point {
	n := len(points) / t.w.NPEs()
	return points[t.w.MyPE()*n:][:n]
}

// learn finds the gradients and the loss of this PE's points.
func (t *trainer) learn(points []point) {
	clear(t.mine)
	loss := float32(0)
	for _, p := range points {
		loss += t.net.learn(p)
	}
	t.mine[len(t.step)] = loss
}

// descend changes the weights against the gradients of all PEs.
func (t *trainer) descend() {
	rate := float32(t.rate) / float32(t.batch)
	weights, gradients, step := t.net.weights, t.mine[:len(t.net.weights)], t.step[:len(t.net.weights)]
	for i := range weights {
		step[i] = momentum*step[i] - rate*gradients[i]
		weights[i] += step[i]
	}
}

// right returns which part of the fresh points the network gets right; each PE tries its
// share.
func (t *trainer) right(ctx context.Context) (float64, error) {
	count, err := shmem.Alloc[int64](ctx, t.w, 1)
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for _, p := range t.share(t.fresh) {
		if (t.net.answer(p) > 0) == (p.label > 0) {
			n++
		}
	}
	if err := count.Set(0, n); err != nil {
		return 0, err
	}
	if err := shmem.AllReduce(ctx, t.w.Team(), count, count, shmem.Sum); err != nil {
		return 0, err
	}
	n, err = count.At(0)
	return float64(n) / float64(len(t.fresh)), err
}

// hash is a short name for the bits of the weights.
func (t *trainer) hash() uint32 {
	h := fnv.New32a()
	for _, v := range t.net.weights {
		b := math.Float32bits(v)
		_, _ = h.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}) // never fails
	}
	return h.Sum32()
}
