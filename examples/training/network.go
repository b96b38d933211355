package main

import (
	"math"
	"math/rand/v2"
)

// point is a place in the plane, and 1 or 0 for the spiral that it belongs to.
type point struct{ x, y, label float32 }

// spirals returns n points near two spirals, by turns.
func spirals(random *rand.Rand, n int) []point {
	all := make([]point, n)
	for i := range all {
		r := 0.2 + 0.8*random.Float64()
		sin, cos := math.Sincos(4*math.Pi*r + float64(i%2)*math.Pi)
		noise := func() float64 { return 0.02 * random.NormFloat64() }
		all[i] = point{float32(r*cos + noise()), float32(r*sin + noise()), float32(i % 2)}
	}
	return all
}

// network has two layers: hidden units that are the larger of 0 and a linear function of
// the point, and an answer that is a linear function of those.
type network struct {
	weights []float32
	layers            // of weights
	slope   layers    // of the gradients
	units   []float32 // of the last point
}

// layers are the parts of a slice of weights: for each unit what the coordinates count,
// what is added, and what the unit counts for the answer; and what is added to that.
type layers struct{ x, y, add, out, base []float32 }

// size is how many weights there are.
func size(hidden int) int { return 4*hidden + 1 }

func split(all []float32, hidden int) layers {
	part := func(i int) []float32 { return all[i*hidden:][:hidden] }
	return layers{part(0), part(1), part(2), part(3), all[4*hidden:]}
}

// newNetwork has random weights and leaves its gradients in a given place.
func newNetwork(random *rand.Rand, hidden int, gradients []float32) *network {
	n := &network{weights: make([]float32, size(hidden)), units: make([]float32, hidden)}
	n.layers, n.slope = split(n.weights, hidden), split(gradients, hidden)
	for i := range hidden {
		n.x[i], n.y[i] = 3*float32(random.NormFloat64()), 3*float32(random.NormFloat64())
		n.add[i] = float32(random.NormFloat64())
		n.out[i] = float32(random.NormFloat64() / math.Sqrt(float64(hidden)))
	}
	return n
}

// answer is above 0 if the network takes a point for one with label 1.
func (n *network) answer(p point) float32 {
	units := n.units
	xs, ys, add, out := n.x[:len(units)], n.y[:len(units)], n.add[:len(units)], n.out[:len(units)]
	sum := n.base[0]
	for i := range units {
		v := xs[i]*p.x + ys[i]*p.y + add[i]
		if v < 0 {
			v = 0
		}
		units[i] = v
		sum += v * out[i]
	}
	return sum
}

// learn adds the gradients of a point to those that are there and returns its loss.
func (n *network) learn(p point) (loss float32) {
	answer := float64(n.answer(p))
	e := math.Exp(-math.Abs(answer)) // never too large
	loss = float32(max(answer, 0) - answer*float64(p.label) + math.Log1p(e))
	sure := 1 / (1 + e) // of 1 if the answer is above 0, else of 0
	if answer < 0 {
		sure = 1 - sure
	}
	n.back(p, float32(sure)-p.label)
	return loss
}

// back adds the gradients, given that of the answer.
func (n *network) back(p point, d float32) {
	units := n.units
	out := n.out[:len(units)]
	dx, dy, dadd, dout := n.slope.x[:len(units)], n.slope.y[:len(units)], n.slope.add[:len(units)], n.slope.out[:len(units)]
	n.slope.base[0] += d
	for i, v := range units {
		if v == 0 {
			continue
		}
		dout[i] += d * v
		unit := d * out[i]
		dx[i] += unit * p.x
		dy[i] += unit * p.y
		dadd[i] += unit
	}
}
