// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/lds_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/pins/twin_limits.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::cu {
namespace {

using rtl::LdsPins;
using In = LdsPins::In;
using Out = LdsPins::Out;
using Phase = LdsState::Phase;
using isa::MemKind;

constexpr unsigned kRowBytes = LdsPins::kBanks * 4;
constexpr unsigned kBytes = LdsPins::kRows * kRowBytes;
// Registers of LdsCore's wave: the address, two data operands, the destination.
constexpr unsigned kAddress = 0, kFirst = 1, kSecond = 3, kResult = 5;

// Each lane acts on two places before the next one acts.
bool acts_by_lane(MemKind kind) {
    return kind == MemKind::LdsExchange2 || kind == MemKind::LdsSrc2 ||
           kind == MemKind::LdsWriteSrc2;
}

// More cycles than any operation takes.
constexpr unsigned kOperationTimeout = 10'000;

}  // namespace

LdsCore::LdsCore() {
    state_.storage.assign(kBytes, 0);
    wave_.v = registers_.v;
    wave_.num_vgprs = std::size(registers_.v);
}

void LdsCore::execute(const LdsPins::Operation& op) {
    Out& result = state_.result;
    result = Out{};
    result.out_valid = 1;
    state_.phase = Phase::Working;
    state_.working = 1;  // the addresses
    isa::Inst inst;
    inst.op = isa::op_from_number(isa::Format::Ds, op.code);
    inst.format = isa::Format::Ds;
    inst.cls = isa::op_info(inst.op).cls;
    inst.vaddr = kAddress;
    inst.data0 = kFirst;
    inst.data1 = kSecond;
    inst.vdst = kResult;
    inst.offset = op.offset;
    std::memcpy(registers_.v[kAddress], op.address.data(), sizeof(isa::VReg));
    for (unsigned l = 0; l < LdsPins::kLanes; ++l) {
        registers_.v[kFirst][l] = static_cast<uint32_t>(op.first[l]);
        registers_.v[kFirst + 1][l] = static_cast<uint32_t>(op.first[l] >> 32);
        registers_.v[kSecond][l] = static_cast<uint32_t>(op.second[l]);
        registers_.v[kSecond + 1][l] = static_cast<uint32_t>(op.second[l] >> 32);
    }
    std::memset(registers_.v[kResult], 0, 4 * sizeof(isa::VReg));
    wave_.s[isa::kM0] = op.m0;
    wave_.set_exec(op.exec);
    wave_.lds_base = op.base % (kBytes / LdsPins::kBaseGranule) * LdsPins::kBaseGranule;
    wave_.lds_size = op.size;
    unsigned passes = 0;
    if (!isa::execute_lds(inst, wave_, state_.storage.data(), kBytes, &passes)) {
        result.out_illegal = 1;
        return;
    }
    result.out_passes = static_cast<uint8_t>(passes);
    const auto give = [&](LdsPins::PerLane<uint32_t>& to, unsigned number) {
        std::memcpy(to.data(), registers_.v[kResult + number], sizeof(isa::VReg));
    };
    give(result.out_data0, 0);
    give(result.out_data1, 1);
    give(result.out_data2, 2);
    give(result.out_data3, 3);
    state_.working += passes;
    if (acts_by_lane(isa::op_info(inst.op).mem))
        state_.working += 2 * static_cast<unsigned>(__builtin_popcountll(op.exec));
}

void LdsCore::step(const In& in, Out& out) {
    const Phase phase = state_.phase;
    out = phase == Phase::Done ? state_.result : Out{};
    out.row_ready = out.op_ready = phase == Phase::Idle ? 1 : 0;
    if (phase == Phase::Idle && in.row_valid != 0) {
        uint8_t* row = state_.storage.data() + in.row.number % LdsPins::kRows * kRowBytes;
        if (in.row.write != 0)
            std::memcpy(row, in.row.data.data(), kRowBytes);
        else
            std::memcpy(out.row_out.data(), row, kRowBytes);
    }
    if (in.rst != 0) {
        state_.phase = Phase::Idle;
        return;
    }
    switch (phase) {
        case Phase::Idle:
            if (in.op_valid != 0)
                execute(in.op);
            break;
        case Phase::Working:
            if (--state_.working == 0)
                state_.phase = Phase::Done;
            break;
        case Phase::Done:
            if (in.out_ready != 0)
                state_.phase = Phase::Idle;
            break;
    }
}

void check_lds_pins(const CuSpec& spec) {
    rtl::in_range<LdsPins>(LdsPins::kBanks, LdsPins::kBanks, "cu.lds.banks", spec.lds_banks);
    rtl::in_range<LdsPins>(0, kBytes, "cu.resources.lds", spec.lds_bytes);
    if (spec.lds_granule % LdsPins::kBaseGranule != 0)
        rtl::refuse<LdsPins>("cu.resources.lds_granule", std::to_string(spec.lds_granule),
                             "multiples of " + std::to_string(LdsPins::kBaseGranule));
}

