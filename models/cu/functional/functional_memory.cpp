// SPDX-License-Identifier: Apache-2.0
// Memory instructions of functional mode, on host pages.
#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/page.h"
#include "models/common/text.h"
#include "models/cu/access_fault.h"
#include "models/cu/functional/functional_cu.h"
#include "models/cu/pipeline/image_memory.h"
#include "models/cu/pipeline/line_request.h"

namespace archipelago::cu {
namespace {

using isa::kLanes;
using isa::VectorMemOp;

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr unsigned kQuarter = 16;
constexpr uint64_t kQuarterLanes = 0xFFFF;

// Bytes to the end of the page.
uint64_t left_in_page(uint64_t address) {
    return kPageBytes - address % kPageBytes;
}

// Lanes first..first+15 access consecutive dwords.
bool quarter_linear(const VectorMemOp& op, unsigned first) {
    const uint64_t* addr = &op.addr[0][first];
    const uint64_t origin = addr[0];
    uint64_t different = 0;
    for (unsigned i = 0; i < kQuarter; ++i)
        different |= addr[i] ^ (origin + 4 * i);
    return different == 0;
}

// All lanes access memory, each the bytes right after those of the lane before.
bool linear(const VectorMemOp& op) {
    if (op.lanes != kAllLanes || !op.contiguous || op.bytes < 4 || op.bytes % 4 != 0)
        return false;
    const uint64_t origin = op.addr[0][0];
    const uint64_t step = op.bytes;
    if (op.addr[0][kLanes - 1] != origin + (kLanes - 1) * step)
        return false;
    uint64_t different = 0;
    uint64_t expected = origin;
    for (unsigned lane = 0; lane < kLanes; ++lane, expected += step)
        different |= op.addr[0][lane] ^ expected;
    return different == 0;
}

}  // namespace

template <class Copy>
bool FunctionalCu::by_page(uint64_t address, unsigned size, uint64_t& bad, Copy copy) {
    while (size != 0) {
        uint8_t* const at = host(address);
        if (at == nullptr) {
            bad = address;
            return false;
        }
        const auto part = static_cast<unsigned>(std::min<uint64_t>(size, left_in_page(address)));
        copy(at, part);
        address += part;
        size -= part;
    }
    return true;
}

bool FunctionalCu::read_bytes(uint64_t address, void* to, unsigned size, uint64_t& bad) {
    auto* out = static_cast<uint8_t*>(to);
    return by_page(address, size, bad, [&out](const uint8_t* at, unsigned part) {
        std::memcpy(out, at, part);
        out += part;
    });
}

bool FunctionalCu::write_bytes(uint64_t address, const void* from, unsigned size, uint64_t& bad) {
    const auto* in = static_cast<const uint8_t*>(from);
    return by_page(address, size, bad, [&in](uint8_t* at, unsigned part) {
        std::memcpy(at, in, part);
        in += part;
    });
}

const HostWindow* FunctionalCu::find_window(uint64_t address, uint8_t& hint) {
    for (unsigned i = 0; i < kWindows; ++i) {
        if (address - windows_[i].first < windows_[i].bytes) {
            hint = static_cast<uint8_t>(i);
            return &windows_[i];
        }
    }
    const HostWindow found = memory_.window(address, vmid_);
    if (found.bytes == 0)
        return nullptr;
    hint = static_cast<uint8_t>(next_window_++ % kWindows);
    windows_[hint] = found;
    return &windows_[hint];
}

// s_load_dwordxN.
bool FunctionalCu::scalar_load(isa::WaveState& regs, const BlockOp& op) {
    const isa::Inst& inst = op.decoded->inst;
    if (ports_.accesses != nullptr || (!inst.imm && inst.soffset >= 128))
        return false;
    const uint32_t offset = (inst.imm ? inst.offset * 4u : regs.s[inst.soffset]) & ~3u;
    const uint64_t address = (regs.s64(inst.srsrc) & ~uint64_t{3}) + offset;
    const HostWindow* w = window(address, op.window);
    const unsigned size = op.dwords * 4u;
    if (w == nullptr || w->bytes - (address - w->first) < size)
        return false;
    std::memcpy(&regs.s[inst.sdst], w->host + (address - w->first), size);
    return true;
}

// Buffer accesses whose lanes are in one piece of host memory.
bool FunctionalCu::vector_access(isa::WaveState& regs, const BlockOp& op, WorkCounters& work) {
    if (ports_.accesses != nullptr || !buffer_wave_.prepare(op.decoded->inst, op.buffer, regs))
        return false;
    const HostWindow* w = window(buffer_wave_.address(), op.window);
    if (w == nullptr || !buffer_wave_.execute(*w))
        return false;
    work.vmem_lanes += lane_count(buffer_wave_.lanes());
    return true;
}

// DS reads and writes of dwords whose lanes are in range and aligned.
bool FunctionalCu::lds_access(isa::WaveState& regs, const BlockOp& op,
                              const isa::LaneAccess& planned) {
    const isa::Inst& inst = op.decoded->inst;
    isa::LaneAccess a = planned;
    a.exec = regs.exec();
    if (a.exec == 0)
        return false;
    // run_group() has seen that the allocation lies within the unit's LDS.
    a.base = lds_.data() + regs.lds_base;
    a.limit = std::min(regs.lds_size, regs.s[isa::kM0]);
    a.address = regs.v[inst.vaddr];
    if (!op.is_store) {
        for (unsigned k = 0; k < a.count; ++k)
            a.reg[k] = regs.v[inst.vdst + k];
        return lane_memory_.read(a);
    }
    for (unsigned k = 0; k < op.dwords; ++k)
        a.reg[k] = regs.v[inst.data0 + k];
    for (unsigned k = op.dwords; k < a.count; ++k)
        a.reg[k] = regs.v[inst.data1 + k - op.dwords];
    return lane_memory_.write(a);
}

void FunctionalCu::observe_vector(const Wave& wave, const isa::ImageOp* image) {
    AccessObserver& observer = *ports_.accesses;
    if (op_.kind == VectorMemOp::Kind::CacheInvalidate) {
        CacheAction action;
        action.invalidate_l1 = true;
        return observer.invalidated(action);
    }
    bool aligned = true;
    if (image != nullptr)
        coalesce_image(*image, op_.lanes, {}, accesses_);
    else
        coalesce(op_, {}, accesses_, aligned);
    if (!aligned)
        return;  // the access faults
    for (const LineAccess& access : accesses_) {
        MemRequest request;
        describe_access(access, op_, image, request);
        request.vmid = wave.launch->vmid;
        observer.requested(request);
    }
}

void FunctionalCu::scalar_mem(Wave& wave, uint64_t pc, const Decoded& d, uint64_t clock) {
    const isa::ScalarMemOp op = isa::scalar_mem(d.inst, wave.regs);
    uint32_t data[16] = {};
    switch (op.kind) {
        case isa::ScalarMemOp::Kind::CacheInvalidate:
            if (ports_.accesses != nullptr) {
                CacheAction action;
                action.invalidate_scalar = true;
                ports_.accesses->invalidated(action);
            }
            return;
        case isa::ScalarMemOp::Kind::Time:
            data[0] = static_cast<uint32_t>(clock);
            data[1] = static_cast<uint32_t>(clock >> 32);
            break;
        case isa::ScalarMemOp::Kind::Load:
        case isa::ScalarMemOp::Kind::BufferLoad: {
            const unsigned size = std::min(op.valid, op.dwords) * 4u;
            uint64_t bad = 0;
            if (!read_bytes(op.addr, data, size, bad))
                throw AccessStop<MachineStop>(
                    {StopKind::Fault, place(wave, pc, &d),
                     "scalar read of unmapped address " + hex(bad) + of_space(vmid_)},
                    access_fault(*wave.launch, pc, bad, vmid_, std::nullopt));
            if (ports_.accesses != nullptr && size != 0)
                ports_.accesses->loaded(op.addr, size, wave.launch->vmid);
            break;
        }
    }
    isa::scalar_mem_complete(op, wave.regs, data);
    if (retire_ != nullptr)
        retire_->loaded(wave.number, RetireRecorder::kNow, op, wave.regs);
}

void FunctionalCu::vector_mem(Wave& wave, uint64_t pc, const Decoded& d, WorkCounters& work) {
    if (d.inst.format == isa::Format::Mimg) {
        image_mem(wave, pc, d, work);
        return;
    }
    isa::vector_mem(d.inst, wave.regs, op_, spec_.lds_load_offset);
    if (op_.unsupported != nullptr)
        throw MachineStop(StopKind::Unimplemented, place(wave, pc, &d), op_.unsupported);
    if (ports_.accesses != nullptr)
        observe_vector(wave, nullptr);
    if (retire_ != nullptr)
        retire_->sends(op_);
    switch (op_.kind) {
        case VectorMemOp::Kind::CacheInvalidate:
            return;
        case VectorMemOp::Kind::Load:
            if (op_.lanes != 0 && !(linear(op_) && load_linear()))
                load(wave, pc, d);
            if (op_.to_lds)
                isa::vector_mem_to_lds(op_, wave.regs, lds_.data());
            else
                isa::vector_mem_complete(op_, wave.regs);
            break;
        case VectorMemOp::Kind::Store:
            if (op_.lanes != 0 && !(linear(op_) && store_linear()))
                store(wave, pc, d);
            break;
        case VectorMemOp::Kind::Atomic:
            atomic(wave, pc, d);
            if (op_.returns)
                isa::vector_mem_complete(op_, wave.regs);
            break;
    }
    if (retire_ != nullptr)
        retire_->loaded(wave.number, RetireRecorder::kNow, op_, nullptr, wave.regs);
    work.vmem_lanes += lane_count(op_.lanes);
}

// The whole wave reads one piece of memory on one or two pages. False: not mapped.
bool FunctionalCu::load_linear() {
    const unsigned dwords = op_.bytes / 4u;
    const uint64_t origin = op_.addr[0][0];
    const uint64_t size = uint64_t{kLanes} * op_.bytes;
    const uint8_t* from = host(origin);
    if (from == nullptr)
        return false;
    alignas(64) uint32_t copy[4 * kLanes];
    if (left_in_page(origin) >= size) {
        if (dwords == 1) {
            std::memcpy(op_.data[0], from, kLanes * 4);
            return true;
        }
        std::memcpy(copy, from, size);
    } else {
        uint64_t bad = 0;
        if (!read_bytes(origin, copy, static_cast<unsigned>(size), bad))
            return false;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned k = 0; k < dwords; ++k)
            op_.data[k][lane] = copy[lane * dwords + k];
    return true;
}

bool FunctionalCu::store_linear() {
    const unsigned dwords = op_.bytes / 4u;
    const uint64_t origin = op_.addr[0][0];
    const uint64_t size = uint64_t{kLanes} * op_.bytes;
    // Nothing may be written before the whole range is known to be mapped.
    if (host(origin + size - 1) == nullptr)
        return false;
    uint8_t* to = host(origin);
    if (to == nullptr)
        return false;
    alignas(64) uint32_t copy[4 * kLanes];
    const uint32_t* data = op_.data[0];
    if (dwords != 1) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned k = 0; k < dwords; ++k)
                copy[lane * dwords + k] = op_.data[k][lane];
        data = copy;
    }
    if (left_in_page(origin) >= size) {
        std::memcpy(to, data, size);
        return true;
    }
    uint64_t bad = 0;
    return write_bytes(origin, data, static_cast<unsigned>(size), bad);
}

