# SPDX-License-Identifier: Apache-2.0
"""Packets and microcode of Adreno's command processors that must be refused, each with engine, pc, packet and place."""
import struct

from framework import BAD_INPUT, BOTH, MACHINE_STOPPED, Suite

suite = Suite("adreno")

MEMORY = "memory:\n  - {address: 0x100000, fill: 0, size: 4096}\n"
CHIPS = ("a530", "a630", "a660", "a730")


def odd(value):
    return 1 - bin(value).count("1") % 2


def type7(opcode, words):
    return 0x70000000 | odd(opcode) << 23 | opcode << 16 | odd(words) << 15 | words


def steps(*packets, words=(), memory=""):
    text = MEMORY + memory + "steps:\n"
    if packets:
        text += "  - {ring: cp, packets: [" + ", ".join(f"'{p}'" for p in packets) + "]}\n"
    if words:
        text += "  - {ring: cp, words: [" + ", ".join(f"{w:#x}" for w in words) + "]}\n"
    return text + "  - {wait: cp}\n"


def stops(name, workload, message, chips=CHIPS, modes=BOTH, options=(), files=None):
    for chip in chips:
        suite.workload(f"{name}.{chip}", workload, MACHINE_STOPPED, message, options=["--asic", chip, *options], modes=modes,
                       files=files)


ENGINE = r"cp\.(pfp|me|sqe|br|bv): pc \d+, .*"

# ---- packets

stops("unknown_packet", steps(words=[type7(0x7F, 0)]),
      ENGINE + r"packet \w+, header 0x707f8000 .*ring cp dword \d+: the packet table has no handler")
stops("wrong_parity_of_the_count", steps(words=[type7(0x10, 1) ^ 0x8000, 0]), ENGINE + r"wrong parity of the count")
stops("wrong_parity_of_the_opcode", steps(words=[type7(0x10, 0) ^ 0x800000]), ENGINE + r"wrong parity of the opcode")
stops("neither_type_4_nor_type_7", steps(words=[0xC0001000, 0]),
      ENGINE + r"header 0xc0001000.*neither type 4 nor type 7")
stops("reserved_bits", steps(words=[type7(0x10, 0) | 1 << 24]), ENGINE + r"reserved bits are set")
stops("a_draw", steps("CP_DRAW_INDX_OFFSET PRIM_TYPE = 4"), ENGINE + r"packet CP_DRAW_INDX_OFFSET, .*no handler")
stops("buffer_outside_memory", steps("CP_INDIRECT_BUFFER IB_BASE = 0x40000000, IB_SIZE = 16"),
      ENGINE + r"packet CP_INDIRECT_BUFFER, header 0x[0-9a-f]+ \(buffers\.afuc:\d+\)[^,]*, ring cp, IB1 0x40000000 dword 0: "
      r"fetch from unmapped (page|address) 0x40000000")
stops("buffer_that_leads_to_itself", steps("CP_INDIRECT_BUFFER IB_BASE = 0x110000, IB_SIZE = 4",
                                          memory="  - {address: 0x110000, ring: cp, packets: "
                                                 "['CP_INDIRECT_BUFFER_CHAIN IB_BASE = 0x110000, IB_SIZE = 4']}\n"),
      ENGINE + r"packet CP_INDIRECT_BUFFER_CHAIN, .*\(buffers\.afuc:\d+\) in arm_buffer, ring cp, IB1 0x110000 dword \d: "
      r"100000 instructions while no engine has taken a word of the ring", options=["--max-instructions", "100000"])
stops("buffer_not_of_dwords", steps(words=[type7(0x3F, 3), 0x100002, 0, 4]),
      r"a buffer at 0x100002, which is not a multiple of 4")
stops("packet_cut_off_by_the_end_of_a_buffer",
      steps(words=[type7(0x3F, 3), 0x110000, 0, 2],
            memory=f"  - {{address: 0x110000, words: [{type7(0x3D, 4):#x}, 0x100000, 0, 1, 2]}}\n"),
      r"IB1 0x110000 dword 2: the packet is cut off by the end of the buffer")
for chip in CHIPS:
    suite.workload(f"cut_off_at_the_end_of_a_ring.{chip}", steps("CP_NOP", words=[type7(0x3D, 4), 0x100000]), BAD_INPUT,
                   r"^w\.yaml:5:5: steps\[1\]: ends inside packet CP_MEM_WRITE, which begins at dword 0 of the step: "
                   r"3 of its dwords are missing, and the fence of w\.yaml:6:5: steps\[2\] would be taken for them$",
                   options=["--asic", chip])
