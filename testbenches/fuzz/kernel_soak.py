#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C kernels on the machine, in both modes, and on the host: memory must be the same.

    kernel_soak.py --command ARCHIPELAGO --reference REFERENCE [--kernels N] [--first SEED]
                   [--asic NAME] [--optimise LEVEL] [--keep DIRECTORY] [--jobs N]

Kernel SEED (kernels/generator.py) is compiled for gfx600 with the levels -O0, -O1, -O2, -O3 and -Os in
turn, or with LEVEL, and for the host with the same clang, where REFERENCE (kernels/reference.cpp)
runs it. Prints a line for each kernel that differs, whose files stay in DIRECTORY/SEED:
`ARCHIPELAGO run kernel.yaml` there shows it again. ARCHIPELAGO_CLANG, ARCHIPELAGO_LLD and
ARCHIPELAGO_LIBCLC name other tools, as for the command.
"""

import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "system"), str(HERE.parent / "support"), str(HERE / "kernels")]
import generator  # noqa: E402
import suite  # noqa: E402
from arguments import program  # noqa: E402

LEVELS = ("-O2", "-O1", "-O0", "-O3", "-Os")
GROUP_SIZES = (64, 128, 32, 96, 100, 256)
SPECIAL = (0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF)
# Buffers are read in other types than they are written in.
COMMON = ("-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fno-strict-aliasing", "-w")
# The host does not flush f32 denormals, so the device shall not. LLVM 15 sinks what a loop works out of its
# uniform counter behind the loop, where lanes that left it earlier find the counter's last value: no sinking.
DEVICE = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx600", "-mcode-object-version=4", "-nogpulib",
          "-Xclang", "-fdenormal-fp-math-f32=ieee,ieee", "-mllvm", "-disable-machine-sink",
          "-cl-fp32-correctly-rounded-divide-sqrt",
          "-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode", "-Xclang")
HOST = ("-target", "x86_64-unknown-linux-gnu", "-DKERNEL_ON_HOST", "-mfma", "-msse4.1",
        "-ffp-contract=off", "-fno-math-errno", "-O1", "-fPIC")
WORKLOAD = """\
kernel:
  code: kernel.hsaco
  name: generated
  global_size: [{items}, 1, 1]
  local_size: [{group_size}, 1, 1]
  args:
    - buffer: {{zeros: {out_bytes}}}
      expect: {{file: out.ref.bin}}
    - buffer: {{file: in.bin}}
    - buffer: {{file: atomics.bin}}
      expect: {{file: atomics.ref.bin}}
    - buffer: {{zeros: {item_bytes}}}
      expect: {{file: items.ref.bin}}
    - u32: {scalar}
    - i64: {wide}
