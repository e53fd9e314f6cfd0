// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/decoded.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/common/error.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/special.h"

namespace archipelago::cu {
namespace {

using isa::Class;
using isa::Format;
using isa::Op;
using isa::OpInfo;

void add_range(uint64_t (&mask)[2], unsigned code, unsigned dwords) {
    for (unsigned i = code; i < code + dwords && i < 128; ++i)
        mask[i / 64] |= uint64_t{1} << (i % 64);
}

void find_scalar_reads(const OpInfo& info, Decoded& d) {
    const isa::Inst& inst = d.inst;
    for (unsigned i = 0; i < inst.num_src && i < 3; ++i) {
        if (inst.src[i] < 128)
            add_range(d.sgprs, inst.src[i], std::max<unsigned>(info.src_dwords[i], 1));
        else if (inst.src[i] == isa::kVccz)
            add_range(d.sgprs, isa::kVccLo, 2);
    }
    const bool reads_destination = info.has(isa::kOpDstIn) || info.has(isa::kOpSdstIn);
    if (reads_destination && inst.sdst < 128)
        add_range(d.sgprs, inst.sdst, std::max<unsigned>(info.dst_dwords, 1));
    if (info.has(isa::kOpVccIn) || inst.op == Op::S_CBRANCH_VCCZ || inst.op == Op::S_CBRANCH_VCCNZ)
        add_range(d.sgprs, isa::kVccLo, 2);
}

void find_scalar_writes(const OpInfo& info, Decoded& d) {
    const isa::Inst& inst = d.inst;
    if (info.has(isa::kOpSgprDst)) {
        add_range(d.sgprs, inst.sdst, 1);
    } else if (info.has(isa::kOpMaskOut) || info.format == Format::Vopc) {
        add_range(d.sgprs, inst.sdst, 2);
        d.compares = info.format == Format::Vopc;
    }
}

// A branch on SCC waits for VCC and EXEC as well (clrx).
uint8_t status_tested(Op op) {
    switch (op) {
        case Op::S_CBRANCH_SCC0:
        case Op::S_CBRANCH_SCC1:
            return kStatusScc | kStatusVcc | kStatusExec;
        case Op::S_CBRANCH_VCCZ:
        case Op::S_CBRANCH_VCCNZ:
            return kStatusVcc;
        case Op::S_CBRANCH_EXECZ:
        case Op::S_CBRANCH_EXECNZ:
            return kStatusExec;
        default:
            return 0;
    }
}

// `written`: the scalar registers an ALU instruction writes.
uint8_t status_changed(const OpInfo& info, const uint64_t (&written)[2]) {
    const auto writes = [&](unsigned code) { return (written[code / 64] >> (code % 64) & 3) != 0; };
    unsigned changed = info.has(isa::kOpSccOut) ? kStatusScc : 0;
    changed |= writes(isa::kVccLo) ? kStatusVcc : 0;
    changed |= writes(isa::kExecLo) || info.has(isa::kOpExecOut) ? kStatusExec : 0;
    return static_cast<uint8_t>(changed);
}

VmemCost vmem_cost(const isa::Inst& inst, const OpInfo& info) {
    switch (info.mem) {
        case isa::MemKind::Store:
        case isa::MemKind::StoreFormat:
        case isa::MemKind::ImageStore:
            return VmemCost::Store;
        case isa::MemKind::Atomic:
        case isa::MemKind::ImageAtomic:
            return compares(info.atomic) ? VmemCost::CompareSwap : VmemCost::Atomic;
        default:
            break;
    }
    const unsigned dwords =
        inst.format == Format::Mimg ? isa::image_data_dwords(inst) : info.dst_dwords;
    return dwords > 1 ? VmemCost::WideLoad : VmemCost::Load;
}

Action action_of(const isa::Inst& inst) {
    if (inst.format == Format::Illegal)
        return Action::Illegal;
    if (!isa::is_implemented(inst))
        return Action::Unimplemented;
    if (isa::is_control(inst))
        return Action::Control;
    switch (inst.cls) {
        case Class::Valu:
            return inst.exec == nullptr             ? Action::Unimplemented
                   : inst.src[0] == isa::kLdsDirect ? Action::LdsDirect
                                                    : Action::Valu;
        case Class::Salu:
            return inst.exec != nullptr ? Action::Scalar : Action::Unimplemented;
        case Class::Branch:
            return inst.exec != nullptr ? Action::Branch : Action::Unimplemented;
        case Class::Smem:
            return Action::ScalarMem;
        case Class::Vmem:
            return Action::VectorMem;
        case Class::Lds:
            return inst.format == Format::Vintrp ? Action::Interpolate : Action::Lds;
        case Class::Message:
            return Action::Message;
        case Class::Gds:
            return Action::Gds;
        case Class::Export:
            return Action::Export;
        case Class::kCount:
            return Action::Unimplemented;
        case Class::Internal:
            break;
    }
    switch (inst.op) {
        case Op::S_NOP:
            return Action::Nop;
        case Op::S_WAITCNT:
            return Action::Wait;
        case Op::S_BARRIER:
            return Action::Barrier;
        case Op::S_ENDPGM:
            return Action::End;
        case Op::S_SLEEP:
            return Action::Sleep;
        case Op::S_SETPRIO:
            return Action::SetPriority;
        case Op::S_ICACHE_INV:
            return Action::InvalidateInst;
        case Op::S_INCPERFLEVEL:
        case Op::S_DECPERFLEVEL:
        case Op::S_TTRACEDATA:
            return Action::Mark;
        default:
            return Action::Unimplemented;
    }
}

}  // namespace

const char* class_name(Class cls) {
    switch (cls) {
        case Class::Valu:
            return "valu";
        case Class::Salu:
            return "salu";
        case Class::Smem:
            return "smem";
        case Class::Vmem:
            return "vmem";
        case Class::Lds:
            return "lds";
        case Class::Gds:
            return "gds";
        case Class::Export:
            return "export";
        case Class::Branch:
            return "branch";
        case Class::Message:
            return "message";
        case Class::Internal:
            return "internal";
        case Class::kCount:
            break;
    }
    return "?";
}

// Additions and multiplications of floating-point numbers; what approximates, compares, converts or
// interpolates does none.
Flops flops_of(Op op) {
    Flops f;
    switch (op) {
        case Op::V_ADD_F64:
        case Op::V_MUL_F64:
            f.f64 = true;
            [[fallthrough]];
        case Op::V_ADD_F32:
        case Op::V_SUB_F32:
        case Op::V_SUBREV_F32:
        case Op::V_MUL_F32:
        case Op::V_MUL_LEGACY_F32:
            f.count = 1;
            break;
        case Op::V_FMA_F64:
        case Op::V_DIV_FMAS_F64:
            f.f64 = true;
            [[fallthrough]];
        case Op::V_MAC_F32:
        case Op::V_MAC_LEGACY_F32:
        case Op::V_MAD_F32:
        case Op::V_MAD_LEGACY_F32:
        case Op::V_MADAK_F32:
        case Op::V_MADMK_F32:
        case Op::V_FMA_F32:
        case Op::V_DIV_FMAS_F32:
            f.count = 2;
            break;
        default:
            break;
    }
    return f;
}

void find_flops(Decoded& d) {
    const Flops f = flops_of(d.inst.op);
    d.f64 = f.f64;
    d.flops = f.count;
}

LdsCost lds_cost(const OpInfo& info) {
    return {
        static_cast<uint8_t>(
            std::max(1, info.src_dwords[0] + info.src_dwords[1] + info.src_dwords[2])),
        static_cast<uint8_t>((info.mem_pair != 0 ? 2 : 1) * std::max(1, (info.mem_bytes + 3) / 4))};
}

Decoded make_decoded(const uint32_t* words, size_t avail, bool skip) {
    Decoded d;
    d.inst = isa::decode(words, avail);
    d.dwords = d.inst.dwords;
    d.action = action_of(d.inst);
    if (d.action == Action::Illegal)
        return d;
    const Class cls = d.inst.cls;
    if (skip && (cls == Class::Valu || cls == Class::Vmem || cls == Class::Lds ||
                 cls == Class::Gds || cls == Class::Export)) {
        d.action = Action::NoEffect;
        d.inst.cls = Class::Internal;
        d.inst.vgprs_used = d.inst.sgprs_used = 0;
        return d;
    }
    d.halts = d.inst.op == Op::S_SENDMSGHALT;
    d.drains = d.inst.op == Op::S_TRAP;
    const OpInfo& info = isa::op_info(d.inst.op);
    switch (d.action) {
        case Action::Valu:
        case Action::LdsDirect:
            find_scalar_writes(info, d);
            d.status_changed = status_changed(info, d.sgprs);
            find_flops(d);
            break;
        case Action::Scalar:
        case Action::Branch:
        case Action::Control: {
            find_scalar_reads(info, d);
            uint64_t written[2] = {0, 0};
            add_range(written, d.inst.sdst, info.dst_dwords);
            d.status_changed = status_changed(info, written);
            d.status_tested = status_tested(d.inst.op);
            break;
        }
        case Action::VectorMem:
            d.vmem_cost = vmem_cost(d.inst, info);
            break;
        case Action::Lds: {
            const LdsCost cost = lds_cost(info);
            d.lds_operands = cost.operands;
            d.lds_dwords = cost.dwords;
            break;
        }
        case Action::Wait: {
            const auto k = static_cast<uint32_t>(d.inst.simm16);
            d.wait_vm = k & 0xF;
            d.wait_exp = k >> 4 & 0x7;
            d.wait_lgkm = k >> 8 & 0xF;
            break;
        }
        default:
            break;
    }
    return d;
}

void stop_endless(const std::string& place, uint64_t executed) {
    throw MachineStop(
        StopKind::Hang, place,
        "the wave has executed " + std::to_string(executed) + " instructions without ending");
}

void stop_for(const Decoded& d, const isa::WaveState& wave, const std::string& place) {
    std::string words = fmt::format("0x{:08x}", d.inst.words[0]);
    if (d.dwords == 2)
        words += fmt::format(" 0x{:08x}", d.inst.words[1]);
    if (d.action == Action::Illegal)
        throw MachineStop(StopKind::BadInput, place,
                          "illegal instruction " + words + ": " + isa::illegal_reason(d.inst));
    if (d.action == Action::Unimplemented)
        throw MachineStop(
            StopKind::Unimplemented, place,
            std::string(isa::mnemonic(d.inst)) + " (encoding " + words + ") is not implemented");
    if (d.inst.vgprs_used > wave.num_vgprs)
        throw MachineStop(StopKind::BadInput, place,
                          "vector register v" + std::to_string(d.inst.vgprs_used - 1) +
                              " is used, the wave has " + std::to_string(wave.num_vgprs));
    throw MachineStop(StopKind::BadInput, place,
                      "scalar register s" + std::to_string(d.inst.sgprs_used - 1) +
                          " is used, the wave has " + std::to_string(wave.num_sgprs));
}

DecodeCache::DecodeCache(bool skip, DecodeUnit* unit)
    : firsts_(1024),
      pairs_(1024),
      first_mask_(1023),
      pair_mask_(1023),
      block_table_(1024, nullptr),
      block_mask_(1023),
      skip_(skip),
      unit_(unit) {}

Decoded DecodeCache::decode(uint32_t first, uint32_t second) const {
    if (unit_ != nullptr)
        return unit_->decode(first, second, skip_);
    const uint32_t words[2] = {first, second};
    return make_decoded(words, 2, skip_);
}

const DecodeCache::First& DecodeCache::add_first(uint32_t word) {
    if (++first_count_ * 2 > firsts_.size()) {
        std::vector<First> old(firsts_.size() * 2);
        old.swap(firsts_);
        first_mask_ = firsts_.size() - 1;
        for (const First& f : old) {
            if (f.dwords == 0)
                continue;
            size_t i = hash(f.word);
            while (firsts_[i & first_mask_].dwords != 0)
                ++i;
            firsts_[i & first_mask_] = f;
        }
    }
    size_t i = hash(word);
    while (firsts_[i & first_mask_].dwords != 0)
        ++i;
    First& f = firsts_[i & first_mask_];
    // The length is in the first dword of every encoding, of illegal ones as well; the second
    // decides only whether the operands are legal.
    const Decoded decoded = decode(word, 0);
    f.word = word;
    f.dwords = decoded.dwords;
    if (f.dwords == 1) {
        pool_.push_back(decoded);
        f.decoded = &pool_.back();
    }
    return f;
}

const Decoded& DecodeCache::add_pair(uint64_t words) {
    if (++pair_count_ * 2 > pairs_.size()) {
        std::vector<Pair> old(pairs_.size() * 2);
        old.swap(pairs_);
        pair_mask_ = pairs_.size() - 1;
        for (const Pair& p : old) {
            if (p.decoded == nullptr)
                continue;
            size_t i = hash(p.words);
            while (pairs_[i & pair_mask_].decoded != nullptr)
                ++i;
            pairs_[i & pair_mask_] = p;
        }
    }
    size_t i = hash(words);
    while (pairs_[i & pair_mask_].decoded != nullptr)
        ++i;
    pool_.push_back(decode(static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32)));
    pairs_[i & pair_mask_] = {words, &pool_.back()};
    return pool_.back();
}

DecodedBlock& DecodeCache::add_block(const std::array<uint32_t, kFetchDwords>& words) {
    const auto insert = [&](DecodedBlock* block) {
        size_t i = hash(block->words);
        while (block_table_[i & block_mask_] != nullptr)
            ++i;
        block_table_[i & block_mask_] = block;
    };
    blocks_.emplace_back();
    blocks_.back().words = words;
    if (blocks_.size() * 2 > block_table_.size()) {
        block_table_.assign(block_table_.size() * 2, nullptr);
        block_mask_ = block_table_.size() - 1;
        for (DecodedBlock& block : blocks_)
            insert(&block);
    } else {
        insert(&blocks_.back());
    }
    return blocks_.back();
}

}  // namespace archipelago::cu
