#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documented targets build all that is needed behind them: archipelago_package what is installed, archipelago_twins
the table of pins that `archipelago rtl build` reads, and both the generated Verilog.

    build_targets_test.py NINJA BUILD
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbenches" / "support"))
from arguments import existing, program, take  # noqa: E402

NINJA, BUILD = take(__doc__, ninja=program, build=existing)
CONFIGURED = re.compile(r"CMakeFiles/|archipelago-config")  # by CMake, before anything is built


def commands(target):
    """The text of every command that building the target takes."""
    return subprocess.run([NINJA, "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True).stdout


def installed():
    """Files of the build that an installation needs."""
    files = set()
    for script in Path(BUILD).rglob("cmake_install.cmake"):
        for options, listed in re.findall(r'file\(INSTALL DESTINATION "[^"]*" TYPE (\w+(?: OPTIONAL)?) FILES\s+([^)]*)\)',
                                          script.read_text()):
            if "OPTIONAL" not in options and options != "DIRECTORY":
                files |= set(re.findall(r'"([^"]+)"', listed))
    inside = {f[len(BUILD) + 1:] for f in files if f.startswith(BUILD + "/")}
    return {f for f in inside if not CONFIGURED.match(f)}


def main():
    needed = installed()
    package, twins = commands("archipelago_package"), commands("archipelago_twins")
    missing = [f"archipelago_package does not build {f}" for f in sorted(needed) if f not in package]
    verilog = set(re.findall(r"generated/rtl/[\w/]+\.svh", twins))
    missing += [f"archipelago_package does not build {f}" for f in sorted(verilog) if f not in package]
    if len(verilog) < 2:
        missing.append(f"archipelago_twins builds only {len(verilog)} files of generated Verilog")
    if "rtl-bridge/pins.json" not in twins:
        missing.append("archipelago_twins does not build rtl-bridge/pins.json")
    if len(needed) < 30:
        missing.append(f"only {len(needed)} files of the build are installed")
    print("\n".join(missing))
    return 1 if missing else 0


sys.exit(main())
