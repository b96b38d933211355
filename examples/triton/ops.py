"""Device functions over a table of peers' addresses, as provider.AddressMap is one: where
each rank has an allocation. A pointer of rank `frm` is that of rank `to` at the same distance
from the allocation's address there. The arguments are in Iris's order, so that kernels.py
compiles with Iris's functions too."""

import triton
import triton.language as tl


@triton.jit
def translate(ptr, frm, to, peers):
    distance = tl.cast(ptr, tl.uint64) - tl.load(peers + frm).to(tl.uint64)
    there = tl.load(peers + to).to(tl.uint64) + distance
    return tl.cast(there.to(tl.int64), ptr.dtype)


@triton.jit
def load(ptr, me, peer, peers, mask=None, other=None, cache_modifier: tl.constexpr = ""):
    return tl.load(translate(ptr, me, peer, peers), mask=mask, other=other, cache_modifier=cache_modifier)


@triton.jit
def store(ptr, value, me, peer, peers, mask=None):
    tl.store(translate(ptr, me, peer, peers), value, mask=mask)


@triton.jit
def get(src, dst, me, peer, peers, mask=None):
    tl.store(dst, tl.load(translate(src, me, peer, peers), mask=mask), mask=mask)


@triton.jit
def put(src, dst, me, peer, peers, mask=None):
    tl.store(translate(dst, me, peer, peers), tl.load(src, mask=mask), mask=mask)


@triton.jit
def copy(src, dst, frm, to, me, peers, mask=None):
    value = tl.load(translate(src, me, frm, peers), mask=mask)
    tl.store(translate(dst, me, to, peers), value, mask=mask)


@triton.jit
def atomic_add(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_add(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_sub(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_add(translate(ptr, me, peer, peers), -value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_cas(ptr, expected, value, me, peer, peers, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_cas(translate(ptr, me, peer, peers), expected, value, sem=sem, scope=scope)


@triton.jit
def atomic_xchg(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_xchg(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_xor(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_xor(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_and(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_and(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_or(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_or(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_min(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_min(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)


@triton.jit
def atomic_max(ptr, value, me, peer, peers, mask=None, sem: tl.constexpr = "acq_rel", scope: tl.constexpr = "sys"):
    return tl.atomic_max(translate(ptr, me, peer, peers), value, mask=mask, sem=sem, scope=scope)
