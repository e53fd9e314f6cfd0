# SPDX-License-Identifier: Apache-2.0
"""Command buffers and programs of CTM chips that must be refused, each with its buffer and dword, or its thread and
instruction; and what only looks wrong."""
import struct
import sys
from pathlib import Path

from framework import BAD_INPUT, BOTH, MACHINE_STOPPED, Suite

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts" / "reference"))
from ctm_program import Program  # noqa: E402

suite = Suite("ctm")

CODE, OUTPUT, BUFFER, UNMAPPED = 0x100000, 0x200000, 0x300000, 0x0A000000
WAIT, START, FLUSH = (0xC0000900, 0), (0xC0000800, 0), (0xC0001700, 0)
SET_INST_FMT = (0xC0010A00, CODE, 0x02000400)
INPUT = (0xC0030B00, 0, OUTPUT + 0x1000, 0x02000010, 16)
PLACE = r"command buffer 1 at 0x[0-9a-f]+, dword "


def words(numbers):
    return "[" + ", ".join(f"{n:#x}" for n in numbers) + "]"


def memory(code=(), **more):
    text = (f"memory:\n  - {{address: {OUTPUT:#x}, fill: 0, size: 64 KiB}}\n"
            f"  - {{address: {CODE:#x}, fill: 0, size: 16 KiB}}\n")
    if code:
        text = (f"memory:\n  - {{address: {OUTPUT:#x}, fill: 0, size: 64 KiB}}\n"
                f"  - {{address: {CODE:#x}, words: {words(code)}}}\n")
    for address, numbers in more.items():
        text += f"  - {{address: 0x{address[1:]}, words: {words(numbers)}}}\n"
    return text


def domain(i0, j0, i1, j1):
    return (0xC0030700, i0, j0, i1, j1)


def output(base=OUTPUT, width=16, height=16, which=0, form=2):
    return (0xC0030C00, which, base, form << 24 | width, height)


def steps(*buffers, info=""):
    return "steps:\n" + "".join(f"  - {{ring: ctm, words: {words(b)}{info}}}\n" for b in buffers) + "  - {wait: ctm}\n"


def run(program, *, points=(0, 0, 15, 15), commands=(), out=output(), info=""):
    """The program over some index pairs of output 0."""
    code = program if isinstance(program, (list, tuple)) else program.words()
    buffer = [*SET_INST_FMT, *INPUT, *out, *commands, *domain(*points), *START, *WAIT, *FLUSH]
    return memory(code) + steps(buffer, info=info)


def stops(name, workload, message, chip="r580", modes=BOTH, options=()):
    suite.workload(name, workload, MACHINE_STOPPED, message, options=["--asic", chip, *options], modes=modes)


def runs(name, workload, modes=BOTH, options=()):
    suite.workload(name, workload, 0, "", options=["--asic", "r580", *options], modes=modes)


def ending(*instructions):
    """A program of prepared steps that ends as it should."""
    p = Program()
    for step in instructions:
        step(p)
    p.out("o0.rgba", "r1")
    return p


PLAIN = ending()

# ---- commands

for chip in ("r580", "r520"):
    stops(f"unknown_command.{chip}", memory() + steps([*WAIT, 0xC0000100, 0]),
          rf"bad input\): {PLACE}2: no command has header 0xc0000100", chip=chip)
stops("count_of_another_command", memory() + steps([0xC0020800, 0, 0, 0]),
      rf"bad input\): {PLACE}0: no command has header 0xc0020800; that of start_program is 0xc0000800")
stops("nothing_but_zeros", memory() + steps([0] * 8), rf"bad input\): {PLACE}0: no command has header 0x0")
stops("parameters_cut_off", memory() + steps([*WAIT, 0xC0030700, 0, 0]),
      rf"bad input\): {PLACE}2, set_domain: the buffer ends within it: of 4 parameters 2 are left")
stops("header_alone_at_the_end", memory() + steps([*WAIT, 0xC0000900]),
      rf"bad input\): {PLACE}2, wait_for_idle: the buffer ends within it: of 1 parameters 0 are left")