void FunctionalCu::load(const Wave& wave, uint64_t pc, const Decoded& d) {
    const unsigned dwords = (op_.bytes + 3u) / 4;
    // Bytes that no access brings read 0.
    if (op_.bytes < 4 || !op_.contiguous)
        std::fill_n(&op_.data[0][0], dwords * kLanes, 0u);
    uint64_t lanes = op_.lanes;
    if (op_.bytes == 4 && op_.contiguous) {
        for (unsigned first = 0; first < kLanes; first += kQuarter) {
            const uint64_t origin = op_.addr[0][first];
            if ((lanes >> first & kQuarterLanes) != kQuarterLanes ||
                left_in_page(origin) < kQuarter * 4 || !quarter_linear(op_, first))
                continue;
            const uint8_t* from = host(origin);
            if (from == nullptr)
                continue;
            std::memcpy(&op_.data[0][first], from, kQuarter * 4);
            lanes &= ~(kQuarterLanes << first);
        }
    }
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        if (op_.contiguous) {
            const uint64_t address = op_.addr[0][lane];
            const uint8_t* from = host(address);
            if (from != nullptr && left_in_page(address) >= op_.bytes) {
                if (op_.bytes == 4) {
                    std::memcpy(&op_.data[0][lane], from, 4);
                    continue;
                }
                for (unsigned k = 0; k < dwords; ++k)
                    std::memcpy(&op_.data[k][lane], from + 4 * k, std::min(4u, op_.bytes - 4 * k));
                continue;
            }
        }
        for (unsigned k = 0; k < dwords; ++k) {
            if (!op_.contiguous && (op_.dword_lanes[k] >> lane & 1) == 0)
                continue;
            const uint64_t address = op_.contiguous ? op_.addr[0][lane] + 4 * k : op_.addr[k][lane];
            uint64_t bad = 0;
            if (!read_bytes(address, &op_.data[k][lane], std::min(4u, op_.bytes - 4 * k), bad)) {
                if (!op_.tfe)
                    fault(wave, pc, d, "read of unmapped address", bad, lane);
                vector_mem_failed(op_, uint64_t{1} << lane);
            }
        }
    }
}

