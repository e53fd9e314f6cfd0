#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built-in functions of OpenCL C 1.2 (chapters 6.12.1 to 6.12.12): a kernel calls one of them with one of its lists of types,
and must become a code object. `own` are those that the project defines itself, with their values.

    builtins_test.py ARCHIPELAGO own
    builtins_test.py ARCHIPELAGO all [FUNCTION...]
"""

import concurrent.futures
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import suite

sys.path.insert(0, str(suite.ROOT / "testbenches" / "support"))
from arguments import program, take  # noqa: E402

SIGNED, UNSIGNED = ("char", "short", "int", "long"), ("uchar", "ushort", "uint", "ulong")
INTEGERS = tuple(itertools.chain(*zip(SIGNED, UNSIGNED)))
REALS = ("float", "double")
WIDTHS = ("", "2", "3", "4", "8", "16")
BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}
INTEGER_OF = {"float": "int", "double": "long"}
ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
SPACES = ("global", "local", "private")


def functions():
    """(name, type of the result, types of the arguments): T and Tn are a type and its vector; `T*space` points to one."""
    yield from reals()
    yield from native()
    yield from integers()
    yield from common()
    yield from relational()
    yield from loads_and_stores()
    yield from copies()
    yield from atomics()
    yield from conversions()


def vectors(types, widths=WIDTHS):
    """(T, width, Tn)."""
    return ((t, w, t + w) for t in types for w in widths)


def reals():
    one = ("acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs floor "
           "lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc").split()
    two = "atan2 atan2pi copysign fdim fmod hypot maxmag minmag nextafter pow powr remainder fmax fmin".split()
    for t, width, tn in vectors(REALS):
        integer = "int" + width
        yield from ((name, tn, [tn]) for name in one)
        yield from ((name, tn, [tn, tn]) for name in two)
        yield from ((name, tn, [tn, tn, tn]) for name in ("fma", "mad"))
        yield from ((name, tn, [tn, integer]) for name in ("pown", "rootn", "ldexp"))
        yield "ilogb", integer, [tn]
        yield "nan", tn, [("uint" if t == "float" else "ulong") + width]
        if width:
            yield from ((name, tn, [tn, t]) for name in ("fmax", "fmin"))
            yield "ldexp", tn, [tn, "int"]
        for space in SPACES:
            yield from ((name, tn, [tn, f"{tn}*{space}"]) for name in ("fract", "modf", "sincos"))
            yield from ((name, tn, [tn, f"{integer}*{space}"]) for name in ("frexp", "lgamma_r"))
            yield "remquo", tn, [tn, tn, f"{integer}*{space}"]


def native():
    for kind, (_, _, tn) in itertools.product(("half_", "native_"), vectors(["float"])):
        yield from ((kind + name, tn, [tn]) for name in "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split())
        yield from ((kind + name, tn, [tn, tn]) for name in ("divide", "powr"))


def integers():
    for t, width, tn in vectors(INTEGERS):
        unsigned = (t if t[0] == "u" else "u" + t) + width
        yield from ((name, tn, [tn]) for name in ("clz", "popcount"))
        yield "abs", unsigned, [tn]
        yield "abs_diff", unsigned, [tn, tn]
        yield from ((name, tn, [tn, tn]) for name in "add_sat hadd rhadd max min mul_hi rotate sub_sat".split())
        yield from ((name, tn, [tn, tn, tn]) for name in ("clamp", "mad_hi", "mad_sat"))
        if width:
            yield from ((name, tn, [tn, t]) for name in ("max", "min"))
            yield "clamp", tn, [tn, t, t]
        if BITS[t] == 32:
            yield "mul24", tn, [tn, tn]
            yield "mad24", tn, [tn, tn, tn]
        if BITS[t] < 64:
            twice = INTEGERS[INTEGERS.index(t) + 2]
            low = (t if t[0] == "u" else "u" + t) + width
            yield "upsample", twice + width, [tn, low]


def common():
    for t, width, tn in vectors(REALS):
        yield from ((name, tn, [tn]) for name in ("degrees", "radians", "sign"))
        yield from ((name, tn, [tn, tn]) for name in ("max", "min", "step"))
        yield from ((name, tn, [tn, tn, tn]) for name in ("clamp", "mix", "smoothstep"))
        if width:
            yield from ((name, tn, [tn, t]) for name in ("max", "min"))
            yield from (("clamp", tn, [tn, t, t]), ("mix", tn, [tn, tn, t]), ("step", tn, [t, tn]), ("smoothstep", tn, [t, t, tn]))
        if width in ("3", "4"):
            yield "cross", tn, [tn, tn]
        if width in ("", "2", "3", "4"):
            yield from ((name, t, [tn, tn]) for name in ("dot", "distance"))
            yield from (("length", t, [tn]), ("normalize", tn, [tn]))
            if t == "float":
                yield from (("fast_distance", t, [tn, tn]), ("fast_length", t, [tn]), ("fast_normalize", tn, [tn]))


def relational():
    two = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered".split()
    for t, width, tn in vectors(REALS):
        truth = INTEGER_OF[t] + width if width else "int"
        yield from ((name, truth, [tn, tn]) for name in two)
        yield from ((name, truth, [tn]) for name in "isfinite isinf isnan isnormal signbit".split())
        yield "bitselect", tn, [tn, tn, tn]
        yield from (("select", tn, [tn, tn, kind + INTEGER_OF[t] + width]) for kind in ("", "u"))
    for t, width, tn in vectors(INTEGERS):
        yield "bitselect", tn, [tn, tn, tn]
        base = t.lstrip("u")
        yield from (("select", tn, [tn, tn, kind + base + width]) for kind in ("", "u"))
        if t in SIGNED:
            yield from ((name, "int", [tn]) for name in ("any", "all"))


def loads_and_stores():
    for t, width, tn in vectors((*INTEGERS, *REALS), WIDTHS[1:]):
        for space in (*SPACES, "constant"):
            yield f"vload{width}", tn, ["size_t", f"{t}*{space}"]
            if space != "constant":
                yield f"vstore{width}", "void", [tn, "size_t", f"{t}*{space}"]
    for _, width, tn in vectors(["float"]):
        for space in (*SPACES, "constant"):
            yield from ((f"{name}{width}", tn, ["size_t", f"half*{space}"]) for name in ("vload_half", "vloada_half") if width or name[5] == "_")
            if space != "constant":
                yield from ((f"{name}{width}{mode}", "void", [real + width, "size_t", f"half*{space}"])
                            for name in ("vstore_half", "vstorea_half") if width or name[6] == "_"
                            for mode in ROUNDINGS for real in REALS)


def copies():
    for _, _, tn in vectors((*INTEGERS, *REALS)):
        for to, source in (("local", "global"), ("global", "local")):
            pointers = [f"{tn}*{to}", f"const {tn}*{source}", "size_t"]
            yield "async_work_group_copy", "event_t", [*pointers, "event_t"]
            yield "async_work_group_strided_copy", "event_t", [*pointers, "size_t", "event_t"]
        yield "prefetch", "void", [f"const {tn}*global", "size_t"]
    yield "wait_group_events", "void", ["int", "event_t*private"]
    yield from ((name, "void", ["uint"]) for name in ("barrier", "mem_fence", "read_mem_fence", "write_mem_fence"))


def atomics():
    for t, space in itertools.product(("int", "uint"), ("global", "local")):
        pointer = f"volatile {t}*{space}"
        yield from ((f"atomic_{name}", t, [pointer, t]) for name in "add sub xchg min max and or xor".split())
        yield from ((f"atomic_{name}", t, [pointer]) for name in ("inc", "dec"))
        yield "atomic_cmpxchg", t, [pointer, t, t]
    yield from (("atomic_xchg", "float", [f"volatile float*{space}", "float"]) for space in ("global", "local"))


def conversions():
    types = (*INTEGERS, *REALS)
    for to, source, width, mode in itertools.product(types, types, WIDTHS, ROUNDINGS):
        yield f"convert_{to}{width}{mode}", to + width, [source + width]
        if to in INTEGERS:
            yield f"convert_{to}{width}_sat{mode}", to + width, [source + width]
    for t, width, tn in vectors(types):
        bits = {**BITS, "float": 32, "double": 64}
        yield from ((f"as_{other}{width}", other + width, [tn]) for other in types if bits[other] == bits[t])
        for n in WIDTHS[1:]:
            if width and width != "3" and n != "3":
                mask = next(u for u in UNSIGNED if BITS[u] == bits[t])
                yield f"shuffle/{n}", t + n, [tn, mask + n]
                yield f"shuffle2/{n}", t + n, [tn, tn, mask + n]


def kernel(number, name, result, arguments):
    """One call; every argument comes from memory, so that nothing is computed beforehand."""
    parameters, before, given = ["global char* bytes"], [], []
    for i, argument in enumerate(arguments):
        kind, star, space = argument.partition("*")
        if argument == "half*private":  # no variable may have that type
            before.append(f"short p{i}[32];")
            given.append(f"(private half*)p{i}")
        elif star and space == "private":
            before.append(f"{kind} p{i} = 0;" if kind == "event_t" else f"{kind} p{i}[32];")
            given.append(f"&p{i}" if kind == "event_t" else f"p{i}")
        elif star:
            parameters.append(f"{space} {kind}* p{i}")
            given.append(f"p{i}")
        elif kind == "event_t":
            given.append("0")
        elif argument in ("size_t", "int") and name in ("wait_group_events", "async_work_group_copy", "async_work_group_strided_copy", "prefetch"):
            given.append("1")
        elif name == "barrier" or name.endswith("_fence"):
            given.append("CLK_LOCAL_MEM_FENCE")
        else:
            parameters.append(f"global {kind}* p{i}")
            given.append(f"*p{i}")
    call = f"{name.partition('/')[0]}({', '.join(given)})"
    if result == "event_t":
        call = f"event_t e = {call}; wait_group_events(1, &e)"
    elif result != "void":
        call = f"*(global {result}*)bytes = {call}"
    privates = "".join(f" ((global int*)bytes)[{i}] += ((private int*)p{i})[0];" for i, a in enumerate(arguments)
                       if a.endswith("*private") and a != "event_t*private")
    return f"kernel void k{number}({', '.join(parameters)}) {{ {' '.join(before)} {call};{privates} }}\n"


def compile_function(command, name, calls, folder):
    """"": every call becomes code; else what the compiler says of the first that does not."""
    path = Path(folder) / f"{name.replace('/', '_')}.cl"
    path.write_text("".join(kernel(i, *call) for i, call in enumerate(calls)))
    done = subprocess.run([command, "compile", path, "-o", path.with_suffix(".hsaco")], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{name}: {(done.stderr or done.stdout)[:1000]}"


def check_all(command, wanted):
    calls = {}
    for call in functions():
        # One file a function; conversions by the type they make.
        calls.setdefault(call[0].split("_sat")[0].split("_rt")[0] if call[0].startswith("convert_") else call[0], []).append(call)
    chosen = {name: c for name, c in calls.items() if not wanted or name in wanted}
    assert chosen, f"no function is called {' '.join(wanted)}"
    with tempfile.TemporaryDirectory(prefix="archipelago-builtins-") as folder, \
         concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        faults = [f for f in pool.map(lambda item: compile_function(command, *item, folder), chosen.items()) if f]
    print(f"{len(chosen)} functions, {sum(map(len, chosen.values()))} calls, {len(faults)} functions with a fault")
    print("\n".join(faults))
    return not faults


def mul_hi(a, b, bits):
    return (a * b) >> bits


def in_type(value, t):
    value &= (1 << BITS[t]) - 1
    return value - (1 << BITS[t]) if t in SIGNED and value >> (BITS[t] - 1) else value


def own_values(folder):
    """A workload of mad_hi with all types, smoothstep, and copies of vectors of three to local memory and back."""
    text, words = "", []
    for index, t in enumerate(INTEGERS):
        a, b, c = (in_type(v, t) for v in (0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9 << 3))
        expected = in_type(mul_hi(a, b, BITS[t]) + c, t) & ((1 << 64) - 1)
        literals = ", ".join(f"({t}){v & ((1 << BITS[t]) - 1):#x}ul + ({t})zero" for v in (a, b, c))
        text += f"  w[{index}] = (long)mad_hi(({t})({literals.split(', ')[0]}), ({t})({literals.split(', ')[1]}), ({t})({literals.split(', ')[2]}));\n"
        words += [expected & 0xffffffff, expected >> 32]
    text += f"  w[{len(INTEGERS)}] = (smoothstep(1.0, 3.0, (double3)(2.0 + zero))).z == 0.5;\n"
    words += [1, 0]
    (folder / "own.cl").write_text(
        f"kernel void own(global ulong* w, uint zero, global uint3* from, global uint3* to) {{\n{text}"
        "  local uint3 tile[8], other[8];\n"
        "  prefetch(from, 16);\n"
        "  event_t e = async_work_group_copy(tile, from, 8, 0);\n"
        "  e = async_work_group_strided_copy(other, from, 8, 2, e);\n"
        "  wait_group_events(1, &e);\n"
        "  e = async_work_group_strided_copy(to, other, 8, 2, 0);\n"
        "  e = async_work_group_copy(to + 16, tile, 8, e);\n"
        "  wait_group_events(1, &e);\n}\n")
    source = [[10 * i, 10 * i + 1, 10 * i + 2, 0] for i in range(16)]
    target = [[0] * 4 for _ in range(24)]
    for i in range(8):
        target[2 * i], target[16 + i] = source[2 * i], source[i]
    (folder / "own.yaml").write_text(
        "kernel:\n  code: own.cl\n  name: own\n  global_size: [64, 1, 1]\n  local_size: [64, 1, 1]\n  args:\n"
        f"    - buffer: {{zeros: {4 * len(words)}}}\n      expect: {{words: {words}}}\n    - u32: 0\n"
        f"    - buffer: {{words: {sum(source, [])}}}\n    - buffer: {{zeros: 384}}\n      expect: {{words: {sum(target, [])}}}\n")


def check_own(command):
    with tempfile.TemporaryDirectory(prefix="archipelago-builtins-") as scratch:
        folder = Path(scratch)
        own_values(folder)
        good = True
        for mode in suite.MODES:
            done = subprocess.run([command, "run", folder / "own.yaml", "--mode", mode], capture_output=True, text=True)
            print(done.stdout + done.stderr, end="")
            good = good and done.returncode == 0
        for text, said in (("kernel void k(global float* f) { float g(float); *f = g(*f); }\n", "no definition, in the source or in the OpenCL library: g"),):
            (folder / "missing.cl").write_text(text)
            done = subprocess.run([command, "compile", folder / "missing.cl", "-o", folder / "o"], capture_output=True, text=True)
            if done.returncode != 2 or said not in done.stderr:
                print(f"expected status 2 and {said!r}, got {done.returncode}: {done.stderr}")
                good = False
    return good


if __name__ == "__main__":
    COMMAND, PART = take(__doc__, archipelago=program, part=str)
    sys.exit(0 if (check_own(COMMAND) if PART == "own" else check_all(COMMAND, sys.argv[1:])) else 1)