stops("cut_off_in_the_second_buffer", memory() + steps(WAIT, [0xC0010A00, CODE]),
      r"bad input\): command buffer 2 at 0x[0-9a-f]+, dword 0, set_inst_fmt: the buffer ends within it")
for name, address, dword, refused in (("buffer_outside_memory", UNMAPPED, 0, UNMAPPED),
                                      # Three lines of a page are there, the next page is not.
                                      ("buffer_off_the_end_of_memory", BUFFER + 0xF40, 48, BUFFER + 0x1000)):
    stops(name, memory(**{f"x{BUFFER + 0xF40:x}": WAIT * 24}) +
          f"steps:\n  - {{ring: ctm, ib: {{address: {address:#x}, dwords: 64}}}}\n  - {{wait: ctm}}\n",
          rf"access fault\): command buffer 1 at {address:#x}, dword {dword}: fetch from unmapped address {refused:#x}")
stops("counters_to_unmapped", memory() + steps([0xC0010200, 1, 0, 0xC0000300, 0, 0xC0010500, UNMAPPED, 0]),
      rf"access fault\): {PLACE}5, read_perf_counters: write to unmapped address {UNMAPPED:#x}")

# ---- commands that wait for wait_for_idle

for name, command in (("set_inst_fmt", SET_INST_FMT), ("set_inp_fmt", INPUT), ("set_out_fmt", output()),
                      ("set_cond_out_fmt", (0xC0020D00, OUTPUT, 0x02000010, 16)),
                      ("set_constf_fmt", (0xC0010E00, OUTPUT, 0x04000010)),
                      ("set_consti_fmt", (0xC0010F00, OUTPUT, 0x01000010)),
                      ("set_constb_fmt", (0xC0011000, OUTPUT, 0x02000010)),
                      ("read_perf_counters", (0xC0010500, OUTPUT, 0))):
    started = [*SET_INST_FMT, *INPUT, *output(), *domain(0, 0, 15, 15), *START]
    work = memory(PLAIN.words()) + steps([*started, *command, *WAIT])
    stops(f"{name}_while_programs_run", work,
          rf"bad input\): {PLACE}{len(started)}, {name}: .*wait_for_idle")
    runs(f"{name}_while_programs_run_is_allowed", work, options=["--set", "ctm.undefined=allow"])
    runs(f"{name}_behind_wait_for_idle", memory(PLAIN.words()) + steps([*started, *WAIT, *command]))
stops("next_buffer_does_not_wait", memory(PLAIN.words()) +
      steps([*SET_INST_FMT, *INPUT, *output(), *domain(0, 0, 15, 15), *START], [*output()]),
      r"bad input\): command buffer 2 at 0x[0-9a-f]+, dword 0, set_out_fmt: .*wait_for_idle")

# ---- surfaces

stops("domain_wider_than_the_output", run(PLAIN, points=(0, 0, 16, 15)), r"bad input\): .*output 0 at \(16, \d+\): .*16")
stops("domain_higher_than_the_output", run(PLAIN, points=(0, 0, 15, 16)), r"bad input\): .*output 0 at \(\d+, 16\): .*16")
runs("domain_beyond_the_output_is_allowed", run(PLAIN, points=(0, 0, 15, 16)), options=["--set", "ctm.undefined=allow"])
stops("output_outside_memory", run(PLAIN, out=output(base=UNMAPPED)),
      r"access fault\): .*output 0 at \(\d+, \d+\): write to unmapped address 0xa000")
stops("code_outside_memory", memory() + steps([0xC0010A00, UNMAPPED, 0x02000400, *domain(0, 0, 0, 0), *START]),
      r"access fault\): .*instruction.*unmapped address 0xa000000")
for form in (6, 7):
    stops(f"reserved_format_{form}", run(PLAIN, out=output(form=form)), r"bad input\): .*output 0 at \(\d+, \d+\): .*format")


