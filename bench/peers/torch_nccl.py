"""Times collectives of PyTorch's process group, beside package nccl and a program in C.

torchrun --nproc-per-node 2 bench/peers/torch_nccl.py [LARGEST [CALLS [ROUNDS]]]

Rank 0 writes lines of JSON as bench/peers/nccl.c does. Measure call is a call and then a wait
for the stream, enqueue what the host needs for one of CALLS that are queued, queue the time of
one of these on the device: of the slowest rank, and medians of ROUNDS. Without GPUs it runs
over gloo, to show that it runs.
"""

import datetime
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist

WARM = 5
SMALL = 64 << 10
SIZES = [8, 64, 512, 4 << 10, 32 << 10, SMALL, 16 << 20, 64 << 20, 256 << 20, 1 << 30]
MEASURES = ["call", "enqueue", "queue"]
OF_SMALL = {"all_reduce", "all_gather", "reduce_scatter", "broadcast"}


class Clock:
    """An event where there are no GPUs."""

    def __init__(self, enable_timing=True):
        self.at = 0.0

    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, other):
        return (other.at - self.at) * 1000


GPU = torch.cuda.is_available()
Event = torch.cuda.Event if GPU else Clock
DEVICE = "cuda" if GPU else "cpu"


def finish():
    """Waits for the stream."""
    if GPU:
        torch.cuda.current_stream().synchronize()


def operations(here, there, n):
    """Names and calls: of all elements of both, or of each rank's part of one."""
    return {
        "all_reduce": lambda: dist.all_reduce(here),
        "all_gather": lambda: dist.all_gather_into_tensor(there, here[: here.numel() // n]),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(there[: there.numel() // n], here),
        "broadcast": lambda: dist.broadcast(here, 0),
        "reduce": lambda: dist.reduce(here, 0),
        "alltoall": lambda: dist.all_to_all_single(there, here),
    }


def slowest(values):
    """The largest of each number on any rank; a barrier."""
    t = torch.tensor(values, device=DEVICE, dtype=torch.float64)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return t.tolist()


def once(call, calls, small):
    """One round: microseconds of each measure."""
    took = [0.0, 0.0, 0.0]
    slowest(took)
    if small:
        start = time.perf_counter()
        for _ in range(calls):
            call()
            finish()
        took[0] = (time.perf_counter() - start) * 1e6 / calls
        slowest(took)
    first, last = Event(enable_timing=True), Event(enable_timing=True)
    first.record()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    took[1] = (time.perf_counter() - start) * 1e6 / calls
    last.record()
    finish()
    took[2] = first.elapsed_time(last) * 1000 / calls
    return slowest(took)


def report(name, call, size, calls, rounds):
    """Measures one collective of one size."""
    for _ in range(WARM):
        call()
    finish()
    all_rounds = [once(call, calls, size <= SMALL) for _ in range(rounds)]
    for i, measure in enumerate(MEASURES):
        if size > SMALL and measure != "queue":
            continue
        us = statistics.median(took[i] for took in all_rounds)
        say({"op": name, "bytes": size, "mode": "blocking", "measure": measure, "us": us})


def say(what):
    """Writes a line, on rank 0."""
    if dist.get_rank() == 0:
        print(json.dumps(what), flush=True)


def number(i, usual):
    """An argument."""
    return int(sys.argv[i]) if len(sys.argv) > i else usual


def version():
    """NCCL's, as ncclGetVersion codes it."""
    if not GPU:
        return 0
    major, minor, patch = torch.cuda.nccl.version()[:3]
    return major * 10000 + minor * 100 + patch


def main():
    largest, calls, rounds = number(1, 1 << 30), number(2, 20), number(3, 3)
    if GPU:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if GPU else "gloo", timeout=datetime.timedelta(seconds=60))
    n = dist.get_world_size()
    say({"program": "PyTorch " + torch.__version__, "version": version(), "ranks": n})
    room = max(largest // 4, n)
    memory = torch.zeros(room, device=DEVICE), torch.zeros(room, device=DEVICE)
    for size in [s for s in SIZES if s <= largest]:
        count = max(size // 4 // n * n, n)
        for name, call in operations(memory[0][:count], memory[1][:count], n).items():
            if size > SMALL or name in OF_SMALL:
                report(name, call, size, calls, rounds)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
