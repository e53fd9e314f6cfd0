# SPDX-License-Identifier: Apache-2.0
"""The workloads the system tests and scripts/regress run, and how one is run.

    suite.py list      one line per test of the suite: name;file;code;chip;mode (read by CMake)
    suite.py chips     every chip that has workloads, one a line (read by CMake)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import verilog_uses  # noqa: E402

WORKLOADS = ROOT / "testbenches" / "workloads"
CAPTURES = WORKLOADS / "captures"
PROGRAMS = ROOT / "testbenches" / "timing" / "programs"
# Code objects of the workloads whose kernel is source text, and of PROGRAMS, which scripts/timing-report --applications
# runs; made by scripts/build-kernels: what runs does not depend on the installed compilers.
CODE = ROOT / "testbenches" / "golden" / "code"
NO_COMPILERS = {"ARCHIPELAGO_CLANG": "none", "ARCHIPELAGO_LLVM_MC": "none"}
RTL = ROOT / "rtl-bridge" / "rtl"

MODES = ("functional", "cycle")
# Every workload runs on the first chip; the others run the workloads of SUBSET, in cycle mode.
MAIN_CHIP = "tahiti"
OTHER_CHIPS = ("pitcairn", "verde", "oland", "hainan")
SUBSET = ("saxpy", "matmul", "reduction", "scratch", "global_atomics", "transpose")
# Packets of async DMA engines: the first chip of a generation runs all its workloads, the others some, all in both modes.
DMA_CHIPS = {
    "r600": ("r600", "rv610", "rv670"),
    "r700": ("rv770", "rv730"),
    "eg": ("cypress", "juniper", "cedar"),
    "ni": ("cayman",),
    "si": (MAIN_CHIP,) + OTHER_CHIPS,
    "cik": ("bonaire", "hawaii", "kaveri"),
}
DMA_SUBSET = ("copy", "tiled", "control")
# The CTM machine: every chip runs all its workloads in both modes.
CTM_CHIPS = ("r580", "r520")
# Packets of Adreno's command processors, by folder: the chips that have them.
ADRENO_A6XX, ADRENO_A7XX = ("a630", "a650", "a660"), ("a730", "a740", "a750")
ADRENO_CHIPS = {
    "all": ("a530",) + ADRENO_A6XX + ADRENO_A7XX,
    "from_a6xx": ADRENO_A6XX + ADRENO_A7XX,
    "before_a7xx": ("a530",) + ADRENO_A6XX,
    "a5xx": ("a530",),
    "a6xx": ADRENO_A6XX,
    "a7xx": ADRENO_A7XX,
}
# Left out where a test runs the suite many times over.
LONG = ("matmul_large",)

# Exit statuses of `archipelago run`.
DONE, EXPECTATION_FAILED, BAD_USAGE, MACHINE_STOPPED = 0, 1, 2, 3

# WRITE_DATA of one dword to memory; a test appends what it expects.
WRITE_BEEF = """\
memory:
  - {address: 0x200000, size: 4096, fill: 0}
steps:
  - {ring: gfx, words: [0xC0033700, 0x00100500, 0x00200000, 0, 0xbeef]}
  - {wait: gfx}
