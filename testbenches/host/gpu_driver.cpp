// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/gpu_driver.h"

#include <algorithm>

#include "registers/si_names.h"

namespace archipelago::host {
namespace {

namespace r = regs::si;

// Opcodes the host writes; SI document 2.2 to 2.9, numbers as the drivers of the chip use them.
enum Opcode : uint32_t {
    kSetBase = 0x11,
    kClearState = 0x12,
    kDispatchDirect = 0x15,
    kIndirectBuffer = 0x32,
    kSurfaceSync = 0x43,
    kMeInitialize = 0x44,
    kEventWrite = 0x46,
    kEventWriteEop = 0x47,
    kPreambleCntl = 0x4A,
    kSetContextReg = 0x69,
    kSetShReg = 0x76,
};

// CP_COHER_CNTL: L2 write-back and invalidate, L1, scalar and instruction cache.
constexpr uint32_t kCoherAll = 1u << 23 | 1u << 22 | 1u << 27 | 1u << 29;
constexpr uint32_t kEngineMe = 1u << 31;

constexpr uint32_t kCsPartialFlush = 7;
constexpr uint32_t kCacheFlushAndInvTs = 0x14;

struct RingRegisters {
    uint32_t base, cntl, rptr_addr, rptr_addr_hi, rptr, wptr;
};
constexpr RingRegisters kRingRegisters[GpuDriver::kRings] = {
    {r::CP_RB0_BASE, r::CP_RB0_CNTL, r::CP_RB0_RPTR_ADDR, r::CP_RB0_RPTR_ADDR_HI, r::CP_RB0_RPTR,
     r::CP_RB0_WPTR},
    {r::CP_RB1_BASE, r::CP_RB1_CNTL, r::CP_RB1_RPTR_ADDR, r::CP_RB1_RPTR_ADDR_HI, r::CP_RB1_RPTR,
     r::CP_RB1_WPTR},
    {r::CP_RB2_BASE, r::CP_RB2_CNTL, r::CP_RB2_RPTR_ADDR, r::CP_RB2_RPTR_ADDR_HI, r::CP_RB2_RPTR,
     r::CP_RB2_WPTR},
};

void set_sh(std::vector<uint32_t>& out, uint32_t offset, std::initializer_list<uint32_t> values) {
    out.push_back(type3(kSetShReg, static_cast<uint32_t>(values.size()) + 1, true));
    out.push_back((offset - 0xB000) / 4);
    out.insert(out.end(), values);
}

void surface_sync(std::vector<uint32_t>& out) {
    out.insert(out.end(), {type3(kSurfaceSync, 4), kEngineMe | kCoherAll, 0xFFFFFFFF, 0, 10});
}

// Dwords from `first` on that make whole packets and are at most `most`, which is more than a
// packet can have. SI document 2.1: headers.
size_t whole_packets(const std::vector<uint32_t>& dwords, size_t first, size_t most) {
    size_t at = first;
    while (at < dwords.size()) {
        const uint32_t header = dwords[at];
        const bool has_body = header >> 30 == 0 || header >> 30 == 3;
        const size_t end = at + 1 + (has_body ? (header >> 16 & 0x3FFF) + 1 : 0);
        if (end - first > most)
            break;
        at = end;
    }
    return std::min(at, dwords.size()) - first;
}

}  // namespace

void GpuDriver::bring_up() {
    machine_.write_register(r::GB_ADDR_CONFIG, machine_.chip().config().gb.gb_addr_config);
    machine_.write_register(r::CP_ME_CNTL, 0);
    machine_.write_register(r::SCRATCH_UMSK, 0);
    // TIME_STAMP_INT_ENABLE: end-of-pipe interrupts of each ring.
    for (const uint32_t cntl : {r::CP_INT_CNTL_RING0, r::CP_INT_CNTL_RING1, r::CP_INT_CNTL_RING2})
        machine_.write_register(cntl, 1u << 26);
    for (unsigned i = 0; i < kRings; ++i) {
        Ring& ring = rings_[i];
        const RingRegisters& reg = kRingRegisters[i];
        ring.base = machine_.allocate(uint64_t{kRingDwords} * 4);
        ring.fence = machine_.allocate(4096);
        uint32_t log2_qwords = 0;
        while ((2u << log2_qwords) < kRingDwords)
            ++log2_qwords;
        const uint32_t cntl = log2_qwords | 9u << 8;  // read pointer blocks of 4 KiB
        machine_.write_register(reg.cntl, cntl | 1u << 31);
        machine_.write_register(reg.wptr, 0);
        machine_.write_register(reg.rptr_addr, static_cast<uint32_t>(ring.fence + 64) & ~3u);
        machine_.write_register(reg.rptr_addr_hi, static_cast<uint32_t>((ring.fence + 64) >> 32));
        machine_.write_register(reg.cntl, cntl);
        machine_.write_register(reg.base, static_cast<uint32_t>(ring.base >> 8));
    }
    submit(0, {type3(kMeInitialize, 6),  1,        0,      7,      1u << 16, 0, 0,  //
               type3(kSetBase, 3),       3,        0xC000, 0xE000,                  //
               type3(kPreambleCntl, 1),  2u << 28,                                  //
               type3(kPreambleCntl, 1),  3u << 28,                                  //
               type3(kClearState, 1),    0,                                         //
               type3(kSetContextReg, 3), 0x316,    0xE,    0x10});
    for (unsigned i = 1; i < kRings; ++i)
        submit(i, {type3(kClearState, 1, true), 0});
    for (unsigned i = 0; i < kRings; ++i)
        fence_and_wait(i);
}

void GpuDriver::set_up_interrupt_ring(uint64_t address, uint64_t bytes) {
    uint32_t log2_dwords = 0;
    while ((uint64_t{4} << log2_dwords) < bytes)
        ++log2_dwords;
    const uint64_t mirror = machine_.allocate(4096);
    const uint32_t control = 1u << 31 | 1u << 16 | 1u << 8 | log2_dwords << 1;  // overflow, mirror
    machine_.write_register(r::IH_RB_CNTL, control);
    machine_.write_register(r::IH_RB_BASE, static_cast<uint32_t>(address >> 8));
    machine_.write_register(r::IH_RB_WPTR_ADDR_LO, static_cast<uint32_t>(mirror) & ~3u);
    machine_.write_register(r::IH_RB_WPTR_ADDR_HI, static_cast<uint32_t>(mirror >> 32) & 0xFF);
    machine_.write_register(r::IH_RB_RPTR, 0);
    machine_.write_register(r::IH_RB_WPTR, 0);
    machine_.write_register(r::IH_CNTL, 1);  // ENABLE_INTR
    machine_.write_register(r::IH_RB_CNTL, (control & ~(1u << 31)) | 1u);
}

uint32_t GpuDriver::room(unsigned index) {
    const Ring& ring = rings_[index];
    const uint32_t rptr = machine_.read_register(kRingRegisters[index].rptr) & (kRingDwords - 1);
    return (rptr - ring.wptr - 1) & (kRingDwords - 1);
}

void GpuDriver::put(Ring& ring, const uint32_t* dwords, uint32_t count) {
    while (count != 0) {
        const uint32_t piece = std::min(count, kRingDwords - ring.wptr);
        machine_.memory().write(ring.base + uint64_t{ring.wptr} * 4, dwords, size_t{piece} * 4);
        ring.wptr = (ring.wptr + piece) & (kRingDwords - 1);
        dwords += piece;
        count -= piece;
    }
}

void GpuDriver::submit(unsigned index, const std::vector<uint32_t>& dwords) {
    Ring& ring = rings_[index];
    // What fits the ring goes in one piece; more is cut into halves of the ring, between packets.
    size_t done = 0;
    while (done < dwords.size()) {
        const size_t want = dwords.size() < kRingDwords
                                ? dwords.size()
                                : whole_packets(dwords, done, kRingDwords / 2);
        uint32_t have = room(index);
        if (have < want) {
            machine_.wait_until(
                [&] {
                    have = room(index);
                    return have >= want;
                },
                "room in ring " + std::to_string(index));
        }
        put(ring, dwords.data() + done, static_cast<uint32_t>(want));
        done += want;
        ring.pending = true;
        machine_.write_register(kRingRegisters[index].wptr, ring.wptr);
    }
}

void GpuDriver::submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) {
    submit(ring, {type3(kIndirectBuffer, 3), static_cast<uint32_t>(address) & ~3u,
                  static_cast<uint32_t>(address >> 32) & 0xFFFF, dwords | vmid << 24});
}