stops("write_to_unmapped_memory", steps("CP_MEM_WRITE ADDR = 0x40000000, DATA = [1]", "CP_WAIT_MEM_WRITES"),
      ENGINE + r"packet CP_MEM_WRITE, header 0x[0-9a-f]+ \(\w+\.afuc:\d+\)[^,]*, (its queue|ring cp dword \d+): write to unmapped (page|address) 0x40000000")
stops("read_of_unmapped_memory", steps("CP_MEM_TO_MEM DST = 0x100000, SRC_A = 0x40000000"),
      r"read of unmapped (page|address) 0x40000000")
stops("poll_that_never_passes", steps("CP_WAIT_REG_MEM FUNCTION = WRITE_EQ, POLL = POLL_MEMORY, POLL_ADDR = 0x100000, REF = 1, MASK = 0xffffffff"),
      r"cp\.(me|sqe|br): pc \d+, .*packet CP_WAIT_REG_MEM, header 0x[0-9a-f]+ \(\w+\.afuc:\d+\)")
stops("protected_register",
      steps("PKT4 CP_PROTECT[0x0] = 0x9000", "PKT4 CP_PROTECT_CNTL = 3", "CP_WAIT_FOR_IDLE", "PKT4 0x9000 = 1", "CP_WAIT_FOR_IDLE"),
      ENGINE + r"packet PKT4, header 0x48900001 \(stream\.afuc:\d+\)[^,]*, ring cp dword \d+: CP_PROTECT forbids packets to write register 0x9000",
      chips=("a630", "a660", "a730"))

stops("untrusted_write",
      steps("PKT4 0xf800 = 0x200000, 0xf801 = 0, 0xf802 = 0x1000", "CP_SET_SECURE_MODE MODE = 1", "CP_MEM_WRITE ADDR = 0x100000, DATA = [1]",
            "CP_WAIT_MEM_WRITES"),
      r"cp\.me: pc \d+.*secure mode: write to 0x100000, which is not trusted", chips=("a530",))
stops("preemption_without_a_record", steps("CP_CONTEXT_SWITCH_YIELD DATA = [0, 0, 0, 0]", "PKT4 CP_CONTEXT_SWITCH_CNTL = 1"),
      r"cp\.sqe: pc \d+.*stops\.afuc:\d+", chips=("a630", "a660"))

# ---- what only the chip says

suite.workload("another_ring", "asic: a630\nsteps:\n  - {ring: gfx, words: [0]}\n", BAD_INPUT, r"ring")
suite.workload("vmid", "asic: a630\n" + MEMORY + "steps:\n  - {ring: cp, ib: {address: 0x100000, dwords: 4, vmid: 1}}\n", BAD_INPUT,
               r"ring cp: buffers have no VMID")
suite.workload("unknown_packet_in_text", "asic: a630\nsteps:\n  - {ring: cp, packets: [CP_NOPE]}\n", BAD_INPUT,
               r"CP_NOPE.*CP_NOP")

# ---- clusters of the pipeline


def clusters(name, setting, message):
    suite.workload(f"clusters_{name}", steps(), BAD_INPUT, message, options=["--asic", "a630", "--set", f"cp.mem_pool.{setting}"])


clusters("of_the_cps_registers", "clusters.fe.registers=[[0x9300, 0x9306], [0x800, 0x801]]",
         r"fe\.registers\[1\]: register 0x800 is the command processor's own")
clusters("range_backwards", "clusters.fe.registers=[[0x9306, 0x9300]]", r"fe\.registers\[0\]: a range that ends before it begins")
clusters("range_of_one", "clusters.fe.registers=[[0x9306]]", r"fe\.registers\[0\]: got a list of 1, expected a list of 2 items")
clusters("register_that_is_none", "clusters.fe.registers=[[0x9300, 0x40000]]", r"fe\.registers\[0\]\[1\]: 0x40000 is out of range, expected an integer in 0\.\.262143")
clusters("pool_too_small", "blocks=4", r"cp\.mem_pool\.blocks: 4 is out of range, expected an integer in 8\.\.128")
clusters("pace_of_nothing", "clusters.gras.chunk.cycles=0", r"gras\.chunk\.cycles: 0 is out of range, expected an integer in 1")

# ---- microcode of a user's own

HEAD = "[016ee001]\n[#table]\n"
TAIL = "\n.align 32\ntable:\n.jumptbl\n"