void FunctionalCu::store(const Wave& wave, uint64_t pc, const Decoded& d) {
    const unsigned dwords = (op_.bytes + 3u) / 4;
    const bool plain = op_.bytes == 4 && op_.contiguous;
    for (uint64_t m = op_.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        if (plain && left_in_page(op_.addr[0][lane]) >= 4) {
            uint8_t* to = host(op_.addr[0][lane]);
            if (to != nullptr) {
                // Lanes act in ascending order, so a piece may be copied at once only when it
                // starts at this lane.
                if (lane % kQuarter == 0 && (m >> lane & kQuarterLanes) == kQuarterLanes &&
                    left_in_page(op_.addr[0][lane]) >= kQuarter * 4 && quarter_linear(op_, lane)) {
                    std::memcpy(to, &op_.data[0][lane], kQuarter * 4);
                    m &= ~(kQuarterLanes << lane);
                    m |= uint64_t{1} << lane;
                    continue;
                }
                std::memcpy(to, &op_.data[0][lane], 4);
                continue;
            }
        }
        for (unsigned k = 0; k < dwords; ++k) {
            if (!op_.contiguous && (op_.dword_lanes[k] >> lane & 1) == 0)
                continue;
            const uint64_t address = op_.contiguous ? op_.addr[0][lane] + 4 * k : op_.addr[k][lane];
            uint64_t bad = 0;
            if (!write_bytes(address, &op_.data[k][lane], std::min(4u, op_.bytes - 4 * k), bad))
                fault(wave, pc, d, "write to unmapped address", bad, lane);
        }
    }
}