"""


class Tools:
    def __init__(self):
        self.clang = os.environ.get("ARCHIPELAGO_CLANG") or self.find("clang-15", "clang-16", "clang-14")
        self.lld = os.environ.get("ARCHIPELAGO_LLD") or self.find("ld.lld-15", "ld.lld-16", "ld.lld-14")
        self.libclc = os.environ.get("ARCHIPELAGO_LIBCLC") or "/usr/lib/clc/amdgcn--amdhsa.bc"

    @staticmethod
    def find(*names):
        found = next((path for path in map(shutil.which, names) if path), None)
        if found is None:
            sys.exit(f"kernel_soak.py: none of {', '.join(names)} found")
        return found


class Failed(Exception):
    """One step of one kernel; str() says which and why."""


class NotCompiled(Failed):
    """The compiler for the device does not get through, which clang-15 does with some."""


def run(*command, folder):
    try:
        done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True,
                              timeout=suite.TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"{Path(command[0]).name} does not end") from None
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise Failed(f"{Path(command[0]).name} ends with {done.returncode}: " +
                     (lines[0] if lines else "silently"))


def write_dwords(path, values):
    path.write_bytes(struct.pack(f"<{len(values)}I", *values))


def prepare(seed, folder, a, tools):
    """Everything `ARCHIPELAGO run kernel.yaml` needs, the results of the host included."""
    group_size = GROUP_SIZES[seed % len(GROUP_SIZES)]
    groups = 1 + seed // len(GROUP_SIZES) % 5
    level = a.optimise or LEVELS[seed % len(LEVELS)]
    data = random.Random(f"data of {seed}")
    kernel = folder / "kernel.cl"
    kernel.write_text((HERE / "kernels" / "prelude.cl").read_text() +
                      generator.Generator(seed, group_size).text())
    write_dwords(folder / "in.bin", [
        data.choice(SPECIAL) if data.random() < 0.1 else data.getrandbits(data.choice((4, 8, 16, 32, 32)))
        for _ in range(generator.INPUT_DWORDS)])
    write_dwords(folder / "atomics.bin", [
        data.getrandbits(32) for _ in range(generator.ATOMIC_DWORDS * len(generator.ATOMICS))])
    scalar, wide = data.getrandbits(32), data.getrandbits(63) - (1 << 62)
    items = group_size * groups
    (folder / "kernel.yaml").write_text(WORKLOAD.format(
        items=items, group_size=group_size, out_bytes=4 * items,
        item_bytes=4 * generator.ITEM_DWORDS * items, scalar=scalar, wide=wide))
    run(tools.clang, *COMMON, *HOST, "-c", kernel, "-o", "host.o", folder=folder)
    run(tools.lld, "-shared", "host.o", "-o", "host.so", folder=folder)
    run(a.reference, folder / "host.so", group_size, groups, scalar, wide, folder=folder)
    try:
        run(tools.clang, *COMMON, *DEVICE, tools.libclc, level, "-c", kernel, "-o", "device.o", folder=folder)
    except Failed as failure:
        raise NotCompiled(f"at {level} {failure}") from None
    run(tools.lld, "-shared", "device.o", "-o", "kernel.hsaco", folder=folder)
    return level


def try_kernel(seed, a, tools):
    """None, or the Failed of the kernel."""
    folder = a.keep / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        level = prepare(seed, folder, a, tools)
        for mode in suite.MODES:
            result = suite.run(a.command, folder / "kernel.yaml", asic=a.asic, mode=mode, stats=False)
            if result.status != suite.DONE:
                raise Failed(f"{level} in {mode} mode: {suite.why(result)}")
    except Failed as failure:
        return failure
    shutil.rmtree(folder)
    return None


def at_least_one(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("expected 1 or more")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=program, required=True)
    parser.add_argument("--reference", type=program, required=True)
    parser.add_argument("--kernels", type=at_least_one, default=40)
    parser.add_argument("--first", type=at_least_one, default=1)
    parser.add_argument("--asic", default="oland")
    parser.add_argument("--optimise", choices=LEVELS)
    parser.add_argument("--keep", type=lambda text: Path(text).resolve())
    parser.add_argument("--jobs", type=at_least_one, default=suite.default_jobs())
    a = parser.parse_args()
    if a.keep is None:
        a.keep = Path(tempfile.mkdtemp(prefix="kernel_soak."))
    tools = Tools()
    seeds = range(a.first, a.first + a.kernels)
    failures = {seed: failure for seed, failure in zip(seeds, suite.in_parallel(
        lambda seed: try_kernel(seed, a, tools), seeds, a.jobs)) if failure}
    for seed, failure in failures.items():
        print(f"kernel {seed}: {failure}")
    missing = sum(isinstance(failure, NotCompiled) for failure in failures.values())
    wrong = len(failures) - missing
    print(f"{len(seeds) - len(failures)} of {len(seeds)} kernels leave the memory the host leaves, "
          f"{wrong} do not, {missing} were not compiled" +
          (f"; files in {a.keep}" if failures else ""))
    if not failures:
        shutil.rmtree(a.keep, ignore_errors=True)
    # A compiler that refuses more than the few it is known for makes this no test.
    return 1 if wrong or 10 * missing > len(seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
