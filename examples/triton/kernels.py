"""Kernels that do one operation each on a peer's memory. Module ops is ops.py, or Iris's
device functions: compile.py decides. Ranks are numbers of the launch; peers is the table."""

import triton
import triton.language as tl

import ops

BLOCK = 256  # elements of a program
LOOKS = 1 << 22  # of a wait, before it gives up


@triton.jit
def load(dst, src, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(dst + i, ops.load(src + i, me, peer, peers, mask=i < n), mask=i < n)


@triton.jit
def store(dst, src, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ops.store(dst + i, tl.load(src + i, mask=i < n), me, peer, peers, mask=i < n)


@triton.jit
def get(dst, src, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ops.get(src + i, dst + i, me, peer, peers, mask=i < n)


@triton.jit
def put(dst, src, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ops.put(src + i, dst + i, me, peer, peers, mask=i < n)


@triton.jit
def copy(dst, src, n, frm, to, me, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ops.copy(src + i, dst + i, frm, to, me, peers, mask=i < n)


@triton.jit
def atomic_add(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_add(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_sub(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_sub(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_xchg(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_xchg(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_xor(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_xor(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_and(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_and(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_or(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_or(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_min(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_min(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_max(dst, old, value, n, me, peer, peers, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(value + i, mask=i < n)
    tl.store(old + i, ops.atomic_max(dst + i, v, me, peer, peers, mask=i < n, sem="acq_rel", scope="sys"), mask=i < n)


@triton.jit
def atomic_cas(dst, old, value, expected, me, peer, peers, BLOCK: tl.constexpr):
    """Has no mask: memory has a whole BLOCK for each program."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e, v = tl.load(expected + i), tl.load(value + i)
    tl.store(old + i, ops.atomic_cas(dst + i, e, v, me, peer, peers, sem="acq_rel", scope="sys"))


@triton.jit
def count(counter, me, peer, peers):
    """Every program of every rank adds to one word."""
    ops.atomic_add(counter, 1, me, peer, peers, sem="acq_rel", scope="sys")


@triton.jit
def send(box, flag, src, n, me, peer, peers, BLOCK: tl.constexpr):
    """One program of one warp: a message, then the flag that says that it is there. With more
    warps the others' stores may still be on their way when the flag goes up on AMD's GPUs:
    tl.debug_barrier() has no warp wait for its stores there."""
    i = tl.arange(0, BLOCK)
    ops.put(src + i, box + i, me, peer, peers, mask=i < n)
    tl.debug_barrier()  # of the threads of the warp, before the one that raises the flag
    ops.atomic_xchg(flag, 1, me, peer, peers, sem="release", scope="sys")


@triton.jit
def receive(dst, box, flag, looked, n, me, peers, BLOCK: tl.constexpr, LOOKS: tl.constexpr):
    """One program of one warp: waits for the flag, lowers it, and takes the message."""
    i = tl.arange(0, BLOCK)
    looks = 0
    up, down = tl.full([], 1, tl.int64), tl.full([], 0, tl.int64)
    seen = ops.atomic_cas(flag, up, down, me, me, peers, sem="acquire", scope="sys")
    while (seen != 1) & (looks < LOOKS):
        looks += 1
        seen = ops.atomic_cas(flag, up, down, me, me, peers, sem="acquire", scope="sys")
    tl.debug_barrier()
    tl.store(dst + i, tl.load(box + i, mask=i < n, cache_modifier=".cv"), mask=i < n)
    tl.store(looked, looks)


WHOLE = ["i32", "i64"]
MOVED = ["i8", "i16", "i32", "i64", "fp16", "bf16", "fp32", "fp64"]


def everything():
    """Yields name, function, types of the parameters, constants, warps."""
    block = {"BLOCK": BLOCK}
    end = {"n": "i32", "me": "i32", "peer": "i32", "peers": "*i64"}
    for f in (load, store, get, put):
        for t in MOVED:
            yield f"{f.__name__}_{t}", f, {"dst": "*" + t, "src": "*" + t, **end}, block, 4
    for t in MOVED:
        types = {"dst": "*" + t, "src": "*" + t, "n": "i32", "frm": "i32", "to": "i32", "me": "i32", "peers": "*i64"}
        yield f"copy_{t}", copy, types, block, 4
    for f in (atomic_add, atomic_sub, atomic_xchg, atomic_min, atomic_max, atomic_xor, atomic_and, atomic_or):
        for t in WHOLE + (["fp32"] if f in (atomic_add, atomic_sub, atomic_xchg, atomic_min, atomic_max) else []):
            yield f"{f.__name__}_{t}", f, {"dst": "*" + t, "old": "*" + t, "value": "*" + t, **end}, block, 4
    for t in WHOLE:
        types = {"dst": "*" + t, "old": "*" + t, "value": "*" + t, "expected": "*" + t}
        yield f"atomic_cas_{t}", atomic_cas, {**types, "me": "i32", "peer": "i32", "peers": "*i64"}, block, 4
        yield f"count_{t}", count, {"counter": "*" + t, "me": "i32", "peer": "i32", "peers": "*i64"}, {}, 4
    yield "send_fp32", send, {"box": "*fp32", "flag": "*i64", "src": "*fp32", **end}, block, 1
    types = {"dst": "*fp32", "box": "*fp32", "flag": "*i64", "looked": "*i32", "n": "i32", "me": "i32", "peers": "*i64"}
    yield "receive_fp32", receive, types, {**block, "LOOKS": LOOKS}, 1