"""

TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Workload:
    name: str  # "saxpy", "captures/cl_vadd_tahiti", "async_dma/si/copy"
    path: Path
    source: Path = None  # of the kernel, when it is OpenCL C or assembly

    @property
    def options(self):
        """Of `archipelago run`, so that it takes the committed object in place of the source."""
        return ["--code", str(committed_code(self.source))] if self.source else []


@dataclass(frozen=True)
class Result:
    status: int
    output: str  # both streams
    stats_text: str = ""  # the statistics file; empty when the run wrote none

    @property
    def stats(self):
        return json.loads(self.stats_text)


def kernel_source(path):
    named = re.search(r"^kernel:\n(?:  .*\n)*?  code: (\S+\.(?:cl|s))$", path.read_text(), re.MULTILINE)
    return path.parent / named[1] if named else None


def committed_code(source):
    return CODE / (source.stem + ".hsaco")


def kernel_sources():
    """What has a committed object."""
    return sorted({w.source for w in workloads() if w.source} | set(PROGRAMS.glob("*.cl")))


def workloads():
    return [Workload(path.stem, path, kernel_source(path)) for path in sorted(WORKLOADS.glob("*.yaml"))]


def captures():
    return [Workload("captures/" + path.parent.name, path)
            for path in sorted(CAPTURES.glob("*/workload.yaml"))]


def archive(directory):
    """The workloads of an unpacked archive of captures."""
    return [Workload(path.parent.name, path)
            for path in sorted(Path(directory).glob("*/workload.yaml"))]


def dma_workloads(chip):
    """Those of the chip's async DMA engines."""
    [(generation, same)] = [(g, chips) for g, chips in DMA_CHIPS.items() if chip in chips]
    found = [Workload(f"async_dma/{generation}/{path.stem}", path)
             for path in sorted((WORKLOADS / "async_dma" / generation).glob("*.yaml"))]
    return found if chip == same[0] else [w for w in found if w.path.stem in DMA_SUBSET]


def ctm_workloads():
    return [Workload(f"ctm/{path.stem}", path) for path in sorted((WORKLOADS / "ctm").glob("*.yaml"))]


def adreno_workloads(chip):
    return [Workload(f"adreno/{folder}/{path.stem}", path) for folder, same in ADRENO_CHIPS.items() if chip in same
            for path in sorted((WORKLOADS / "adreno" / folder).glob("*.yaml"))]


def each_adreno_workload():
    """Each once, on the chip it names itself."""
    return sorted({w for chip in ADRENO_CHIPS["all"] for w in adreno_workloads(chip)}, key=lambda w: w.name)


def has_graphics(chip):
    """Whether more of it is modelled than async DMA and memory."""
    return chip in DMA_CHIPS["si"]


def sort_of(chip):
    """What testbenches/golden/counters.yaml calls chips like it."""
    if chip in ADRENO_CHIPS["all"]:
        return "adreno"
    return "ctm" if chip in CTM_CHIPS else "graphics" if has_graphics(chip) else "dma"


def chips():
    return DMA_CHIPS["si"] + tuple(chip for g, same in DMA_CHIPS.items() if g != "si" for chip in same) + CTM_CHIPS + ADRENO_CHIPS["all"]


def workloads_of(chip):
    if chip in CTM_CHIPS:
        return ctm_workloads()
    if chip in ADRENO_CHIPS["all"]:
        return adreno_workloads(chip)
    if chip == MAIN_CHIP:
        return workloads() + captures() + dma_workloads(chip)
    by_name = {w.name: w for w in workloads()}
    return [by_name[name] for name in SUBSET if has_graphics(chip)] + dma_workloads(chip)


def twins(workload):
    """The blocks of the workload's chip that have a Verilog twin."""
    families = ("ctm", "afuc")
    [family] = [f for f in families if workload.name.startswith({"afuc": "adreno"}.get(f, f) + "/")] or [None]
    return [path.name for path in sorted(RTL.iterdir())
            if path.is_dir() and next((f for f in families if path.name.startswith(f + "_")), None) == family]


def twins_together(workload):
    """Sets of these that hold all of them: the whole compute unit stands for its parts."""
    blocks = twins(workload)
    if "cu" not in blocks:
        return [tuple(blocks)]
    parts = {folder.name for folder in verilog_uses.folders("cu", [RTL])} - {"cu"}
    return [tuple(b for b in blocks if b not in parts), tuple(b for b in blocks if b != "cu")]


def modes_of(chip, workload):
    return MODES if chip == MAIN_CHIP or workload.name.startswith(("async_dma/", "ctm/", "adreno/")) else ("cycle",)


def default_command():
    return ROOT / "build" / "release" / "archipelago"


def default_jobs():
    return os.cpu_count() or 1


