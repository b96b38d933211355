//go:build race

package truth

import "github.com/goshmem/goshmem/shmem"

func atomics() []program {
	add := func(p *pe) { must(shmem.AtomicAdd(p.x, 0, 1, 1)) }
	addReal := func(p *pe) { must(shmem.AtomicAdd(as[float64](p), 0, 1, 1)) }
	addInt := func(p *pe) { must(shmem.AtomicAdd(as[int32](p), 0, 1, 1)) }
	setInt := func(p *pe) { must(shmem.AtomicSet(as[int32](p), 0, 1, 1)) }
	setFloat := func(p *pe) { must(shmem.AtomicSet(as[float32](p), 0, 1, 1)) }
	through := func(team func(p *pe) *shmem.Team) func(*pe) {
		return func(p *pe) {
			c := is(team(p).NewContext(shmem.ContextOptions{}))
			must(shmem.AtomicAdd(is(p.x.Via(c)), 0, 1, 1))
			must(c.Destroy(p.ctx))
		}
	}
	world := func(p *pe) *shmem.Team { return p.Team() }
	same := func(p *pe) *shmem.Team { return p.same }
	twice := func(a, b func(*pe)) func(*pe) { return func(p *pe) { p.on(0, func() { a(p); b(p) }) } }
	return []program{
		{"different ctx, remote", racy, 3, between(through(world), through(same), 2)},
		{"same ctx, remote", clean, 3, between(add, add, 2)},
		{"same domain, remote", clean, 3, between(through(world), through(world), 2)},
		{"int int, remote", clean, 3, between(addInt, addInt, 2)},
		{"int int sameorigin, remote", clean, 2, twice(setInt, setInt)},
		{"double long, remote", racy, 3, between(addReal, add, 2)},
		{"int float, remote", racy, 3, between(addInt, setFloat, 2)},
		{"int float sameorigin, remote", racy, 2, twice(setInt, setFloat)},
	}
}
