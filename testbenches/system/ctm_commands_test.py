#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each of the 27 commands of CTM chips has its effect, in both modes: what memory holds with it and without it.

    ctm_commands_test.py ARCHIPELAGO
"""

import struct
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import suite

sys.path[:0] = [str(suite.ROOT / part) for part in ("testbenches/support", "scripts/reference")]
from arguments import program, take  # noqa: E402
from ctm_program import Program  # noqa: E402

HEADERS = {
    "init_perf_counters": 0xC0010200, "start_perf_counters": 0xC0000300, "stop_perf_counters": 0xC0000400,
    "read_perf_counters": 0xC0010500, "set_cond_val": 0xC0000600, "set_domain": 0xC0030700, "start_program": 0xC0000800,
    "wait_for_idle": 0xC0000900, "set_inst_fmt": 0xC0010A00, "set_inp_fmt": 0xC0030B00, "set_out_fmt": 0xC0030C00,
    "set_cond_out_fmt": 0xC0020D00, "set_constf_fmt": 0xC0010E00, "set_consti_fmt": 0xC0010F00, "set_constb_fmt": 0xC0011000,
    "inv_inst_cache": 0xC0001100, "inv_constf_cache": 0xC0001200, "inv_consti_cache": 0xC0001300,
    "inv_constb_cache": 0xC0001400, "inv_cond_out_cache": 0xC0001500, "inv_inp_cache": 0xC0001600,
    "flush_out_cache": 0xC0001700, "flush_cond_out_cache": 0xC0001800, "set_out_mask": 0xC0001900,
    "set_cond_out_mask": 0xC0001A00, "set_cond_test": 0xC0001B00, "set_cond_loc": 0xC0001C00}
FLOAT32_1, FLOAT32_4, UINT8_4 = 2 << 24, 4 << 24, 1 << 24

# Pairs of places: those that the setup names, and others.
COPY, FLOAT, INT, BOOL = 0x100000, 0x102000, 0x104000, 0x106000
INPUT, INPUT_2 = 0x210000, 0x211000
OUTPUT, OUTPUT_2, COND, COND_2, COUNTERS = 0x200000, 0x201000, 0x202000, 0x203000, 0x204000
FLOATS, FLOATS_2, INTS, INTS_2, BOOLS, BOOLS_2 = 0x220000, 0x221000, 0x222000, 0x223000, 0x224000, 0x225000
LESS, ALWAYS, DPP, PE = 1, 7, 0, 1


def floats(*values):
    return list(struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values)))


def copy_program():
    p = Program()
    p.load("r1", "r0", 0)
    p.out("o0.rgba", "r1")
    return p.words()


def float_program():
    p = Program()
    p.move("r1", "c0")
    p.out("o0.rgba", "r1")
    return p.words()


def int_program():
    p = Program()
    p.repeat(0)
    p.math(("MAD", "r1.r", "r1", "1", "1"))
    p.end_repeat()
    p.out("o0.rgba", "r1")
    return p.words()


def bool_program():
    """1 unless the constant is true."""
    p = Program()
    p.flow(0, FC_JUMP_FUNC=0xAA, FC_JUMP_ADDR=2)
    p.math(("MAD", "r1.r", "1", "1", "0"))
    p.out("o0.rgba", "r1")
    return p.words()


MEMORY = {
    COPY: copy_program(), FLOAT: float_program(), INT: int_program(), BOOL: bool_program(),
    INPUT: floats(1, 2, 3, 4), INPUT_2: floats(5, 6, 7, 8), OUTPUT: [0] * 4, OUTPUT_2: [0] * 4,
    COND: [0] * 4, COND_2: floats(-8, -8, -8, -8), COUNTERS: [0xEEEEEEEE] * 2,
    FLOATS: floats(11, 0, 0, 0), FLOATS_2: floats(12, 0, 0, 0), INTS: [3], INTS_2: [5], BOOLS: [1], BOOLS_2: [0]}

IDLE, START, FLUSH = ("wait_for_idle",), ("start_program",), ("flush_out_cache",)
RUN = (START, IDLE, FLUSH)
SETUP = (
    ("set_inst_fmt", COPY, FLOAT32_1 | 1024), ("set_inp_fmt", 0, INPUT, FLOAT32_1 | 8, 1),
    ("set_out_fmt", 0, OUTPUT, FLOAT32_1 | 8, 1), ("set_cond_out_fmt", COND, FLOAT32_1 | 8, 1),
    ("set_constf_fmt", FLOATS, FLOAT32_4 | 1024), ("set_consti_fmt", INTS, UINT8_4 | 1024),
    ("set_constb_fmt", BOOLS, FLOAT32_1 | 1024), ("set_domain", 0, 0, 3, 0), ("set_cond_out_mask", 0),
    ("set_cond_loc", PE), ("set_cond_test", ALWAYS))
COPIED, OTHERS, NOTHING = floats(1, 2, 3, 4), floats(5, 6, 7, 8), [0] * 4


@dataclass(frozen=True)
class Case:
    command: tuple
    present: object  # what memory holds with the command, a list or a check of one
    absent: object   # ... without it
    before: tuple = ()  # commands, and changes of memory: {address: words}
    after: tuple = RUN
    at: int = OUTPUT
    count: int = 4


def code(at):
    return ("set_inst_fmt", at, FLOAT32_1 | 1024)


def counted(total, active):
    """Checks of the counts."""
    return lambda words: total(words[0]) and active(words[1])


def some(count):
    return 0 < count < 100000


def none(count):
    return count == 0


def test_of(condition, value=-1):
    return (("set_cond_val", *floats(value)), ("set_cond_test", condition))


COUNT = (("init_perf_counters", 1, 0), ("start_perf_counters",))
READ = ("read_perf_counters", COUNTERS, 0)
UNTOUCHED = [0xEEEEEEEE] * 2
CASES = (
    Case(("init_perf_counters", 1, 0), counted(some, some), UNTOUCHED, after=(COUNT[1], *RUN, READ), at=COUNTERS, count=2),
    Case(("start_perf_counters",), counted(some, some), [0, 0], (COUNT[0],), (*RUN, READ), COUNTERS, 2),
    Case(("stop_perf_counters",), counted(lambda n: n < 100, none), counted(some, some), COUNT, (*RUN, READ), COUNTERS, 2),
    Case(READ, counted(some, some), UNTOUCHED, (*COUNT, *RUN), (), COUNTERS, 2),
    # -1 is less than 0, which is the value after reset.
    Case(("set_cond_val", *floats(-1)), COPIED, NOTHING, (("set_cond_test", LESS),)),
    Case(("set_domain", 1, 0, 2, 0), floats(0, 2, 3, 0), COPIED),
    Case(START, COPIED, NOTHING, (), (IDLE, FLUSH)),
    Case(IDLE, floats(5, 6, 7, 8), None, (START,), (("set_inp_fmt", 0, INPUT_2, FLOAT32_1 | 8, 1), *RUN)),
    Case(code(FLOAT), floats(11, 11, 11, 11), COPIED),
    Case(("set_inp_fmt", 0, INPUT_2, FLOAT32_1 | 8, 1), OTHERS, COPIED),
    Case(("set_out_fmt", 0, OUTPUT_2, FLOAT32_1 | 8, 1), COPIED, NOTHING, at=OUTPUT_2),
    Case(("set_cond_out_fmt", COND_2, FLOAT32_1 | 8, 1), NOTHING, COPIED, test_of(LESS)),
    Case(("set_constf_fmt", FLOATS_2, FLOAT32_4 | 1024), floats(12, 12, 12, 12), floats(11, 11, 11, 11), (code(FLOAT),)),
    Case(("set_consti_fmt", INTS_2, UINT8_4 | 1024), floats(5, 5, 5, 5), floats(3, 3, 3, 3), (code(INT),)),
    Case(("set_constb_fmt", BOOLS_2, FLOAT32_1 | 1024), floats(1, 1, 1, 1), NOTHING, (code(BOOL),)),
    # What the host changes is seen once the cache has forgotten it.
    Case(("inv_inst_cache",), floats(11, 11, 11, 11), COPIED, (*RUN, {COPY: MEMORY[FLOAT]})),
    Case(("inv_constf_cache",), floats(12, 12, 12, 12), floats(11, 11, 11, 11), (code(FLOAT), *RUN, {FLOATS: MEMORY[FLOATS_2]})),
    Case(("inv_consti_cache",), floats(5, 5, 5, 5), floats(3, 3, 3, 3), (code(INT), *RUN, {INTS: [5]})),
    Case(("inv_constb_cache",), floats(1, 1, 1, 1), NOTHING, (code(BOOL), *RUN, {BOOLS: [0]})),
    Case(("inv_cond_out_cache",), NOTHING, COPIED, (*test_of(LESS), *RUN, {COND: MEMORY[COND_2], OUTPUT: NOTHING})),
    Case(("inv_inp_cache",), OTHERS, COPIED, (*RUN, {INPUT: MEMORY[INPUT_2]})),
    # What programs write is in memory once it has been flushed.
    Case(FLUSH, COPIED, NOTHING, (START, IDLE), ()),
    Case(("flush_cond_out_cache",), floats(-1, -1, -1, -1), NOTHING, (("set_cond_out_mask", 1), *test_of(LESS), *RUN), (), COND),
    Case(("set_out_mask", 0), NOTHING, COPIED),
    Case(("set_cond_out_mask", 1), floats(-1, -1, -1, -1), NOTHING, test_of(LESS), (*RUN, ("flush_cond_out_cache",)), COND),
    Case(("set_cond_test", LESS), NOTHING, COPIED, (("set_cond_val", *floats(1)),)),
    # The processors ask in place of PE; both see the same value, but only PE's requests pass by.
    Case(("set_cond_loc", DPP), COPIED, NOTHING, (("set_cond_val", *floats(1)), ("set_cond_test", LESS), code(0x108000)), RUN),
)
# Its own conditional value, -1, is what processors ask with.
CONDITIONAL = 0x108000


def conditional_program():
    p = Program()
    p.load("r1", "r0", 0)
    p.math(("MAX", "", "0", "0"), ("MAX", "", "-1", "-1"), kind=1, W_OMASK=1)
    p.out("o0.rgba", "r1")
    return p.words()


MEMORY[CONDITIONAL] = conditional_program()


def buffers(steps):
    """Steps of a workload file: command buffers, and changes of memory between them."""
    text, words = "", []
    for step in (*steps, {}):
        if isinstance(step, dict):
            if words:
                text += f"  - {{ring: ctm, words: [{', '.join(map(hex, words))}]}}\n  - {{wait: ctm}}\n"
            words = []
            text += "".join(f"  - memory: {memory_of(at, data)}\n" for at, data in step.items())
        else:
            name, *parameters = step
            words += [HEADERS[name], *(parameters or [0])]
    return text


def memory_of(address, words):
    return f"{{address: {address:#x}, words: [{', '.join(map(hex, words))}]}}"


class Commands(unittest.TestCase):
    def outcome(self, case, steps, chip, mode):
        """The words that the case looks at; None when the machine stopped."""
        with tempfile.TemporaryDirectory(prefix="archipelago-ctm-") as scratch:
            path, dump = Path(scratch) / "w.yaml", Path(scratch) / "words"
            path.write_text("memory:\n" + "".join(f"  - {memory_of(at, data)}\n" for at, data in MEMORY.items()) + "steps:\n" +
                            buffers((*SETUP, *steps)) + f"dump: [{{address: {case.at:#x}, size: {4 * case.count}, file: words}}]\n")
            result = suite.run(COMMAND, path, asic=chip, mode=mode, stats=False)
            if result.status == suite.MACHINE_STOPPED:
                return None
            self.assertEqual(result.status, suite.DONE, result.output)
            return list(struct.unpack(f"<{case.count}I", dump.read_bytes()))

    def check(self, expected, words):
        if callable(expected):
            self.assertTrue(expected(words), words)
        else:
            self.assertEqual(expected, words)

    def test_there_is_a_case_of_each_command(self):
        self.assertEqual([case.command[0] for case in CASES], list(HEADERS))

    def test_each_command_has_its_effect(self):
        for case in CASES:
            for chip in suite.CTM_CHIPS:
                for mode in suite.MODES:
                    with self.subTest(command=case.command[0], chip=chip, mode=mode):
                        self.check(case.present, self.outcome(case, (*case.before, case.command, *case.after), chip, mode))
                        self.check(case.absent, self.outcome(case, (*case.before, *case.after), chip, mode))


if __name__ == "__main__":
    [COMMAND] = take(__doc__, archipelago=program)
    unittest.main()
