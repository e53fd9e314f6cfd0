# SPDX-License-Identifier: Apache-2.0
"""`archipelago rtl build`: a user's Verilog into the library that `--rtl BLOCK=FILE` and `--verilog FILE` take."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from archipelago import command as cmd
from archipelago.errors import BAD_USAGE, Refused
from archipelago.options import OptionParser


@dataclass(frozen=True)
class Parts:
    """What a build needs of archipelago."""
    modules: Path        # CMake files
    project: Path
    wrapper: Path
    pins: Path
    twins: list[Path]    # folders with the Verilog of the blocks
    headers: list[Path]


def parts(command: str) -> Parts:
    """Of the build the command lies in, or of the package it was installed with."""
    folder = Path(command).resolve().parent
    cache = folder / "CMakeCache.txt"
    if cache.exists():
        found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M)
        if not found:
            raise Refused(f"{cache}: names no source folder")
        source = Path(found[1])
        return Parts(source / "cmake", source / "cmake" / "rtl_build", source / "scripts" / "verilog-wrapper",
                     folder / "rtl-bridge" / "pins.json", [source / "rtl-bridge" / "rtl", folder / "generated" / "rtl"],
                     [source, folder / "generated"])
    prefix = folder.parent
    for package in sorted(prefix.glob("lib*/cmake/archipelago")) + sorted(prefix.glob("lib/*/cmake/archipelago")):
        return Parts(package, package / "rtl_build", package / "verilog-wrapper", package / "pins.json", [package / "rtl"],
                     [prefix / "include" / "archipelago"])
    raise Refused(f"{command}: no CMake files of archipelago beside it: expected {prefix / 'lib' / 'cmake' / 'archipelago'}")


def build(description: Path, output: Path, optimise: int, have: Parts) -> None:
    """What is wrong with the description or the Verilog is raised as it is said."""
    if not re.fullmatch(r"[A-Za-z_]\w*", output.stem):
        raise Refused(f"{output}: the library is named so in C++, expected letters, digits and _")
    verilator = shutil.which("verilator_bin") or shutil.which("verilator")
    if not verilator:
        raise Refused("no program verilator (Debian: verilator)")
    folder = output.with_name(output.stem + ".build")
    with _one_at_a_time(folder):
        # First alone: what it says then stands between no other lines.
        _run([sys.executable, "-B", str(have.wrapper), str(description), "--name", output.stem, "--out", str(folder / "check"),
              "--verilator", verilator, "--pins", str(have.pins), *(f"--twins={twins}" for twins in have.twins)], "")
        _configure(folder, ["-S", str(have.project), "-DCMAKE_BUILD_TYPE=Release", f"-DNAME={output.stem}",
                            f"-DOPTION=-O{optimise}", f"-DDESCRIPTION={description.resolve()}",
                            f"-DOUTPUT={output.resolve().parent}", f"-DMODULES={have.modules}", f"-DWRAPPER={have.wrapper}",
                            f"-DPINS={have.pins}", "-DTWINS=" + ";".join(map(str, have.twins)),
                            "-DHEADERS=" + ";".join(map(str, have.headers))], f"{description}: configuring its build")
        _run(["cmake", "--build", str(folder)], f"{description}: building it")


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Builds in the same folder follow one another."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _configure(folder: Path, options: list[str], what: str) -> None:
    """CMake's cache names the folder, the package and the tools it was made with. It goes when these have changed, and with a
    configuration that fails."""
    words = ["cmake", "-B", str(folder), *options]
    if (folder / "CMakeCache.txt").exists():
        with contextlib.suppress(Refused):
            return _run(words, what)
    _forget(folder)
    try:
        _run([*words, "-G", "Ninja"] if shutil.which("ninja") else words, what)
    except Refused:
        _forget(folder)
        raise


def _forget(folder: Path) -> None:
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    shutil.rmtree(folder / "CMakeFiles", ignore_errors=True)


def _run(words: list[str], what: str) -> None:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
    except OSError as error:
        raise Refused(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = done.stdout.strip() or f"{words[0]} ends with status {done.returncode} and says nothing"
        raise Refused(f"{what} failed:\n{said}" if what else said)


def main(arguments: list[str]) -> int:
    parser = OptionParser(prog="archipelago rtl build", description=__doc__)
    parser.add_argument("description", type=Path, help="YAML with the key verilog")
    parser.add_argument("-o", "--output", type=Path, help="library to write (default: NAME.so beside NAME.yaml)")
    parser.add_argument("-O", dest="optimise", type=int, choices=range(4), default=2,
                        help="how its C++ is optimised: 2, or less to build faster")
    if arguments[:1] != ["build"]:
        parser.print_usage(sys.stderr)
        return BAD_USAGE
    a = parser.parse_args(arguments[1:])
    if not a.description.is_file():
        raise Refused(f"{a.description}: no such file")
    output = a.output or a.description.with_suffix(".so")
    if output.suffix != ".so":
        raise Refused(f"{output}: expected a name that ends in .so")
    build(a.description, output, a.optimise, parts(cmd.find()))
    print(f"{output} is built")
    return 0
