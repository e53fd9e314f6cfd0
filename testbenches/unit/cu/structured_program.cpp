// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cu/structured_program.h"

#include <string>

#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu::test {
namespace {

// Opcode numbers (configs/isa/gfx6.yaml).
enum Sop2 : unsigned { kSubU32 = 1, kOrB64 = 17, kXorB64 = 19, kLshlB32 = 30, kLshrB32 = 32 };
enum Sop1 : unsigned { kMovB32 = 3, kMovB64 = 4, kAndSaveexecB64 = 36 };
enum Sopp : unsigned { kBranch = 2, kScc1 = 5, kExecz = 8, kBarrier = 10, kEndpgm = 1 };

constexpr unsigned kDescriptor = 20;
constexpr unsigned kWaveNumber = 24;
constexpr unsigned kDataOffset = 25;
constexpr unsigned kLdsOffset = 26;
constexpr unsigned kCounters = 28, kMaxLoops = 6;
constexpr unsigned kMasks = 34, kMaxMasks = 6;
constexpr unsigned kFreeSgprs = 20;  // s0..s19 belong to the random instructions
constexpr unsigned kFreeVgprs = 16;  // v1..v15 do

constexpr uint32_t vop2(unsigned op, unsigned dst, unsigned src0, unsigned vsrc1) {
    return op << 25 | dst << 17 | vsrc1 << 9 | src0;
}
constexpr unsigned kVAnd = 27, kVAddI32 = 37;
constexpr unsigned kLiteral = 255, kVgpr = 256, kVcc = 106, kExec = 126, kM0 = 124;

}  // namespace

StructuredProgram::StructuredProgram(uint64_t seed) : random_(seed) {
    prologue();
    for (unsigned i = 0; i < 4; ++i) {
        block(0);
        exchange();
    }
    sopp(kEndpgm, 0);
}

void StructuredProgram::sop2(unsigned op, unsigned dst, unsigned a, unsigned b) {
    emit(0x80000000u | op << 23 | dst << 16 | b << 8 | a);
}

void StructuredProgram::sop1(unsigned op, unsigned dst, unsigned a) {
    emit(0xBE800000u | dst << 16 | op << 8 | a);
}

void StructuredProgram::sopp(unsigned op, uint32_t immediate) {
    emit(0xBF800000u | op << 16 | immediate);
}

void StructuredProgram::s_mov(unsigned dst, uint32_t value) {
    sop1(kMovB32, dst, kLiteral);
    emit(value);
}

void StructuredProgram::descriptor() {
    s_mov(kDescriptor, static_cast<uint32_t>(kData));
    s_mov(kDescriptor + 1, 0);
    s_mov(kDescriptor + 2, kDataBytes);
    s_mov(kDescriptor + 3, 0x00027FAC);
}

size_t StructuredProgram::branch(unsigned op) {
    sopp(op, 0);
    return words_.size() - 1;
}

void StructuredProgram::aim(size_t branch, size_t target) {
    const auto distance = static_cast<int64_t>(target) - static_cast<int64_t>(branch + 1);
    words_[branch] |= static_cast<uint32_t>(distance) & 0xFFFF;
}

void StructuredProgram::prologue() {
    descriptor();
    emit(0x7E000500u | kWaveNumber << 17);  // v_readfirstlane_b32 s24, v0
    sop2(kLshrB32, kWaveNumber, kWaveNumber, 128 + 6);
    sop2(kLshlB32, kDataOffset, kWaveNumber, 128 + 14);  // 16 KiB each
    sop2(kLshlB32, kLdsOffset, kWaveNumber, 128 + 10);   // 1 KiB each
    for (unsigned s = 0; s < kFreeSgprs; ++s)
        s_mov(s, random_.next());
    for (unsigned v = 1; v < kFreeVgprs; ++v) {
        emit(0x7E000200u | v << 17 | kLiteral);  // v_mov_b32
        emit(random_.next());
        emit(vop2(kVAddI32, v, kVgpr + v, 0));
    }
}

