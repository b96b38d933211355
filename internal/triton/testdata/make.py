"""Makes the files of this folder: one kernel, compiled by one version of Triton.

    python make.py FOLDER cuda:90      # with triton 3.9.0, for sm_90
"""

import json
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def total(x, out, n, k, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, k * tl.sum(tl.load(x + i, mask=i < n, other=0)))


signature = {"x": "*fp32", "out": "*fp32", "n": "i32", "k": "fp32"}
folder, target = pathlib.Path(sys.argv[1]), sys.argv[2].split(":")
target = GPUTarget(target[0], int(target[1]), 32) if target[0] == "cuda" else GPUTarget(target[0], target[1], 64)
try:
    source = ASTSource(fn=total, signature={**signature, "BLOCK": "constexpr"}, constexprs={"BLOCK": 256}, attrs={(0,): [["tt.divisibility", 16]]})
except TypeError:  # 3.2
    source = ASTSource(fn=total, signature=signature, constants={"BLOCK": 256})
kernel = triton.compile(source, target=target)
folder.mkdir(parents=True, exist_ok=True)
for kind in sys.argv[3:]:
    code = kernel.asm[kind]
    (folder / f"total.{kind}").write_bytes(code if isinstance(code, bytes) else code.encode())
metadata = kernel.metadata._asdict()
metadata["target"] = vars(metadata["target"])
for machine in ("extern_libs", "hash"):
    metadata.pop(machine, None)
(folder / "total.json").write_text(json.dumps(metadata) + "\n")
