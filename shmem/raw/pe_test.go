package raw_test

import (
	"context"
	"errors"
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmem/raw"
)

// pe is a PE with what most tests need.
type pe struct {
	testing.TB
	ctx   context.Context
	w     *shmem.World
	me, n int
}

func newPE(t testing.TB, w *shmem.World) *pe {
	return &pe{t, t.Context(), w, raw.MyPe(w), raw.NPes(w)}
}

func (p *pe) next() int { return (p.me + 1) % p.n }

func (p *pe) prev() int { return (p.me + p.n - 1) % p.n }

// near says whether memory of pe can be loaded and stored.
func (p *pe) near(pe int) bool {
	return raw.TeamTranslatePe(raw.TeamWorld(p.w), pe, raw.TeamShared(p.w)) >= 0
}

// ok ends the PE at an error.
func (p *pe) ok(err error) {
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
}

// refused wants err to be one of the errors of package shmem.
func (p *pe) refused(what string, err, want error) {
	if !errors.Is(err, want) {
		p.Helper()
		p.Errorf("%s: error %v, want one that is %q", what, err, want)
	}
}

// same compares what came with what should have come.
func same[T comparable](p *pe, what string, got, want T) {
	if got != want {
		p.Helper()
		p.Errorf("%s: %v, want %v", what, got, want)
	}
}

// must returns v, or ends the PE at an error.
func must[T any](p *pe) func(v T, err error) T {
	return func(v T, err error) T {
		p.Helper()
		p.ok(err)
		return v
	}
}

func (p *pe) malloc(size int) uintptr {
	p.Helper()
	return must[uintptr](p)(raw.Malloc(p.ctx, p.w, size))
}

func (p *pe) free(ptr uintptr) { p.Helper(); p.ok(raw.Free(p.ctx, p.w, ptr)) }

func (p *pe) barrier() { p.Helper(); p.ok(raw.BarrierAll(p.ctx, p.w)) }

// own is this PE's copy of n elements at a symmetric address.
func own[T any](p *pe, addr uintptr, n int) []T {
	p.Helper()
	a, err := shmem.ObjectAt[T](p.w, addr, n)
	p.ok(err)
	return must[[]T](p)(a.Local())
}
