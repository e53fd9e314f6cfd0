# SPDX-License-Identifier: Apache-2.0
"""Packets of async DMA engines that must be refused, each with its ring, buffer and dword; engines that wait for ever;
`async_dma` of chip descriptions."""
import os

from framework import BAD_INPUT, BOTH, MACHINE_STOPPED, Suite

suite = Suite("dma")

CONFIGS = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../configs/asics"))
DATA, BUFFER, UNMAPPED = 0x200000, 0x210000, 0x90000000
MEMORY = f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 64 KiB}}\n"
# Behind the NOP of every stream: the dword tells that the place is counted.
RING = r"ring dma0 dword 1: "


def text(packets):
    return "[" + ", ".join(f'"{p}"' for p in packets) + "]"


def on_ring(*packets, ring="dma0"):
    return MEMORY + f"steps:\n  - {{ring: {ring}, packets: {text(('NOP',) + packets)}}}\n  - {{wait: {ring}}}\n"


def in_buffer(*packets, dwords=8, vmid=0):
    return (MEMORY + f"  - {{address: {BUFFER:#x}, ring: dma0, packets: {text(('NOP',) + packets)}}}\nsteps:\n"
            f"  - {{ring: dma0, ib: {{address: {BUFFER:#x}, dwords: {dwords}, vmid: {vmid}}}}}\n  - {{wait: dma0}}\n")


def stops(name, chip, workload, message, modes=BOTH):
    suite.workload(f"{chip}.{name}", workload, MACHINE_STOPPED, message, options=["--asic", chip], modes=modes)


def bad(name, chip, packet, message):
    stops(name, chip, on_ring(packet), rf"bad input\): {RING}packet {packet.split()[0]}: {message}")


# ---- packets

for chip, generation, header in (("r600", "r600", 0xD0000000), ("rv770", "r700", 0xE0000000),
                                 ("cypress", "eg", 0x24200000), ("cayman", "ni", 0xE0000000),
                                 ("tahiti", "si", 0x98000000), ("bonaire", "cik", 0x1F)):
    stops("unknown_packet", chip, on_ring(f".word {header:#x}"),
          rf"bad input\): {RING}no packet of generation {generation} has header {header:#x}")

bad("odd_count", "r600", f"COPY_LINEAR COUNT = 3, DST = {DATA:#x}, SRC = {DATA + 0x1000:#x}", "COUNT 3 is odd")
bad("odd_entries", "cayman", f"WRITE_PTE COUNT = 3, DST = {DATA:#x}", "COUNT 3 is odd: an entry has two dwords")
bad("reserved_fill_size", "kaveri", f"CONSTANT_FILL COUNT = 4, DST = {DATA:#x}, FILL_SIZE = 1",
    "reserved FILL_SIZE 1")
bad("reserved_function", "hawaii", f"POLL_REG_MEM SPACE = MEMORY, FUNCTION = 7, ADDRESS = {DATA:#x}",
    "reserved FUNCTION 7")
# RB_CNTL to RB_WPTR, CIK's ME_CNTL and RB_BASE_HI.
for chip, registers in (("cypress", (0xD000, 0xD004, 0xD008, 0xD00C)), ("tahiti", (0xD000, 0xD00C)),
                        ("bonaire", (0xD048, 0xD200, 0xD204, 0xD208, 0xD20C, 0xD210))):
    for register in registers:
        bad(f"register_{register:x}_of_its_own_engine", chip,
            f"SRBM_WRITE REGISTER = {register >> 2:#x}, BYTE_ENABLE = 15, DATA = 5",
            f"writes register {register:#x} of its own engine, which moves its ring")

stops("cut_off_at_the_end_of_a_buffer", "tahiti", in_buffer(f"WRITE_LINEAR DST = {DATA:#x}, DATA = [1, 2, 3, 4, 5]"),
      rf"bad input\): ring dma0, IB {BUFFER:#x} dword 1: packet WRITE_LINEAR is cut off: it has 8 dwords, 7 are left "
      "before the end of the indirect buffer")
stops("cut_off_at_the_end_of_a_buffer", "bonaire", in_buffer(f"WRITE_LINEAR DST = {DATA:#x}, DATA = [1, 2, 3, 4]"),
      rf"bad input\): ring dma0, IB {BUFFER:#x} dword 1: packet WRITE_LINEAR is cut off: it has 8 dwords, 7 are left "
      "before the end of the indirect buffer")
