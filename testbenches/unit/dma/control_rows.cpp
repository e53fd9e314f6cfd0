// SPDX-License-Identifier: Apache-2.0
// Packets that move no data. Document "Async DMA": r6xx/r7xx 5 to 9; evergreen/ni/si 15 to 19; cik
// 13 to 17, 20 to 23.
#include <gtest/gtest.h>

#include "testbenches/unit/dma/bench.h"
#include "testbenches/unit/dma/scene.h"

namespace archipelago::dma::test {
namespace {

// ---- INDIRECT_BUFFER ---------------------------------------------------------------------------

// A write of one dword, as rings and buffers of all generations have it.
Words write_dword(const Scene& s, uint64_t to, uint32_t value) {
    if (s.cik())
        return {f(7, 0, 2), low(to), high(to), f(19, 0, 1), value};
    return {f(31, 28, 2) | f(15, 0, 1), low(to), f(7, 0, high(to)), value};
}
Words call(const Scene& s, uint64_t base, uint32_t dwords, unsigned vmid) {
    if (s.cik())
        return {f(19, 16, vmid) | f(15, 8, 0) | f(7, 0, 4), low(base), high(base),
                f(19, 0, dwords)};
    if (s.old())
        return {f(31, 28, 4) | f(15, 0, 0), f(31, 5, low(base) >> 5),
                f(31, 16, dwords) | f(7, 0, high(base))};
    return {f(31, 28, 4) | f(22, 20, vmid) | f(19, 0, 0), f(31, 5, low(base) >> 5),
            f(31, 12, dwords) | f(7, 0, high(base))};
}

// Buffers in low and in high memory, with packets of the ring before, between and after them.
void indirect_buffer(Scene& s) {
    for (unsigned k = 0; k < 4; ++k) {
        const uint64_t base = s.place(0x1000 * k + 0x120, k % 2 == 1);
        Words inside;
        for (unsigned i = 0; i < 3 + 20 * k; ++i) {
            const Words one = write_dword(s, s.place(0x8000 + 0x1000 * k + 4 * i), 100 * k + i);
            inside.insert(inside.end(), one.begin(), one.end());
            s.expect(s.place(0x8000 + 0x1000 * k + 4 * i), 100 * k + i);
        }
        s.put(base, inside);
        s.buffers.push_back(inside);
        s.packet(call(s, base, static_cast<uint32_t>(inside.size()), 0));
        s.packet(write_dword(s, s.place(0x20000 + 4 * k), k));
        s.expect(s.place(0x20000 + 4 * k), k);
    }
}

// As in the document: bits 7:5 of the base are none of it.
void indirect_buffer_document(Scene& s) {
    const uint64_t base = s.place(0x100, true), to = s.place(0x800);
    s.put(base, write_dword(s, to, 17));
    s.buffers.push_back(write_dword(s, to, 17));
    Words words = call(s, base, 4, 0);
    words[1] |= f(7, 5, 7);
    s.packet(words);
    s.expect(to, 17);
}

// Evergreen has no VMID: the bits do nothing.
void indirect_buffer_without_vmid(Scene& s) {
    const uint64_t base = s.place(0x100), to = s.place(0x800);
    s.put(base, write_dword(s, to, 17));
    s.packet(call(s, base, 4, 5));
    s.expect(to, 17);
}

// A buffer and what it writes are in the address space of its VMID; the ring's stay in that of 0,
// though the two have the same addresses.
void indirect_buffer_vmid(Scene& s) {
    const unsigned last = s.cik() ? 15 : 7;
    for (unsigned vmid = 0; vmid <= last; ++vmid) {
        const uint64_t base = s.place(0x100 + 0x100 * vmid), to = s.place(0x4000 + 4 * vmid);
        const Words inside = write_dword(s, to, 1000 + vmid);
        s.put(physical(base, vmid), inside);
        s.buffers.push_back(inside);
        s.packet(write_dword(s, to, 3000 + vmid));
        s.expect(to, 3000 + vmid);
        s.packet(call(s, base, static_cast<uint32_t>(inside.size()), vmid));
        s.expect(physical(to, vmid), 1000 + vmid);
        s.packet(write_dword(s, to + 0x100, 2000 + vmid));
        s.expect(to + 0x100, 2000 + vmid);
    }
}

// IB_CNTL bit 4: the dwords of buffers are swapped, 8 in 32; the ring's are not.
void indirect_buffer_swapped(Scene& s) {
    s.engine.emplace_back(s.cik() ? 0x228 : 0x24, 1 | 1 << 4);
    const uint64_t base = s.place(0x100), to = s.place(0x800);
    Words inside = write_dword(s, to, 0x01020304);
    for (uint32_t& dword : inside)
        dword = __builtin_bswap32(dword);
    s.put(base, inside);
    s.packet(call(s, base, static_cast<uint32_t>(inside.size()), 0));
    s.expect(to, 0x01020304);
}

// ---- SEMAPHORE ---------------------------------------------------------------------------------

Words semaphore(const Scene& s, uint64_t at, bool signal, bool mailbox) {
    if (s.cik())
        return {f(31, 31, mailbox) | f(30, 30, signal) | f(15, 8, 0) | f(7, 0, 7),
                f(31, 3, low(at) >> 3), high(at)};
    return {f(31, 28, 5) | (s.old() ? 0 : f(23, 23, mailbox)) | f(22, 22, signal) | f(15, 0, 0),
            f(31, 3, low(at) >> 3), f(7, 0, high(at))};
}

void semaphores(Scene& s) {
    for (unsigned k = 0; k < 4; ++k) {
        const uint64_t at = s.place(0x100 * k + 8 * k, k % 2 == 1);
        const uint64_t start = k == 3 ? 0x1FFFFFFFF : k;
        s.put(at, {low(start), high(start)});
        for (unsigned i = 0; i < 3; ++i)
            s.packet(semaphore(s, at, true, k > 1));
        for (unsigned i = 0; i < 2; ++i)
            s.packet(semaphore(s, at, false, i == 1));
        s.after.set(at, start + 1);
    }
}

// One that is 0 is waited for; what follows is not executed.
void semaphore_waits(Scene& s) {
    const uint64_t at = s.place(0x40), to = s.place(0x1000);
    s.put(at, {0, 0});
    s.packet(semaphore(s, at, false, false));
    s.packet(write_dword(s, to, 1));
    s.waits =
        "ring dma0 dword 0: SEMAPHORE: semaphore " + std::string("0x100040") + " to be signalled";
}

// ---- FENCE, TRAP, NOP --------------------------------------------------------------------------

void fence(Scene& s) {
    for (unsigned k = 0; k < 4; ++k) {
        const uint64_t at = s.place(0x100 * k + 4 * k, k % 2 == 1);
        const uint32_t data = 0x01020304 * (k + 1);
        if (s.cik())
            s.packet({f(15, 8, 0) | f(7, 0, 5), low(at), high(at), data});
        else
            s.packet({f(31, 28, 6) | f(15, 0, 0), f(31, 2, low(at) >> 2), f(7, 0, high(at)), data});
        s.expect(at, data);
    }
}

// DMA_CNTL bit 4.
void fence_swap(Scene& s) {
    s.engine.emplace_back(s.cik() ? 0x10 : 0x2C, 1 | 1 << 4);
    fence(s);
    for (unsigned k = 0; k < 4; ++k)
        s.expect(s.place(0x100 * k + 4 * k, k % 2 == 1), __builtin_bswap32(0x01020304 * (k + 1)));
}

// As in the document: a packet of three dwords, which writes 1.
void fence_document(Scene& s) {
    const uint64_t at = s.place(0x40, true);
    s.packet({f(31, 28, 6) | f(15, 0, 0), f(31, 2, low(at) >> 2), f(7, 0, high(at))});
    s.expect(at, 1);
}

void trap(Scene& s) {
    for (unsigned k = 0; k < 3; ++k)
        s.packet({s.cik() ? f(15, 8, 0) | f(7, 0, 6) : f(31, 28, 7) | f(15, 0, 0)});
    s.interrupts = 3;
}

// DMA_CNTL bit 0.
void trap_disabled(Scene& s) {
    s.engine.emplace_back(s.cik() ? 0x10 : 0x2C, 0);
    trap(s);
    s.interrupts = 0;
}

void nop(Scene& s) {
    s.packet(Words(11, s.cik() ? f(15, 8, 0) | f(7, 0, 0) : f(31, 28, 15) | f(15, 0, 0)));
}

// Regardless of its count.
template <unsigned kBit>
void nop_counts(Scene& s) {
    const uint64_t to = s.place(0x40);
    for (unsigned count = 1; count >> (kBit + 1) == 0; count *= 2)
        s.packet({f(31, 28, 15) | f(kBit, 0, count)});
    s.packet(write_dword(s, to, 3));
    s.expect(to, 3);
}

// ---- the ring ----------------------------------------------------------------------------------

// RB_CNTL: a ring of 2^14 dwords, enabled.
void set_ring(Scene& s, uint32_t bits) {
    s.engine.emplace_back(s.cik() ? 0x200 : 0, 14 << 1 | 1 | bits);
}

// RB_CNTL bit 9: the dwords of the ring are swapped, 8 in 32; those of buffers are not.
void ring_swapped(Scene& s) {
    set_ring(s, 1 << 9);
    const uint64_t base = s.place(0x100), to = s.place(0x800);
    s.put(base, write_dword(s, to, 0x01020304));
    s.packet(call(s, base, static_cast<uint32_t>(write_dword(s, to, 0).size()), 0));
    s.packet(write_dword(s, to + 4, 0x05060708));
    for (uint32_t& dword : s.words)
        dword = __builtin_bswap32(dword);
    s.expect(to, 0x01020304);
    s.expect(to + 4, 0x05060708);
}

// RB_CNTL bit 12: the read pointer, in bytes, goes to memory; bit 13 swaps it, 8 in 32.
template <bool kSwap>
void read_pointer(Scene& s) {
    const uint64_t at = s.place(0x10C, true);
    s.engine.emplace_back(s.cik() ? 0x220 : 0x1C, high(at));
    s.engine.emplace_back(s.cik() ? 0x224 : 0x20, low(at));
    set_ring(s, 1 << 12 | (kSwap ? 1 << 13 : 0));
    nop(s);
    const auto bytes = static_cast<uint32_t>(4 * s.words.size());
    s.expect(at, kSwap ? __builtin_bswap32(bytes) : bytes);
}

// ---- COND_EXEC ---------------------------------------------------------------------------------

// A dword that is 0 leaves out what the count covers, whole packets or not.
void cond_exec(Scene& s) {
    for (unsigned k = 0; k < 6; ++k) {
        const bool execute = k % 2 == 1;
        const uint64_t flag = s.place(0x100 + 4 * k, k >= 3), to = s.place(0x1000 + 16 * k);
        s.put(flag, execute ? 0x10000 : 0);
        s.packet({f(15, 8, 0) | f(7, 0, 9), low(flag), high(flag), f(13, 0, k == 4 ? 0 : 10)});
        s.packet(write_dword(s, to, 1));
        s.packet(write_dword(s, to + 4, 2));
        s.packet(write_dword(s, to + 8, 3));
        if (execute || k == 4) {
            s.expect(to, 1);
            s.expect(to + 4, 2);
        }
        s.expect(to + 8, 3);
    }
}

// The last packets of the ring may be what is left out, and those of a buffer.
void cond_exec_last(Scene& s) {
    const uint64_t flag = s.place(0x100), base = s.place(0x400), to = s.place(0x1000);
    s.put(flag, 0);
    const Words condition = {f(7, 0, 9), low(flag), high(flag), 5};
    Words inside = condition;
    for (const uint32_t dword : write_dword(s, to, 1))
        inside.push_back(dword);
    s.put(base, inside);
    s.packet(call(s, base, 9, 0));
    s.packet(write_dword(s, to + 4, 2));
    s.expect(to + 4, 2);
    s.packet(condition);
    s.packet(write_dword(s, to, 3));
}

// ---- timestamps --------------------------------------------------------------------------------

Words get_timestamp(bool global, uint64_t to) {
    return {f(15, 8, global ? 2 : 1) | f(7, 0, 13), f(31, 3, low(to) >> 3), high(to)};
}

// The local counter goes on from what it is set to; the global one is that of the chip.
void timestamps(Scene& s) {
    constexpr uint64_t kStart = 0x123456789ABCDEF0;
    const uint64_t local = s.place(0x100, true), global = s.place(0x208);
    s.packet(get_timestamp(true, global));
    s.packet({f(15, 8, 0) | f(7, 0, 13), low(kStart), high(kStart)});
    s.packet(get_timestamp(false, local));
    s.packet(get_timestamp(false, local + 16));
    s.packet(get_timestamp(true, s.place(0x300, true)));
    s.settle = [=](Contents& after, const Contents& got) {
        const uint64_t later_global = after.high_base() + 0x300;
        for (const uint64_t at : {local, local + 16, global, later_global})
            after.set(at, got.get<uint64_t>(at));
        EXPECT_GT(got.get<uint64_t>(local), kStart);
        EXPECT_LT(got.get<uint64_t>(local), kStart + 1000);
        EXPECT_GT(got.get<uint64_t>(local + 16), got.get<uint64_t>(local));
        EXPECT_LT(got.get<uint64_t>(global), 1000u);
        EXPECT_GT(got.get<uint64_t>(later_global), got.get<uint64_t>(global));
    };
}

}  // namespace

std::vector<Row> control_rows() {
    const std::vector<const char*> all = {"r600", "r700", "eg", "ni", "si", "cik"};
    return {
        {"INDIRECT_BUFFER", "between packets of the ring", all, indirect_buffer},
        {"INDIRECT_BUFFER", "in its own address space", {"ni", "si", "cik"}, indirect_buffer_vmid},
        {"INDIRECT_BUFFER", "without VMID", {"eg"}, indirect_buffer_without_vmid},
        {"INDIRECT_BUFFER", "with IB_SWAP", all, indirect_buffer_swapped},
        {"INDIRECT_BUFFER", "as in the document", kOld, indirect_buffer_document, true},
        {"SEMAPHORE", "signalled and taken", all, semaphores},
        {"SEMAPHORE", "waited for", all, semaphore_waits},
        {"FENCE", "in its place", all, fence},
        {"FENCE", "with FENCE_SWAP", all, fence_swap},
        {"FENCE", "as in the document", kAllOld, fence_document, true},
        {"TRAP", "interrupts", all, trap},
        {"TRAP", "disabled", all, trap_disabled},
        {"NOP", "does nothing", all, nop},
        {"NOP", "does not look at its count", kOld, nop_counts<15>},
        {"NOP", "does not look at its count", kIslands, nop_counts<19>},
        {"NOP", "as in the document", kIslands, nop_counts<15>, true},
        {"INDIRECT_BUFFER", "from a ring with RB_SWAP", all, ring_swapped},
        {"NOP", "with the read pointer in memory", all, read_pointer<false>},
        {"NOP", "with the read pointer swapped", all, read_pointer<true>},
        {"COND_EXEC", "leaves packets out", kCik, cond_exec},
        {"COND_EXEC", "leaves the last out", kCik, cond_exec_last},
        {"SET_LOCAL_TIMESTAMP", "with reads of both counters", kCik, timestamps},
        {"GET_LOCAL_TIMESTAMP", "after it is set", kCik, timestamps},
        {"GET_GLOBAL_TIMESTAMP", "is the chip's", kCik, timestamps},
    };
}

}  // namespace archipelago::dma::test