void GpuDriver::fence_and_wait(unsigned index) {
    Ring& ring = rings_[index];
    const uint32_t value = ++ring.fence_value;
    std::vector<uint32_t> p = {type3(kEventWrite, 1), kCsPartialFlush | 4u << 8};
    surface_sync(p);
    // Event index 5; 32-bit data, interrupt when the write is confirmed.
    p.insert(p.end(), {type3(kEventWriteEop, 5), kCacheFlushAndInvTs | 5u << 8,
                       static_cast<uint32_t>(ring.fence),
                       static_cast<uint32_t>(ring.fence >> 32) | 1u << 29 | 2u << 24, value, 0});
    submit(index, p);
    machine_.wait_until(
        [&] {
            uint32_t seen = 0;
            machine_.memory().read(ring.fence, &seen, 4);
            return seen == value;
        },
        "the fence of ring " + std::to_string(index));
    ring.pending = false;
    ++fences_;
}

std::vector<uint32_t> GpuDriver::launch_packets(const Launch& l) {
    std::vector<uint32_t> p;
    surface_sync(p);
    set_sh(p, r::COMPUTE_START_X, {0, 0, 0});
    const auto threads = [&](unsigned i) { return l.local_size[i] | l.partial_size[i] << 16; };
    bool partial = false;
    for (const uint32_t size : l.partial_size)
        partial = partial || size != 0;
    // With PARTIAL_TG_EN every dimension says how large its last group is.
    const auto dimension = [&](unsigned i) {
        return partial && l.partial_size[i] == 0 ? l.local_size[i] | l.local_size[i] << 16
                                                 : threads(i);
    };
    set_sh(p, r::COMPUTE_NUM_THREAD_X, {dimension(0), dimension(1), dimension(2)});
    set_sh(p, r::COMPUTE_PGM_LO,
           {static_cast<uint32_t>(l.code >> 8), static_cast<uint32_t>(l.code >> 40)});
    set_sh(p, r::COMPUTE_PGM_RSRC1, {l.rsrc1, l.rsrc2});
    set_sh(p, r::COMPUTE_RESOURCE_LIMITS, {0, 0xFFFFFFFF, 0xFFFFFFFF});
    set_sh(p, r::COMPUTE_TMPRING_SIZE, {l.scratch_waves | l.scratch_bytes_per_wave / 1024 << 12});
    if (!l.user_sgprs.empty()) {
        p.push_back(type3(kSetShReg, static_cast<uint32_t>(l.user_sgprs.size()) + 1, true));
        p.push_back((r::COMPUTE_USER_DATA_0 - 0xB000) / 4);
        p.insert(p.end(), l.user_sgprs.begin(), l.user_sgprs.end());
    }
    // COMPUTE_SHADER_EN, PARTIAL_TG_EN, FORCE_START_AT_000.
    p.insert(p.end(), {type3(kDispatchDirect, 4, true), l.groups[0], l.groups[1], l.groups[2],
                       1u | (partial ? 2u : 0u) | 4u});
    return p;
}

}  // namespace archipelago::host