def base_with_low_bits(low):
    """Bits 10:0 of a base do not count: the values are where they are without them."""
    p = Program()
    p.move("r1", "r0")
    p.out("o0.rgba", "r1")
    first = words(struct.unpack("<4I", struct.pack("<4f", 0, 1, 2, 3)))
    return (run(p, points=(0, 0, 3, 0), out=output(base=OUTPUT | low)) +
            f"  - expect: {{address: {OUTPUT:#x}, words: {first}}}\n")


# ---- programs

def refused(name, message, program, **more):
    stops(name, run(program, **more), rf"bad input\): .*thread at \(\d+, \d+\), {message}")


endless = Program()
for _ in range(512):
    endless.move("r1", "r0")
refused("program_without_an_end", r"pc 511, ALU: .*(512|511)", endless)
not_last = Program()
for _ in range(511):
    not_last.move("r1", "r0")
not_last.out("o0.rgba", "r1", last=False)
refused("program_whose_out_is_not_the_last", r"pc 511, OUT: .*(512|511)", not_last)
runs("program_of_512_instructions", run(not_last.words()[:-6] + PLAIN.words()))


def flow(operation, **fields):
    return lambda p: p.flow(operation, **fields)


def repeated(count, step):
    return [step] * count


JUMP, LOOP, ENDLOOP, REP, ENDREP = 0, 1, 2, 3, 4
PARTIAL = ", proginfo: {full_flow_control: false}"
LOOPS = (0xC0010F00, OUTPUT + 0x2000, 0x01000400)


def nested(depth, operation):
    """Loops in loops, of two iterations."""
    return ending(*repeated(depth, flow(operation, FC_INT_ADDR=0, FC_JUMP_ADDR=40)))


def run_loops(program, info=""):
    return run(program, commands=LOOPS, info=info).replace(
        "steps:", f"  - {{address: {OUTPUT + 0x10000:#x}, words: [2, 2]}}\nsteps:", 1).replace(
        f"{LOOPS[1]:#x}", f"{OUTPUT + 0x10000:#x}", 1)


for operation, name in ((LOOP, "loop"), (REP, "rep")):
    for depth, info, mode in ((4, "", "full"), (1, PARTIAL, "partial")):
        stops(f"{name}_stack_overflow.{mode}", run_loops(nested(depth + 1, operation), info),
              rf"bad input\): .*thread at \(\d+, \d+\), pc {depth}, FC: overflow of the loop stack: it holds {depth}")
        runs(f"{name}_stack_full.{mode}", run_loops(nested(depth, operation), info))
for depth, info, mode in ((4, "", "full"), (1, PARTIAL, "partial")):
    def calls(count):
        return ending(*[flow(JUMP, FC_JUMP_FUNC=0xFF, FC_A_OP=2, FC_JUMP_ADDR=i + 1) for i in range(count)])
    refused(f"address_stack_overflow.{mode}", rf"pc {depth}, FC: overflow of the address stack: it holds {depth}",
            calls(depth + 1), info=info)
    runs(f"address_stack_full.{mode}", run(calls(depth), info=info))
for depth, info, mode in ((32, "", "full"), (4, PARTIAL, "partial")):
    def branches(count):  # processors with i = 0 are off from the first one on; the others stay and count
        return ending(lambda p: p.compare(("MAX", "", "-r0", "-r0"), ">="),
                      *repeated(count, flow(JUMP, FC_JUMP_FUNC=0xF0, FC_B_OP0=2)),
                      *repeated(2, flow(JUMP, FC_JUMP_ANY=1, FC_B_OP0=1, FC_B_POP_CNT=31)))
    refused(f"branch_counter_overflow.{mode}",
            rf"pc {depth + 1}, FC: overflow of the branch counters: they count {depth} levels", branches(depth + 1), info=info)
    runs(f"branch_counter_full.{mode}", run(branches(depth), info=info))
refused("pop_of_an_empty_address_stack", "pc 0, FC: underflow of the address stack",
        ending(flow(JUMP, FC_JUMP_FUNC=0xFF, FC_A_OP=1)))
