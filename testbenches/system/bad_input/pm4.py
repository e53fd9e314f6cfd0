# SPDX-License-Identifier: Apache-2.0
"""Command streams and the workloads around them."""

# Memory every packet workload maps: one page of data, one of indirect buffers, one for IB2.
DATA = 0x100000
IB1 = 0x200000
IB2 = 0x300000
UNMAPPED = 0x7F0000000


def type3(opcode, body, compute=False):
    return [0xC0000000 | (len(body) - 1) << 16 | opcode << 8 | (2 if compute else 0), *body]


def header(opcode, count, compute=False):
    """A header whose count field is `count` - 1, whatever follows."""
    return 0xC0000000 | (count - 1) << 16 | opcode << 8 | (2 if compute else 0)


def lo(value):
    return value & 0xFFFFFFFF


def hi(value):
    return value >> 32


def nop(count=1):
    return type3(0x10, [0] * count)


def indirect_buffer(address, dwords, opcode=0x32):
    return type3(opcode, [lo(address), hi(address), dwords])


def write_data(address, values, destination=5, engine=0):
    return type3(0x37, [engine << 30 | 1 << 20 | destination << 8, lo(address), hi(address),
                        *values])


def copy_data(source, destination):
    """Memory to memory, one dword."""
    return type3(0x40, [1 | 5 << 8 | 1 << 20, lo(source), hi(source), lo(destination),
                        hi(destination)])


def cp_dma(source, destination, size, control=0):
    return type3(0x41, [lo(source), hi(source) | 1 << 31 | control, lo(destination),
                        hi(destination), size])


def wait_memory(address, reference, function=3, engine=0):
    return type3(0x3C, [function | 1 << 4 | engine << 8, lo(address), hi(address), reference,
                        0xFFFFFFFF, 4])


def wait_register(offset, reference, function=3):
    return type3(0x3C, [function, offset // 4, 0, reference, 0xFFFFFFFF, 4])


def end_of_pipe(address, data_sel=1, int_sel=0, event=0x14, index=5):
    return type3(0x47, [event | index << 8, lo(address), hi(address) | data_sel << 29 |
                        int_sel << 24, 1, 0])


def set_sh(offset, values, compute=True):
    return type3(0x76, [(offset - 0xB000) // 4, *values], compute)


def words(values):
    return "[" + ", ".join(f"0x{value:08x}" for value in values) + "]"


def on_ring(packets, ring="gfx", wait=True):
    """The packets in the ring itself."""
    text = (f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 4096}}\n"
            f"steps:\n  - {{ring: {ring}, words: {words(packets)}}}\n")
    return text + (f"  - {{wait: {ring}}}\n" if wait else "")


def in_ib(packets, ring="gfx", second=None, dwords=None):
    """The packets in an indirect buffer at IB1; `second` stands at IB2."""
    count = len(packets) if dwords is None else dwords
    text = (f"memory:\n  - {{address: {DATA:#x}, fill: 0, size: 4096}}\n"
            f"  - {{address: {IB1:#x}, words: {words(packets)}}}\n")
    if second is not None:
        text += f"  - {{address: {IB2:#x}, words: {words(second)}}}\n"
    return (text + f"steps:\n  - {{ring: {ring}, ib: {{address: {IB1:#x}, dwords: {count}}}}}\n"
            f"  - {{wait: {ring}}}\n")