# What the host pads a step with, and its fence, would be taken for the rest.
for chip, packet, missing in (("r600", "0x30000004, 0x200000", 2), ("rv770", "0x30000004, 0x200000", 3),
                              ("cypress", "0x30000004, 0x200000", 3), ("cayman", "0x30000004, 0x200000", 3),
                              ("tahiti", "0x30000004, 0x200000", 3), ("bonaire", "1, 16, 0", 4)):
    suite.workload(f"{chip}.cut_off_at_the_end_of_a_ring",
                   MEMORY + f"steps:\n  - {{ring: dma0, words: [{packet}]}}\n  - {{wait: dma0}}\n", BAD_INPUT,
                   rf"^w\.yaml:4:5: steps\[0\]: ends inside packet COPY_LINEAR, which begins at dword 0 of the step: "
                   rf"{missing} of its dwords are missing, and the fence of w\.yaml:5:5: steps\[1\] would be taken for them$",
                   options=["--asic", chip])
stops("buffer_in_a_buffer", "tahiti", in_buffer(f"INDIRECT_BUFFER IB_BASE = {BUFFER:#x}, IB_SIZE = 8"),
      rf"bad input\): ring dma0, IB {BUFFER:#x} dword 1: packet INDIRECT_BUFFER: inside an indirect buffer")
for chip, register in (("cayman", 0xD848), ("tahiti", 0xD848), ("bonaire", 0xD824)):
    stops("user_buffer_names_a_register", chip,
          in_buffer(f"SRBM_WRITE REGISTER = {register >> 2:#x}, BYTE_ENABLE = 15, DATA = 5", vmid=1),
          rf"bad input\): ring dma0, IB {BUFFER:#x} dword 1: packet SRBM_WRITE: reaches register {register:#x} "
          "from a buffer of VMID 1")

for name, packet, what in (
        ("write_to_unmapped", f"COPY_LINEAR COUNT = 16, DST = {UNMAPPED:#x}, SRC = {DATA:#x}", "write to"),
        ("read_of_unmapped", f"COPY_LINEAR COUNT = 16, DST = {DATA:#x}, SRC = {UNMAPPED:#x}", "read of")):
    stops(name, "tahiti", on_ring(packet),
          rf"access fault\): {RING}packet COPY_LINEAR: {what} unmapped address {UNMAPPED:#x}")


# ---- surfaces that do not exist

def tiled(pitch_tiles=3, slice_tiles=7, mode=2, size=2, height=15, more=", MICRO_TILE_MODE = 1"):
    return (f"COPY_TILED DETILE = L2T, COUNT = 16, BASE_256B = {DATA >> 8:#x}, PITCH_TILE_MAX = {pitch_tiles}, "
            f"SLICE_TILE_MAX = {slice_tiles}, ARRAY_MODE = {mode}, SIZE = {size}, HEIGHT_MAX = {height}, "
            f"LINEAR = {DATA + 0x4000:#x}{more}")


bad("slice_of_part_of_a_row", "tahiti", tiled(slice_tiles=6), "a slice of 7 tiles with rows of 4")
bad("slice_of_part_of_a_row", "r600", tiled(slice_tiles=6, more=""), "a slice of 7 tiles with rows of 4")
bad("more_rows_than_the_slice", "cayman", tiled(height=16, more=", NON_DISP = 1"), "height 17, but the slice has 16 rows")
bad("reserved_element_size", "tahiti", tiled(size=5), "reserved element size 5")
bad("begins_outside", "tahiti", tiled(more=", MICRO_TILE_MODE = 1, X = 32"),
    "begins at 32, 0, outside a surface of 32 x 16")
bad("reserved_pipe_config", "tahiti", tiled(mode=4, more=", MICRO_TILE_MODE = 1, PIPE_CONFIG = 31"),
    "tiled surface: ")
bad("window_beyond_the_surface", "tahiti",
    f"COPY_TILED_PARTIAL BASE_256B = {DATA >> 8:#x}, PITCH_TILE_MAX = 3, SLICE_TILE_MAX = 7, ARRAY_MODE = 2, SIZE = 2, "
    f"MICRO_TILE_MODE = 1, X = 28, LINEAR = {DATA + 0x4000:#x}, LINEAR_PITCH = 128, DX = 5, DY = 1, DZ = 1",
    "a window of 5 x 1 at 28, 0 goes beyond the surface of 32 x 16")