refused("end_of_no_loop", "pc 0, FC: underflow of the loop stack", ending(flow(ENDLOOP, FC_JUMP_FUNC=0xFF)), commands=LOOPS)

for name, what, instruction in (
        ("swizzle", r"ALU: reserved RED_SWIZ_A 7", lambda p: p.math(("MAD", "r1", "r0", "r0", "r0"), RED_SWIZ_A=7)),
        ("rgb_op", r"ALU: reserved RGB_OP 13", lambda p: p.math(RGB_OP=13)),
        ("alpha_op", r"ALU: reserved ALPHA_OP 4", lambda p: p.math(ALPHA_OP=4)),
        ("predicate", r"ALU: reserved RGB_PRED_SEL 6", lambda p: p.math(RGB_PRED_SEL=6)),
        ("texture_operation", r"TEX: reserved TEX_INST 7", lambda p: p._add(TYPE=3, TEX_INST=7)),
        ("address_operation", r"FC: reserved FC_A_OP 3", flow(JUMP, FC_A_OP=3)),
        ("branch_operation", r"FC: reserved FC_B_OP0 3", flow(JUMP, FC_B_OP0=3)),
        ("disabled_modifier_of_mad", r"ALU: .*RGB_OMOD", lambda p: p.math(("MAD", "r1", "r0", "r0", "r0"), RGB_OMOD=7)),
        ("sop_without_a_transcendental", r"ALU: .*SOP", lambda p: p.math(RGB_OP=10)),
        ("dp_without_a_dot_product", r"ALU: .*DP", lambda p: p.math(ALPHA_OP=1)),
        ("inline_constant_with_al", r"ALU: .*RGB_ADDR0", lambda p: p.math(("MAD", "r1", "1.5", "1", "0"), RGB_ADDR0_REL=1))):
    refused(f"reserved_{name}", f"pc 0, {what}", ending(instruction))
    runs(f"reserved_{name}_not_reached",
         run(ending(flow(JUMP, FC_JUMP_FUNC=0xFF, FC_JUMP_ADDR=2), instruction)))
refused("uncached_output_of_some_channels", r"pc 0, OUT: an uncached output writes all channels or none",
        ending(lambda p: p.out("o0.rg", "r0", last=False)), info=", proginfo: {uncached_outputs: true}")
stops("superfine_read_of_four_channels",
      run(ending(lambda p: p.load("r1", "r0", 0)), commands=(0xC0030B00, 0, OUTPUT, 0x04020010, 16)),
      r"bad input\): .*input 0 at \(\d+, \d+\): .*2x2")
stops("input_outside_memory",
      run(ending(lambda p: p.load("r1", "r0", 0)), commands=(0xC0030B00, 0, UNMAPPED, 0x02000010, 16)),
      r"access fault\): .*input 0 at \(\d+, \d+\): read of unmapped address 0xa000")
never = ending(flow(JUMP, FC_JUMP_FUNC=0xFF, FC_JUMP_ADDR=0))
stops("program_that_does_not_end", run(never, points=(0, 0, 1, 1)), r"hang\): .*thread at \(0, 0\), .*does not end",
      options=["--max-instructions", "1000"])

# ---- workload files

suite.workload("another_ring", "steps:\n  - {ring: gfx, words: [0xC0000900, 0]}\n", BAD_INPUT, r"w\.yaml:2:\d+: .*ring",
               options=["--asic", "r580"], modes=("cycle",))

# ---- what only looks wrong

for low in (0x1, 0x7FF):
    runs(f"base_with_low_bits_{low:x}", base_with_low_bits(low))
runs("reserved_bits_of_parameters", memory(PLAIN.words()) + steps(
    [0xC0010A00, CODE, 0x02000400 | 0xF0FC0003, *output(), 0xC0030700, 0xFFFFF000, 0x1000, 0xABCD0003, 0x1003,
     0xC0000800, 0xFFFFFFFF, 0xC0000900, 0xFFFFFFFF]))

CASES = suite.cases