def run(command, workload, asic=None, mode="cycle", options=(), stats=True, environment=None):
    """Runs a Workload, without compilers, or the workload file of a path; never raises for what the run does, a
    timeout included."""
    arguments = [str(command), "run", "--quiet", "--mode", mode]
    environment = {**os.environ, **(environment or {})}
    if isinstance(workload, Workload):
        arguments += workload.options
        environment.update(NO_COMPILERS)
        workload = workload.path
    if asic:
        arguments += ["--asic", asic]
    arguments += list(options)
    with tempfile.TemporaryDirectory(prefix="archipelago-suite-") as scratch:
        stats_path = Path(scratch) / "stats.json"
        if stats:
            arguments += ["--stats", str(stats_path)]
        arguments.append(str(workload))
        try:
            done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=TIMEOUT_SECONDS,
                                  env=environment)
        except subprocess.TimeoutExpired:
            return Result(-1, f"no end after {TIMEOUT_SECONDS} s")
        except OSError as error:
            return Result(-1, str(error))
        text = stats_path.read_text() if stats_path.exists() else ""
        return Result(done.returncode, done.stdout, text)


def describe(command, chip, option):
    return subprocess.run([str(command), "describe", chip, option], check=True, capture_output=True, text=True).stdout


def in_parallel(function, items, jobs):
    """function(item) of each item, in order of the items."""
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        return list(pool.map(function, items))


def why(result, lines=3):
    """One failed run in a few words."""
    said = [line for line in result.output.splitlines() if line.strip()][:lines]
    return f"exit status {result.status}" + "".join("\n    " + line for line in said)


# What of the statistics says what ran, and how long the host took.
NOT_RESULTS = ("host_seconds", "workload", "rtl", "verilog")


def results_of(stats_text):
    """The statistics of a run, a value a line, less what says what ran and on which host."""
    stats = json.loads(stats_text)
    if "host_seconds" not in stats:
        raise ValueError("the statistics have no host_seconds")
    return json.dumps({key: value for key, value in stats.items() if key not in NOT_RESULTS}, indent=2)


# Counters of a compute unit that its pins do not show, and what statistics derive from them.
INSIDE_CU = re.compile(r"issue_cycles|(valu|vmem)_lanes|branches_taken|barriers|perf_level_changes|trace_words|valu_busy_cycles"
                       r"|lds_\w+_cycles|t[ad]_\w+_cycles|vmem_latency_cycles|fetches_dropped|wave_cycles_\w+")
FROM_INSIDE_CU = ("attribution", "ceilings", "kernels", "kernel_totals", "definitions")
CU_PATH = re.compile(r"se\d+\.sh\d+\.cu\d+")


def at_the_pins(results, blocks):
    """Of results_of(), what the chip counts too when these blocks are on their pins."""
    if "cu" not in blocks:
        return results
    stats = {key: value for key, value in json.loads(results).items() if key not in FROM_INSIDE_CU}
    # What a wave passes over in skip mode retires as any instruction of its class.
    stats["instructions"] = sum(stats["instructions"].values())
    for unit, counters in stats["units"].items():
        if CU_PATH.fullmatch(unit):
            shown = {name: n for name, n in counters.items() if not INSIDE_CU.fullmatch(name)}
            shown["instructions"] = sum(shown.pop(name) for name in list(shown) if name.endswith("_instructions"))
            stats["units"][unit] = shown
    return json.dumps(stats, indent=2)


def main(arguments):
    if arguments == ["chips"]:
        print(*chips(), sep="\n")
        return 0
    if arguments != ["list"]:
        print(__doc__, file=sys.stderr)
        return 2
    for chip in chips():
        for workload in workloads_of(chip):
            if chip in ADRENO_CHIPS["all"]:
                continue  # adreno_packets_test.py runs them
            for mode in modes_of(chip, workload):
                code = committed_code(workload.source) if workload.source else ""
                print(f"{workload.name};{workload.path};{code};{chip};{mode}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