void StructuredProgram::block(unsigned depth) {
    for (unsigned n = 4 + random_.below(10); n != 0; --n) {
        switch (random_.below(12)) {
            case 0:
                local_memory();
                break;
            case 1:
                global_memory();
                break;
            case 2:
                scalar_load();
                break;
            case 3:
                change_mode();
                break;
            case 4:
            case 5:
                if (depth < 3)
                    if_else(depth);
                break;
            case 6:
                if (depth < 3)
                    loop(depth);
                break;
            default:
                alu();
                break;
        }
    }
}

// if (v_x < v_y) { ... } else { ... }, by lanes; a part no lane takes is jumped over, or not.
void StructuredProgram::if_else(unsigned depth) {
    if (masks_ + 1 > kMaxMasks)
        return;
    const unsigned saved = kMasks + 2 * masks_++;
    const bool was = divergent_;
    divergent_ = true;
    const unsigned comparison = random_.below(2) != 0 ? 193 : 129;  // v_cmp_lt_u32, v_cmp_lt_i32
    emit(0x7C000000u | comparison << 17 | random_.below(kFreeVgprs) << 9 |
         (kVgpr + random_.below(kFreeVgprs)));
    sop1(kAndSaveexecB64, saved, kVcc);
    sop2(kXorB64, saved, kExec, saved);
    const bool jump = random_.below(2) != 0;
    const size_t over = jump ? branch(kExecz) : 0;
    block(depth + 1);
    if (jump)
        aim(over, words_.size());
    if (random_.below(2) != 0) {
        // The other lanes: swap exec and what is saved.
        sop2(kOrB64, kVcc, kExec, saved);
        sop1(kMovB64, kExec, saved);
        const unsigned all = kMasks + 2 * masks_;
        if (masks_ < kMaxMasks) {
            ++masks_;
            sop1(kMovB64, all, kVcc);
            const size_t skip = branch(kExecz);
            block(depth + 1);
            aim(skip, words_.size());
            sop1(kMovB64, kExec, all);
            --masks_;
        } else {
            sop1(kMovB64, kExec, kVcc);
        }
    } else {
        sop2(kOrB64, kExec, kExec, saved);
    }
    divergent_ = was;
    --masks_;
}

void StructuredProgram::loop(unsigned depth) {
    if (loops_ == kMaxLoops)
        return;
    const unsigned counter = kCounters + loops_++;
    sop1(kMovB32, counter, 128 + 1 + random_.below(4));
    const size_t begin = words_.size();
    block(depth + 1);
    sop2(kSubU32, counter, counter, 128 + 1);
    emit(0xBF000000u | 7u << 16 | 128u << 8 | counter);  // s_cmp_lg_u32 counter, 0
    aim(branch(kScc1), begin);
    --loops_;
}

// Each wave stores to its part of local memory, all wait, each reads what another wave stored.
void StructuredProgram::exchange() {
    if (divergent_)
        return;
    sop1(kMovB64, kExec, 193);  // -1
    sop1(kMovB32, kM0, 193);
    const unsigned value = 1 + random_.below(kFreeVgprs - 2);
    wait();
    sopp(kBarrier, 0);
    emit(vop2(26, 15, 128 + 2, 0));  // v_lshlrev_b32 v15, 2, v0
    emit(0xD8000000u | 13u << 18);   // ds_write_b32 v15, value
    emit(15u | value << 8);
    wait();
    sopp(kBarrier, 0);
    emit(vop2(29, 15, kLiteral, 15));  // v_xor_b32: a lane of another wave
    emit((random_.below(64) << 2) | (random_.below(2) << 8));
    emit(0xD8000000u | 54u << 18);  // ds_read_b32
    emit(15u | (value + 1) << 24);
    wait();
    sopp(kBarrier, 0);
}