# ---- engines that wait for ever


def hangs(name, chip, packet, what):
    stops(name, chip, on_ring(packet), [r"hang\): host: waits for the fence of ring dma0",
                                        rf": {RING}{packet.split()[0]}{what}"])


def poll(space, address):
    return (f"POLL_REG_MEM SPACE = {space}, FUNCTION = EQUAL, ADDRESS = {address:#x}, MASK = 0xff, REFERENCE = 5, "
            "RETRY_COUNT = 4095, INTERVAL = 16")


for chip in ("tahiti", "bonaire"):
    hangs("poll_of_memory_never_passes", chip, poll("MEMORY", DATA),
          rf" memory {DATA:#x} & 0xff == 0x5 \(last 0x0\)")
    hangs("poll_of_a_register_never_passes", chip, poll("REGISTER", 0xD848 if chip == "tahiti" else 0xD824),
          r" register 0xd8(48|24) & 0xff == 0x5 \(last 0x0\)")
for chip in ("cypress", "cayman"):
    hangs("poll_of_a_register_never_passes", chip,
          "SRBM_READ POLL = 1, REGISTER = 0x3412, RETRY_COUNT = 4095, MASK = 0xff, VALUE = 5",
          r" register 0xd048 & 0xff == 0x5 \(last 0x0\)")
for chip in ("r600", "rv770", "cypress", "cayman", "tahiti", "bonaire"):
    hangs("semaphore_is_never_signalled", chip, f"SEMAPHORE ADDRESS = {DATA + 8:#x}, SIGNAL = WAIT",
          rf": semaphore {DATA + 8:#x} to be signalled")

# ---- workload files

suite.workload("cypress.has_one_engine", on_ring(ring="dma1"), BAD_INPUT,
               r'^w\.yaml:4:12: steps\[0\]\.ring: got text "dma1", expected one of: dma0', options=["--asic", "cypress"])
suite.workload("r600.has_no_vmid", in_buffer("NOP", vmid=1), BAD_INPUT,
               r"^w\.yaml:5:\d+: steps\[0\]: ring dma0: this generation has no VMID for buffers",
               options=["--asic", "r600"])
suite.workload("rv610.packet_of_another_generation", on_ring("CONSTANT_FILL COUNT = 1"), BAD_INPUT,
               r'^w\.yaml:4:\d+: steps\[0\]\.packets\[1\]: .*unknown packet "CONSTANT_FILL"', options=["--asic", "rv610"])

suite.workload("cypress.no_such_register", on_ring("NOP") + "expect: [{register: DMA_CNTRL, value: 0}]\n", BAD_INPUT,
               r"^w\.yaml:6:\d+: expect\[0\]: unknown register DMA_CNTRL, did you mean DMA_CNTL\?",
               options=["--asic", "cypress"])

# ---- descriptions


def described(name, keys, message, base="cayman"):
    suite.command(name, ["describe", "chip.yaml"], BAD_INPUT, message,
                  files={"chip.yaml": f"base: {CONFIGS}/{base}.yaml\nasync_dma:\n{keys}"})


described("unknown_generation", "  generation: vi\n",
          r'^chip\.yaml:3:15: async_dma\.generation: got text "vi", expected one of: r600, r700, eg, ni, si, cik')
described("form_of_a_packet_that_has_one", "  document_forms: [FENCE, TRAP]\n",
          r'^chip\.yaml:3:19: async_dma\.document_forms: packet "TRAP" has one form only, expected FENCE, NOP, ')
described("form_that_another_generation_has", "  document_forms: [FENCE]\n",
          r'^chip\.yaml:3:19: async_dma\.document_forms: packet "FENCE" has one form only, '
          r'expected COPY_LINEAR_SUB_WINDOW, COPY_TILED_SUB_WINDOW, COPY_TILED_TO_TILED, POLL_REG_MEM', base="bonaire")
described("three_engines", "  engines: 3\n", r"^chip\.yaml:3:12: async_dma\.engines: 3 is out of range")
described("unknown_key", "  engine: 2\n", r"^chip\.yaml:3:3: async_dma\.engine: unknown key")
described("one_trap_source", "  trap_sources: [1]\n", r"^chip\.yaml:3:17: async_dma\.trap_sources: got a list of 1")

CASES = suite.cases