void FunctionalCu::atomic(const Wave& wave, uint64_t pc, const Decoded& d) {
    const bool wide = op_.bytes == 8;
    for (uint64_t m = op_.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t address = op_.addr[0][lane];
        if (address % op_.bytes != 0)
            fault(wave, pc, d, "atomic on misaligned address", address, lane);
        uint8_t* at = host(address);
        if (at == nullptr) {
            if (!op_.tfe)
                fault(wave, pc, d, "atomic on unmapped address", address, lane);
            vector_mem_failed(op_, uint64_t{1} << lane);
            continue;
        }
        if (wide) {
            uint64_t old;
            std::memcpy(&old, at, 8);
            const uint64_t source = op_.data[0][lane] | uint64_t{op_.data[1][lane]} << 32;
            const uint64_t compare = op_.data[2][lane] | uint64_t{op_.data[3][lane]} << 32;
            const uint64_t value = atomic64(op_.atomic, old, source, compare);
            std::memcpy(at, &value, 8);
            op_.data[0][lane] = static_cast<uint32_t>(old);
            op_.data[1][lane] = static_cast<uint32_t>(old >> 32);
        } else {
            uint32_t old;
            std::memcpy(&old, at, 4);
            const uint32_t value = atomic32(op_.atomic, old, op_.data[0][lane], op_.data[1][lane]);
            std::memcpy(at, &value, 4);
            op_.data[0][lane] = old;
        }
    }
}

}  // namespace archipelago::cu