void StructuredProgram::alu() {
    for (;;) {
        const uint32_t w[2] = {random_.next() ^ (random_.next() << 16),
                               (0x100 + random_.below(kFreeVgprs)) |
                                   (0x100 + random_.below(kFreeVgprs)) << 9 |
                                   random_.below(kFreeSgprs) << 18 | random_.below(8) << 29};
        const Decoded d = make_decoded(w, 2);
        if ((d.action != Action::Valu && d.action != Action::Scalar) ||
            d.inst.vgprs_used > kFreeVgprs || d.inst.sgprs_used > kFreeSgprs)
            continue;
        const std::string name = isa::mnemonic(d.inst);
        // No relative moves and no hardware registers. Masks and M0 have jobs: nothing random may
        // write them, nor v0.
        if (name.find("movrel") != std::string::npos || name.find("reg") != std::string::npos ||
            name.find("cmpx") != std::string::npos || name.find("saveexec") != std::string::npos ||
            name.find("vskip") != std::string::npos)
            continue;
        if (d.action == Action::Scalar && d.inst.sdst >= isa::kM0)
            continue;
        if (d.action == Action::Valu && (d.inst.vdst == 0 || d.inst.sdst >= isa::kM0))
            continue;
        emit(w[0]);
        if (d.dwords == 2)
            emit(w[1]);
        return;
    }
}

void StructuredProgram::local_memory() {
    sop1(kMovB32, kM0, 193);
    // v1 = the wave's part + (v1 & 0x1F8)
    emit(vop2(kVAnd, 1, kLiteral, 1));
    emit(0x1F8);
    emit(vop2(kVAddI32, 1, kLdsOffset, 1));
    for (;;) {
        const uint32_t w[2] = {0xD8000000u | random_.below(256) << 18 | random_.below(8) * 8,
                               1u | (1 + random_.below(12)) << 8 | (1 + random_.below(12)) << 16 |
                                   (1 + random_.below(12)) << 24};
        const Decoded d = make_decoded(w, 2);
        const std::string name = isa::mnemonic(d.inst);
        // One counter for all waves, an order among them, or strides out of the wave's part.
        if (d.action != Action::Lds || d.inst.vgprs_used > kFreeVgprs ||
            name.find("append") != std::string::npos || name.find("consume") != std::string::npos ||
            name.find("ordered") != std::string::npos || name.find("st64") != std::string::npos)
            continue;
        wait();
        emit(w[0]);
        emit(w[1]);
        wait();
        return;
    }
}

void StructuredProgram::global_memory() {
    // v1 = v1 & 0x1FF8; the wave's part by SOFFSET.
    emit(vop2(kVAnd, 1, kLiteral, 1));
    emit(0x1FF8);
    for (;;) {
        const uint32_t w[2] = {
            0xE0001000u | random_.below(128) << 18 | random_.below(2) << 14 | random_.below(64) * 8,
            1u | (2 + random_.below(10)) << 8 | (kDescriptor / 4) << 16 | kDataOffset << 24};
        const Decoded d = make_decoded(w, 2);
        if (d.action != Action::VectorMem || d.inst.vgprs_used > kFreeVgprs ||
            std::string(isa::mnemonic(d.inst)).find("format") != std::string::npos)
            continue;
        emit(w[0]);
        emit(w[1]);
        wait();
        return;
    }
}

// From the words of the program itself, which no wave writes.
void StructuredProgram::scalar_load() {
    const unsigned size = random_.below(3);  // 1, 2, 4 dwords
    const unsigned dst = 4 * random_.below(4);
    s_mov(16, static_cast<uint32_t>(kCode));
    s_mov(17, 0);
    emit(0xC0000000u | size << 22 | dst << 15 | (16u / 2) << 9 | 1u << 8 | random_.below(200));
    wait();
}

void StructuredProgram::change_mode() {
    emit(0xB0000000u | 21u << 23 | 1u | 7u << 11);  // s_setreg_imm32_b32 hwreg(MODE, 0, 8)
    emit(random_.below(256));
}

}  // namespace archipelago::cu::test
