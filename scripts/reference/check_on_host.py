#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of all OpenCL workloads on this machine's CPU and compares with the references.

clang compiles the same .cl files for x86-64; opencl_on_host.cpp supplies work-items, barriers and
built-in functions. A difference means that kernel and reference do not say the same thing. Buffers
without an expectation must come back unchanged.

Needs clang (ARCHIPELAGO_CLANG, clang-15, -16, -14 or clang) and g++ on an x86-64 machine.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from workload_data import all_workloads, unpack

SKIPPED = 77  # exit status ctest counts as "not run"
ROOT = pathlib.Path(__file__).resolve().parents[2]
C_TYPES = {"i32": "int32_t", "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "f32": "float",
           "f64": "double"}


def literal(kind, value):
    if kind in ("f32", "f64"):
        return f"{C_TYPES[kind]}({float(value).hex()})"
    return f"{C_TYPES[kind]}({value % 2**64}ull)"


def caller(workload):
    """C++ lines that run one workload on the files arg0, arg1, ... of a folder."""
    types = ["void*" if a.data is not None else C_TYPES[a.kind] for a in workload.args]
    values = [f"buffers[{i}].data()" if a.data is not None else literal(a.kind, a.value)
              for i, a in enumerate(workload.args)]
    sizes = ["{" + ", ".join(map(str, s)) + "}" for s in (workload.global_size,
                                                         workload.local_size)]
    return (f'extern "C" void {workload.kernel}({", ".join(types)});\n'
            f"static void run_{workload.name}(Buffers& buffers) {{\n"
            f"    opencl_on_host::run({sizes[0]}, {sizes[1]}, [&] {{ "
            f'{workload.kernel}({", ".join(values)}); }});\n}}\n')


MAIN_HEAD = """#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>
#include "testbenches/support/opencl_on_host.h"
using Buffers = std::map<int, std::vector<char>>;
"""

MAIN_TAIL = """int main(int, char** argv) {
    const std::string name = argv[1], folder = argv[2];
    Buffers buffers;
    for (int i = 0; i < 32; ++i) {
        std::ifstream in(folder + "/arg" + std::to_string(i), std::ios::binary);
        if (in) buffers[i] = {std::istreambuf_iterator<char>(in), {}};
    }
    kRuns.at(name)(buffers);
    for (auto& [i, bytes] : buffers)
        std::ofstream(folder + "/arg" + std::to_string(i), std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
"""


def find_clang():
    for name in (os.environ.get("ARCHIPELAGO_CLANG"), "clang-15", "clang-16", "clang-14", "clang"):
        if name and shutil.which(name):
            return name
    print("check_on_host.py: clang is not installed (looked for clang-15, -16, -14, clang)")
    sys.exit(SKIPPED)


def build(workloads, folder):
    clang = find_clang()
    objects = []
    for code in sorted({w.code for w in workloads}):
        objects.append(folder / (code.stem + ".o"))
        subprocess.run([clang, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header",
                        "-Xclang", "-cl-ext=+all", "-target", "x86_64-pc-linux-gnu", "-O1", "-fPIC",
                        "-c", code, "-o", objects[-1]], check=True)
    runs = "".join(f'    {{"{w.name}", run_{w.name}}},\n' for w in workloads)
    table = f"static const std::map<std::string, void (*)(Buffers&)> kRuns = {{\n{runs}}};\n"
    callers = "".join(map(caller, workloads))
    (folder / "main.cpp").write_text(MAIN_HEAD + callers + table + MAIN_TAIL)
    subprocess.run(["g++", "-std=c++17", "-O1", "-w", "-ffp-contract=off", f"-I{ROOT}",
                    folder / "main.cpp", ROOT / "testbenches/support/opencl_on_host.cpp", *objects, "-o",
                    folder / "kernels"], check=True)


def differences(workload, folder):
    for index, argument in enumerate(workload.args):
        if argument.data is None:
            continue
        got = (folder / f"arg{index}").read_bytes()
        expect = argument.expect
        want = workload.expectation_path(index).read_bytes() if expect else argument.data
        kind = (expect or {}).get("type")
        if kind is None:
            if got != want:
                at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), len(want))
                yield (f"argument {index}, byte {at}: got {got[at & ~7:(at & ~7) + 8].hex()}, "
                       f"expected {want[at & ~7:(at & ~7) + 8].hex()}")
            continue
        relative, absolute = float(expect.get("rel", 0)), float(expect.get("abs", 0))
        for i, (a, b) in enumerate(zip(unpack(kind, got), unpack(kind, want))):
            if not abs(a - b) <= max(absolute, relative * abs(b)):
                yield f"argument {index}, element {i}: got {a!r}, expected {b!r}"
                break


def main():
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    workloads = [w for w in all_workloads() if w.code.suffix == ".cl"]
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        build(workloads, folder)
        for workload in workloads:
            for index, argument in enumerate(workload.args):
                (folder / f"arg{index}").unlink(missing_ok=True)
                if argument.data is not None:
                    (folder / f"arg{index}").write_bytes(argument.data)
            subprocess.run([folder / "kernels", workload.name, folder], check=True)
            for line in differences(workload, folder):
                print(f"{workload.name}: {line}")
                failures += 1
    print(f"{len(workloads)} workloads, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