void operation_to_pins(const isa::Inst& inst, const isa::WaveState& wave, unsigned lds_bytes,
                       LdsPins::Operation& pins) {
    const isa::OpInfo& info = isa::op_info(inst.op);
    const uint32_t base = std::min(wave.lds_base, std::min(lds_bytes, kBytes));
    if (base % LdsPins::kBaseGranule != 0)
        throw MachineStop(StopKind::Unimplemented, LdsPins::kName,
                          "a group's part of the local data share begins at byte " +
                              std::to_string(base) + ", no multiple of " +
                              std::to_string(LdsPins::kBaseGranule));
    pins.code = static_cast<uint8_t>(info.number);
    pins.offset = inst.offset;
    pins.m0 = wave.s[isa::kM0];
    pins.size = std::min(wave.lds_size, std::min(lds_bytes, kBytes) - base);
    // A part that begins at the end has no bytes.
    pins.base = static_cast<uint16_t>(base % kBytes / LdsPins::kBaseGranule);
    pins.exec = wave.exec();
    const auto operand = [&](unsigned dwords, unsigned number, LdsPins::PerLane<uint64_t>& to) {
        for (unsigned l = 0; l < LdsPins::kLanes; ++l)
            to[l] = (dwords > 0 ? wave.v[number][l] : 0) |
                    (dwords > 1 ? uint64_t{wave.v[number + 1][l]} << 32 : 0);
    };
    if (info.src_dwords[0] != 0)
        std::memcpy(pins.address.data(), wave.v[inst.vaddr], sizeof(isa::VReg));
    operand(info.src_dwords[1], inst.data0, pins.first);
    operand(info.src_dwords[2], inst.data1, pins.second);
}

PinLdsUnit::PinLdsUnit(rtl::PinBlock<LdsPins>& share) : share_(share) {
    reset_block(share_);
    in_.out_ready = 1;
}

bool PinLdsUnit::execute(const isa::Inst& inst, isa::WaveState& wave, uint8_t* lds,
                         unsigned lds_bytes, unsigned* passes) {
    const isa::OpInfo& info = isa::op_info(inst.op);
    if (inst.format != isa::Format::Ds || inst.cls != isa::Class::Lds)
        return false;
    operation_to_pins(inst, wave, lds_bytes, in_.op);
    const unsigned base = in_.op.base * LdsPins::kBaseGranule;
    const unsigned first_row = base / kRowBytes;
    const unsigned end_row = (base + in_.op.size + kRowBytes - 1) / kRowBytes;
    const auto row_bytes = [&](unsigned row) {
        return std::min(kRowBytes, lds_bytes - row * kRowBytes);
    };
    Out out;
    // The twin is ready between two instructions; another block may let it wait.
    const auto pass = [&](uint8_t Out::*high, const char* stuck) {
        if (!rtl::step_until(share_, in_, out, high, kOperationTimeout))
            throw MachineStop(StopKind::Hang, LdsPins::kName, stuck);
    };
    const char* const no_row = "the local data share takes no row";
    for (unsigned row = first_row; row < end_row; ++row) {
        if (known_[row] &&
            std::memcmp(rows_[row].data(), lds + row * kRowBytes, row_bytes(row)) == 0)
            continue;
        std::memcpy(rows_[row].data(), lds + row * kRowBytes, row_bytes(row));
        known_[row] = true;
        in_.row_valid = in_.row.write = 1;
        in_.row.number = static_cast<uint16_t>(row);
        in_.row.data = rows_[row];
        pass(&Out::row_ready, no_row);
    }
    in_.row_valid = in_.row.write = 0;
    in_.op_valid = 1;
    pass(&Out::op_ready, "the local data share takes no instruction");
    in_.op_valid = 0;
    pass(&Out::out_valid, "the local data share gives no result");
    if (out.out_illegal != 0)
        return false;
    if (passes != nullptr)
        *passes = out.out_passes;
    const LdsPins::PerLane<uint32_t>* const data[4] = {&out.out_data0, &out.out_data1,
                                                       &out.out_data2, &out.out_data3};
    for (unsigned k = 0; k < info.dst_dwords && k < 4; ++k)
        for (uint64_t m = wave.exec(); m != 0; m &= m - 1) {
            const auto l = static_cast<unsigned>(__builtin_ctzll(m));
            wave.v[inst.vdst + k][l] = (*data[k])[l];
        }
    if (info.mem == MemKind::LdsRead || info.mem == MemKind::LdsSwizzle || wave.exec() == 0)
        return true;
    in_.row_valid = 1;
    for (unsigned row = first_row; row < end_row; ++row) {
        in_.row.number = static_cast<uint16_t>(row);
        pass(&Out::row_ready, no_row);
        rows_[row] = out.row_out;
        std::memcpy(lds + row * kRowBytes, rows_[row].data(), row_bytes(row));
    }
    in_.row_valid = 0;
    return true;
}

}  // namespace archipelago::cu
