#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/gen_isa.py must refuse broken descriptions and name the place.

usage: gen_isa_test.py GENERATOR ISA.yaml
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from arguments import existing, take  # noqa: E402

# name, text to replace, replacement, what the message must contain
CASES = [
    ("number used twice", "s_sub_u32: {op: 1,", "s_sub_u32: {op: 0,", "SOP2.s_sub_u32: op 0 used twice"),
    ("number too big", "s_sub_u32: {op: 1,", "s_sub_u32: {op: 128,", "SOP2.s_sub_u32: op 128 does not fit"),
    ("duplicate name", "    s_sub_u32: {", "    s_add_u32: {", "duplicate key s_add_u32"),
    ("mnemonic used twice", "alias: [v_cmp_t_f32]", "alias: [v_cmp_lt_f32]", "mnemonic v_cmp_lt_f32 used twice"),
    ("unknown key", "s_add_u32: {op: 0,", "s_add_u32: {op: 0, size: 3,", "SOP2.s_add_u32: unknown key 'size'"),
    ("unknown flag", "flags: [sgpr_dst, no_vop3]", "flags: [sgpr_out, no_vop3]", "flag 'sgpr_out' is none of"),
    ("unknown rate", "rate: Fma32", "rate: Fast", "rate 'Fast' is none of"),
    ("odd width", "s_add_u32: {op: 0, dst: 32", "s_add_u32: {op: 0, dst: 33", "width 33 is not"),
    ("modifiers of no opcode", "ops: [v_ldexp_f*,", "ops: [v_ldexp_g*,", "'v_ldexp_g*' matches no vector opcode"),
    ("unknown modifier key", "clamp: true", "clmap: true", "modifiers: unknown key 'clmap'"),
    ("unknown format", "  VINTRP:\n    v_interp", "  VINTERP:\n    v_interp", "VINTERP: opcodes of an unknown format"),
    ("bits out of range", "simm16: [0, 15]", "simm16: [0, 40]", "bits [0, 40] are not a range"),
]


def run(generator, text):
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory, "isa.yaml")
        source.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, generator, source, directory],
                              capture_output=True, text=True, check=False)


def main():
    generator, description = take(__doc__, generator=existing, description=existing)
    text = pathlib.Path(description).read_text(encoding="utf-8")
    failures = []
    if run(generator, text).returncode != 0:
        failures.append("the shipped description is refused")
    for name, old, new, message in CASES:
        if old not in text:
            failures.append(f"{name}: '{old}' is not in the description any more")
            continue
        result = run(generator, text.replace(old, new, 1))
        if result.returncode != 1 or message not in result.stderr or "Traceback" in result.stderr:
            failures.append(f"{name}: status {result.returncode}, {result.stderr.strip()[-300:]}")
    print("\n".join(failures) or f"{len(CASES)} broken descriptions refused")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
