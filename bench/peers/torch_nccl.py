"""Times collectives of PyTorch's process group with nccl-tests' factors, beside goshmem perf nccl.

torchrun --nproc-per-node 2 bench/peers/torch_nccl.py [smallest] [largest]

Prints, for sizes that grow by 8, the operation, the bytes, the microseconds of a call on the
device (the median of 7 rounds of 20 calls, of the slowest rank), and the bus bandwidth in GB/s.
"""

import os
import statistics
import sys

import torch
import torch.distributed as dist

ROUNDS, CALLS = 7, 20


def operations(buf, rank, n):
    """Yields name, call and bus factor: of all elements of buf, or each rank's part of it."""
    part = buf[: buf.numel() // n]
    other = torch.empty_like(buf)
    yield "all_reduce", lambda: dist.all_reduce(buf), 2 * (n - 1) / n
    yield "broadcast", lambda: dist.broadcast(buf, 0), 1
    yield "reduce", lambda: dist.reduce(buf, 0), 1
    yield "all_gather", lambda: dist.all_gather_into_tensor(other, part), (n - 1) / n
    yield "reduce_scatter", lambda: dist.reduce_scatter_tensor(part, other), (n - 1) / n
    yield "alltoall", lambda: dist.all_to_all_single(other, buf), (n - 1) / n


def microseconds(call):
    """The time of a call on the device."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    dist.barrier()
    begin.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / CALLS


def slowest(value):
    """The largest value of any rank."""
    t = torch.tensor([value], device="cuda")
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return t.item()


def main():
    smallest = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    largest = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 30
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    rank, n = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        print("PyTorch", torch.__version__, "NCCL", ".".join(map(str, torch.cuda.nccl.version())), "ranks", n)
    size = smallest
    while size <= largest:
        buf = torch.zeros(max(size // 4 // n * n, n), device="cuda")
        size_here = buf.numel() * buf.element_size()
        for name, call, factor in operations(buf, rank, n):
            for _ in range(5):
                call()
            us = slowest(statistics.median(microseconds(call) for _ in range(ROUNDS)))
            if rank == 0:
                print(f"{name:16} {size_here:12} {us:12.2f} {size_here / us / 1000 * factor:10.2f}", flush=True)
        size *= 8
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