def microcode(name, source, message, status=MACHINE_STOPPED, modes=BOTH, file="own.afuc"):
    suite.workload(name, steps(), status, message, options=["--asic", "a630", "--set", f"cp.microcode={file}"], modes=modes,
                   files={file: source})


microcode("jump_out_of_the_image", HEAD + "[d4003fff]\nnop\n" + TAIL, r"cp\.sqe: pc 16383, ring cp dword 0: outside of the image of 136 words, where pc 2, call \(own\.afuc:3\) leads.*"
          r"CP_INTERRUPT_STATUS 0x2, CP_UCODE_ERROR")
microcode("deliberate_stop", HEAD + "nop\nunsupported_thing:\n[ffffffff]\n" + TAIL,
          r"cp\.sqe: pc 3 \(own\.afuc:5\) in unsupported_thing, ring cp dword 0: 0xffffffff is no instruction: "
          r"CP_INTERRUPT_STATUS 0x80, CP_ILLEGAL_INSTR_ERROR")
microcode("image_of_other_engines", HEAD.replace("016ee", "01730") + TAIL,
          r"^(--set|\S+): cp\.microcode: own\.afuc is an image of a7xx, but the engines are a6xx", status=BAD_INPUT)
microcode("runs_out_of_the_image", HEAD + "nop\n" + TAIL, r"cp\.sqe: pc \d+.*no instruction")
microcode("packet_that_nobody_has", HEAD + "CP_NOSUCH:\n[ffffffff]\n" + TAIL,
          [r"own\.afuc:3:1: warning: label CP_NOSUCH is like a packet's", r"in CP_NOSUCH, .*no instruction"])
microcode("stack_overflow", HEAD + "a: call #a\nnop\n" + TAIL,
          r"cp\.sqe: pc 2, call \(own\.afuc:3\) in a, ring cp dword 0: more than 8 calls within each other")
microcode("stack_underflow", HEAD + "ret\nnop\n" + TAIL, r"returns with 0 return addresses")
microcode("illegal_instruction", HEAD + "[ffffffff]\n" + TAIL, r"cp\.sqe: pc 2 \(own\.afuc:3\).*no instruction")
microcode("iret_of_nothing", HEAD + "iret\nnop\n" + TAIL, r"cp\.sqe: pc 2, iret .*nothing has been preempted")
microcode("two_branches_taken", HEAD + "jump #a\njump #a\na: nop\n" + TAIL, r"pc 3, jump.*a branch in the delay slot")
microcode("endless_loop", HEAD + "a: jump #a\nnop\n" + TAIL, r"cp\.sqe: pc [23], (jump|nop) \(own\.afuc:[34]\)")
microcode("endless_loop_that_writes", HEAD + "a: mov $addr, 0x9000\nmov $data, 0x1\njump #a\nnop\n" + TAIL,
          r"cp\.sqe: pc [2345], .*\(own\.afuc:[3456]\).*: 67108864 instructions while no engine has taken a word of the ring")
microcode("level_that_is_not_there", HEAD + "mov $02, 0x7\ncwrite $02, [$00 + @IB_LEVEL]\n" + TAIL, r"IB_LEVEL 7 of 4 levels")
microcode("source_with_faults", HEAD + "moov $02, 0x7\nmov $02\n" + TAIL,
          [r"own\.afuc:3:1: .*moov", r"own\.afuc:4:\d+: "], status=BAD_INPUT)
microcode("source_without_a_table", "[016ee001]\n[#a]\na: nop\n", r"^(--set|\S+): cp\.microcode: own\.afuc is no image with cp\.sqe: its section 0 names a packet table at word 2 \+ 128", status=BAD_INPUT)
microcode("image_cut_off_within_a_word", struct.pack("<4I", 0, 0x016EE001, 0x01000002, 0x01000000)[:-1],
          r"own\.fw: 15 bytes, which are no whole words: the image is cut off", status=BAD_INPUT, file="own.fw")
microcode("image_cut_off_within_its_table", struct.pack("<4I", 0, 0x016EE001, 0x01000002, 0x01000000),
          r"own\.fw is no image with cp\.sqe: its section 0 names a packet table at word 2 \+ 128, but the image has 3 words",
          status=BAD_INPUT, file="own.fw")
microcode("image_that_is_empty", b"", r"own\.fw is no image with cp\.sqe: it has 0 words: no ID", status=BAD_INPUT, file="own.fw")
suite.workload("microcode_missing", steps(), BAD_INPUT, r"cp\.microcode: cannot read none\.afuc",
               options=["--asic", "a630", "--set", "cp.microcode=none.afuc"])

CASES = suite.cases
