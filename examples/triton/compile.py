"""Compiles kernels.py ahead of time: machine code and Triton's metadata, with the types of the
parameters added, for gpu.LoadTriton. No GPU and no PyTorch are needed.

    pip install triton
    python compile.py --target cuda:90 --target hip:gfx942 --out bin/kernels/triton
    python compile.py --target cuda:90 --out bin/kernels/iris --iris PATH   # with Iris's device functions
"""

import argparse
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import re
import sys
import types

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # what it is without, minus a warning

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

sys.dont_write_bytecode = True  # nothing is left in the source folders
HERE = pathlib.Path(__file__).resolve().parent
# Where versions of Iris have their device functions.
PLACES = ["iris/mem/triton/ops.py", "iris/device/triton/ops.py"]


class Absent(types.ModuleType):
    """Stands for a module that is not installed and that device functions do not run."""

    __path__ = []
    __triton_builtin__ = True  # functions may speak of it where they do not come to it

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        return self


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: what nothing else finds is Absent, and is listed."""

    def __init__(self):
        self.names = []

    def find_spec(self, name, path, target=None):
        self.names.append(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def iris(root):
    """Imports the file of Iris's device functions, without what its packages do when they
    are imported, which needs PyTorch and a GPU."""
    place = next((p for p in PLACES if (root / p).is_file()), None)
    if place is None:
        sys.exit(f"{root}: none of {', '.join(PLACES)} is there: not a checkout of Iris that is known here")
    parts = pathlib.PurePath(place).with_suffix("").parts
    for i in range(1, len(parts)):
        package = types.ModuleType(".".join(parts[:i]))
        package.__path__ = [str(root.joinpath(*parts[:i]))]
        sys.modules[package.__name__] = package
    absent = AbsentFinder()
    sys.meta_path.append(absent)
    try:
        module = importlib.import_module(".".join(parts))
    finally:
        sys.meta_path.remove(absent)
    print(f"device functions of {place}" + (f"; not installed: {', '.join(absent.names)}" if absent.names else ""))
    return module


def target_of(text):
    backend, _, arch = text.partition(":")
    if backend == "cuda" and arch.isdigit():
        return GPUTarget("cuda", int(arch), 32)
    if backend == "hip" and re.fullmatch("gfx9[0-9a-f]+", arch):
        return GPUTarget("hip", arch, 64)
    raise argparse.ArgumentTypeError(f"{text}: as in cuda:90 and hip:gfx942")


def source(function, signature, constants):
    try:
        return ASTSource(fn=function, signature={**signature, **dict.fromkeys(constants, "constexpr")}, constexprs=constants)
    except TypeError:  # Triton 3.2
        return ASTSource(fn=function, signature=signature, constants=constants)


def write(out, name, kernel, signature):
    """Writes the code, its text form, and the metadata, less what tells about this machine."""
    for kind in ("cubin", "ptx", "hsaco", "amdgcn"):
        code = kernel.asm.get(kind)
        if code:
            (out / f"{name}.{kind}").write_bytes(code if isinstance(code, bytes) else code.encode())
    metadata = kernel.metadata._asdict()
    metadata["target"] = vars(metadata["target"])
    for machine in ("extern_libs", "hash"):
        metadata.pop(machine, None)
    metadata["signature"] = [{"name": k, "type": v} for k, v in signature.items()]
    (out / f"{name}.json").write_text(json.dumps(metadata) + "\n")


def main():
    p = argparse.ArgumentParser(description="Compiles the kernels of this example.")
    p.add_argument("--target", type=target_of, action="append", required=True, help="cuda:90, hip:gfx942; may be repeated")
    p.add_argument("--out", type=pathlib.Path, required=True, help="a folder, which gets one for each target")
    p.add_argument("--iris", type=pathlib.Path, help="a checkout of Iris whose device functions are taken")
    p.add_argument("--without", action="append", default=[], help="an operation that this Iris or this Triton does not have")
    p.add_argument("--only", help="a pattern of names")
    a = p.parse_args()
    sys.path.insert(0, str(HERE))
    if a.iris:
        sys.modules["ops"] = iris(a.iris.resolve())
    kernels = importlib.import_module("kernels")
    failed = 0
    for target in a.target:
        name_of_target = f"sm_{target.arch}" if target.backend == "cuda" else target.arch
        out = a.out / name_of_target
        out.mkdir(parents=True, exist_ok=True)
        done = 0
        for name, function, signature, constants, warps in kernels.everything():
            if function.__name__ in a.without or a.only and not re.fullmatch(a.only, name):
                continue
            try:
                kernel = triton.compile(source(function, signature, constants), target=target, options={"num_warps": warps})
                write(out, name, kernel, signature)
                done += 1
            except Exception as e:  # a kernel that does not compile must not hide the others
                failed += 1
                while e.__cause__:  # the innermost says why
                    e = e.__cause__
                print(f"{name} for {name_of_target}: {type(e).__name__}: {str(e).strip()}", file=sys.stderr)
        print(f"{done} kernels for {name_of_target} by Triton {triton.__version__} in {out}")
    sys.exit(1 if failed else 0)


main()
